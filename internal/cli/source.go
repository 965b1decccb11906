package cli

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/plaintext"
)

// source holds the flags of every command that reads captures and reports on them.
type source struct {
	eo     engine.Options // what flags set that need no reading
	labels []string
}

func (s *source) register(c *cobra.Command) {
	s.eo.Connection, s.eo.MaxState = engine.AllConnections, conn.DefaultMaxState
	f := c.Flags()
	f.StringVar(&s.eo.Filter, "filter", "", "read only packets that match the tcpdump `expression`")
	f.BoolVar(&s.eo.Decap, "decap", false, "look into tunnels: IP-in-IP, GRE, ERSPAN, EtherIP, VXLAN, VXLAN-GPE, Geneve, GTP-U, L2TP, NSH, MPLS pseudowires")
	f.Var((*size)(&s.eo.MaxState), "max-memory", "most memory for the state of open connections; beyond it, the connections that are idle longest are reported early")
	choose(f, (*string)(&s.eo.Vantage), "vantage", "", "`place` of the capture: a, b or middle; default: deduced", "a", "b", "middle")
	f.StringArrayVar(&s.labels, "label", nil, "name the paths that have an address or subnet at one end: `ADDR=NAME`, as in 10.0.1.0/24=wifi; may be repeated")
}

// options checks the flags and returns the engine's options.
func (s *source) options(a *app, c *cobra.Command, args []string) (engine.Options, error) {
	o := s.eo
	o.Paths, o.Stdin, o.Version = args, a.In, a.programVersion()
	if len(args) > 0 && c.Flags().Lookup("junit") != nil { // plot calls this for several runs at once, and judges nothing
		a.suite.File = args[0]
	}
	var err error
	o.Labels, err = parseLabels(s.labels)
	return o, mistakes(c, err)
}

// parseLabels reads the values of --label.
func parseLabels(texts []string) (labels []engine.Label, err error) {
	for _, text := range texts {
		l, err := parseLabel(text)
		if err != nil {
			return nil, err
		}
		labels = append(labels, l)
	}
	return labels, nil
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

// checkConnection refuses the number of a connection below least.
func checkConnection(id, least int) error {
	return refuse(id < least, "--connection %d: want the id of a connection, 0 or more; mpanalyze connections lists them", id)
}
