package cli

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/sentences"
)

// source holds the flags of every command that reads captures and reports on them.
type source struct {
	eo     engine.Options // what flags set that need no reading
	labels []string
}

func (s *source) register(c *cobra.Command) {
	s.eo.Connection, s.eo.MaxState, s.eo.Interval, s.eo.QoE = engine.AllConnections, conn.DefaultMaxState, metrics.DefaultInterval, metrics.DefaultQoE
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

// session holds the flags of commands that report on the captures of one session, of one host or of both.
type session struct {
	source
	records
	both hostCaptures
	player
}

func (s *session) register(c *cobra.Command) {
	s.source.register(c)
	s.records.register(c)
	s.both.register(c)
	s.player.register(c)
	registerExtra(c, &s.eo.Regret, &s.eo.Fairness)
	registerKernel(c, &s.eo)
	c.Flags().IntVar(&s.eo.Connection, "connection", engine.AllConnections, "report only on the connection with this `ID`; default: all")
}

// options checks the flags and returns the engine's options. errs are what else is wrong with the command line.
func (s *session) options(a *app, c *cobra.Command, args []string, errs ...error) (engine.Options, error) {
	o, err := s.source.options(a, c, s.both.files(args))
	if err != nil {
		return o, err
	}
	o.Player, err = s.player.options(c)
	errs = append(errs, s.records.apply(&o), err, checkConnection(o.Connection, engine.AllConnections),
		refuse(o.Fairness && o.Connection != engine.AllConnections, "--extra fairness and --connection do not go together: fairness compares all connections"))
	s.both.apply(&o)
	return o, mistakes(c, errs...)
}

// player is the flag of the player that plays the data of each direction (metric streaming).
type player struct{ metrics.Player }

func (p *player) register(c *cobra.Command) {
	f := keysVar(c, "stream", "play the data in order, and measure start-up delay and stalls (streaming): a `LIST` of keys, as in bitrate=2.5M,playout=2s").set
	f.Var((*rate)(&p.Bitrate), "bitrate", "rate at which the data is played, in bit/s, as in 500k or 4M")
	f.DurationVar(&p.Playout, "playout", metrics.DefaultPlayout, "playing time that must be in order before the player starts, and before it resumes after a stall")
	f.DurationVar(&p.MessageGap, "gap", 0, "a pause of this length ends a message; default: derived from the round trips (mpanalyze explain streaming)")
}

// options checks the flag. Without it nothing is played.
func (p *player) options(c *cobra.Command) (metrics.Player, error) {
	if !c.Flags().Changed("stream") {
		return metrics.Player{}, nil
	}
	return p.Player, errors.Join(notNegative("stream playout", p.Playout), notNegative("stream gap", p.MessageGap),
		refuse(p.Bitrate == 0, "--stream needs bitrate=RATE, the rate at which the data is played"))
}

// registerExtra adds the flag of metrics that are derived only if the user asks for them. A command
// without fairness gives nil.
func registerExtra(c *cobra.Command, regret, fairness *bool) {
	f := keysVar(c, "extra", "derive also what few need: a `LIST` of keys").set
	f.BoolVar(regret, "regret", false, "compare the choices of the packet scheduler with ECF's estimates (scheduler_regret); takes up to a twelfth more CPU time")
	if fairness != nil {
		f.BoolVar(fairness, "fairness", false, "compare Multipath TCP with plain TCP on the same paths (fairness in the report); --label says which paths are the same")
	}
}

// registerKernel adds the flag that says which kernel remedies are for.
func registerKernel(c *cobra.Command, o *engine.Options) {
	c.Flags().Func("kernel", "say what to do in settings that this `kernel` has: a version as of uname -r (6.12), omr (OpenMPTCProuter) or 0.9x (multipath-tcp.org); default: the versions are said", func(text string) (err error) {
		o.Kernel, err = sentences.ParseKernel(text)
		return err
	})
	completeFrom(c, "kernel", sentences.Kernels)
}
