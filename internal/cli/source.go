package cli

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
)

// source holds the flags of every command that reads captures and reports on them.
type source struct {
	reading
	naming
}

func (s *source) register(c *cobra.Command) {
	s.reading.register(c)
	s.naming.register(c)
}

// reading holds the flags that say which packets are read, and with how much memory.
type reading struct {
	filter string
	decap  bool
	memory size
}

func (s *reading) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&s.filter, "filter", "", "read only packets that match the tcpdump `expression`")
	f.BoolVar(&s.decap, "decap", false, "look into tunnels: IP-in-IP, GRE, VXLAN, Geneve, GTP-U")
	s.memory = defaultMemory
	f.Var(&s.memory, "max-memory", "most memory for the state of open connections; beyond it, the connections that are idle longest are reported early")
}

// naming holds the flags with which the user tells the place of the capture and names paths.
type naming struct {
	vantage string
	labels  []string
}

func (s *naming) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&s.vantage, "vantage", "", "`place` of the capture: a, b or middle; default: deduced")
	f.StringArrayVar(&s.labels, "label", nil, "name the paths that have an address or subnet at one end: `ADDR=NAME`, as in 10.0.1.0/24=wifi; may be repeated")
	complete(c, "vantage", "a", "b", "middle")
}

// apply checks the flags and gives them to the engine.
func (s *naming) apply(o *engine.Options) error {
	if err := oneOf("vantage", s.vantage, "", "a", "b", "middle"); err != nil {
		return err
	}
	o.Vantage = report.Vantage(s.vantage)
	for _, text := range s.labels {
		l, err := parseLabel(text)
		if err != nil {
			return err
		}
		o.Labels = append(o.Labels, l)
	}
	return nil
}

// options checks the flags and returns the engine's options. It refuses a standard output that
// is also one of the captures.
func (s *source) options(a *app, c *cobra.Command, args []string) (engine.Options, error) {
	o := engine.Options{
		Paths: args, Stdin: a.In, Filter: s.filter, Decap: s.decap,
		Connection: engine.AllConnections, MaxState: int64(s.memory), Version: a.programVersion(),
	}
	err := checkMemory(s.memory)
	if err == nil {
		err = s.naming.apply(&o)
	}
	if err != nil {
		return o, mistakes(c, err)
	}
	return o, a.keepApart(c, args, outputs{})
}

// parseLabel reads ADDRESS=NAME or SUBNET=NAME.
func parseLabel(text string) (engine.Label, error) {
	where, name, found := strings.Cut(text, "=")
	if !found || name == "" {
		return engine.Label{}, fmt.Errorf("--label %q: want ADDRESS=NAME or SUBNET=NAME, as in 10.0.1.0/24=wifi", text)
	}
	if plaintext.Clean(name) != name { // users join the rows of tables by this name, so it must not change on output
		return engine.Label{}, fmt.Errorf("--label %q: want a name of printable characters in UTF-8", text)
	}
	if addr, err := netip.ParseAddr(where); err == nil {
		addr = addr.Unmap()
		return engine.Label{Prefix: netip.PrefixFrom(addr, addr.BitLen()), Name: name}, nil
	}
	prefix, err := netip.ParsePrefix(where)
	if err != nil {
		return engine.Label{}, fmt.Errorf("--label %q: %q is neither an address nor a subnet; want one, as in 10.0.1.0/24=wifi", text, where)
	}
	return engine.Label{Prefix: prefix.Masked(), Name: name}, nil
}

// oneOf checks the value of a flag that takes one of a few.
func oneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	if allowed[0] == "" {
		allowed = allowed[1:]
	}
	if value == "" {
		return fmt.Errorf("--%s is missing; want %s", flag, alternatives(allowed))
	}
	return fmt.Errorf("--%s %q: want %s", flag, value, alternatives(allowed))
}

// refuse returns an error with this text where something is wrong.
func refuse(wrong bool, format string, args ...any) error {
	if !wrong {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// alternatives lists values from which the user must choose one.
func alternatives(values []string) string {
	last := len(values) - 1
	if last < 1 {
		return strings.Join(values, "")
	}
	return strings.Join(values[:last], ", ") + " or " + values[last]
}

// checkConnection refuses the number of a connection below least.
func checkConnection(id, least int) error {
	return refuse(id < least, "--connection %d: want the id of a connection, 0 or more; mpanalyze connections lists them", id)
}

// complete gives a flag its values for shell completion.
func complete(c *cobra.Command, flag string, values ...string) {
	completeFlag(c, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}
