package cli

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/evidence"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
	"mpanalyze/internal/runs"
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

// parseLabels reads the values of --label: ADDRESS=NAME or SUBNET=NAME.
func parseLabels(texts []string) (labels []engine.Label, err error) {
	for _, text := range texts {
		where, name, found := strings.Cut(text, "=")
		prefix, wrong := netip.ParsePrefix(where)
		if addr, e := netip.ParseAddr(where); e == nil {
			addr = addr.Unmap()
			prefix, wrong = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		labels = append(labels, engine.Label{Prefix: prefix.Masked(), Name: name})
		switch {
		case !found || name == "":
			wrong = errors.New("want ADDRESS=NAME or SUBNET=NAME, as in 10.0.1.0/24=wifi")
		case plaintext.Clean(name) != name: // users join the rows of tables by this name, so it must not change on output
			wrong = errors.New("want a name of printable characters in UTF-8")
		case wrong != nil:
			wrong = fmt.Errorf("%q is neither an address nor a subnet; want one, as in 10.0.1.0/24=wifi", where)
		}
		if wrong != nil {
			err = errors.Join(err, fmt.Errorf("--label %q: %w", text, wrong))
		}
	}
	return labels, err
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
	complete(c, "kernel", noFile, sentences.Kernels)
}

// hostCaptures are the captures of both hosts.
type hostCaptures struct {
	sender, receiver []string
	clock            clockFlag
	end              endFlag
	find             bool // two files, one of each host: find out which host is the sender
}

func (e *hostCaptures) register(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&e.sender, "sender", nil, "`FILE` captured at the host that sends most of the data; needs --receiver; may be repeated")
	f.StringArrayVar(&e.receiver, "receiver", nil, "`FILE` captured at the host that receives most of the data; needs --sender; may be repeated")
	f.BoolVar(&e.find, "both", false, "the two files are captures of both hosts: find out which host sends most of the data")
	reads(c, "sender", "receiver")
	c.MarkFlagsMutuallyExclusive("both", "sender")
	c.MarkFlagsMutuallyExclusive("both", "receiver")
}

// named reports whether the command line says which host made which capture.
func (e *hostCaptures) named() bool { return len(e.sender)+len(e.receiver) > 0 }

func (e *hostCaptures) given() bool { return e.find || e.named() }

// files returns the captures that a command line names; args are those without a host.
func (e *hostCaptures) files(args []string) []string {
	if e.given() {
		return slices.Concat(e.sender, e.receiver)
	}
	return args
}

// orFiles checks the arguments of a command that takes captures of one host or of both.
func (e *hostCaptures) orFiles(c *cobra.Command, args []string) error {
	said := ""
	switch {
	case e.find && e.named(): // excluded: see register
		return nil
	case e.find && len(args) != 2:
		said = "--both takes two captures, one of each host; for several files of a host: --sender FILE --receiver FILE"
	case e.find && slices.Contains(args, "-"): // it can be read only once
		said = "--both reads the beginning of both captures first, so it takes no standard input; say which host made which: --sender FILE --receiver FILE"
	case e.find:
		e.sender, e.receiver = args[:1], args[1:]
	case !e.named():
	case len(args) > 0:
		said = fmt.Sprintf("%s: say which host captured it: --sender %s or --receiver %s", args[0], args[0], args[0])
	case len(e.sender) == 0:
		said = "--receiver needs --sender, the capture of the other host; one capture alone needs no flag"
	case len(e.receiver) == 0:
		said = "--sender needs --receiver, the capture of the other host; one capture alone needs no flag"
	}
	if said != "" {
		return mistakes(c, errors.New(said))
	}
	return files(c, e.files(args))
}

// apply puts the captures into the engine's options.
func (e *hostCaptures) apply(o *engine.Options) {
	if e.given() {
		o.Paths, o.Receiver = e.sender, e.receiver
	}
	o.Swap, o.Clock, o.End = e.find, e.clock.mode(), e.end.host()
}

// sayMistaken prints the warnings about the command line to standard error. It is for commands
// whose output has no warnings.
func (a *app) sayMistaken(d *report.Document) {
	for _, w := range d.Warnings {
		if w.Code == report.WarnExchanged || w.Code == report.WarnUnused {
			a.sayWarnings([]string{w.Message})
		}
	}
}

// clockFlag is the flag that says what to do about clocks that disagree; empty for auto.
type clockFlag string

func (k *clockFlag) register(c *cobra.Command) {
	choose(c.Flags(), (*string)(k), "clock", "auto", "correct the clocks of two captures; `MODE` is none, offset, drift or auto (what the delays show)", "auto", "none", "offset", "drift")
}

func (k clockFlag) mode() clock.Mode {
	return map[clockFlag]clock.Mode{"auto": clock.Auto, "none": clock.None, "offset": clock.Offset, "drift": clock.Drift}[k]
}

// endFlag says whose capture of a run of both hosts gives the figures that both captures show.
type endFlag struct {
	end  string
	flag *pflag.Flag
}

func (e *endFlag) register(c *cobra.Command, preset, help string) {
	choose(c.Flags(), &e.end, "end", preset, help, string(report.SenderHost), string(report.ReceiverHost))
	e.flag = c.Flags().Lookup("end")
}

// endHelp is the help of --end of commands that take runs.
const endHelp = "with captures of both hosts, take what both show from this `END`: sender or receiver of the data"

func (e *endFlag) host() report.Host { return report.Host(e.end) }

// checkRuns refuses an end that the user gave if no run has captures of both hosts.
func (e *endFlag) checkRuns(set *campaign.Set) error {
	return refuse(e.flag.Changed && !set.AnyBoth(), "--end %s: is for captures of both hosts, and no run has them; name them by {host} in --pattern, or by columns sender and receiver in --manifest", e.end)
}

// records holds the flag that names records of the hosts.
type records struct{ evidence []string }

func (r *records) register(c *cobra.Command) {
	c.Flags().StringArrayVar(&r.evidence, "evidence", nil, "records of a host (ss, nstat, ip mptcp and the like): a file or folder, `"+recordForm+"`; may be repeated")
	reads(c, "evidence")
}

// recordForm is the form of a value of --evidence.
const recordForm = "[a=|b=]PATH"

// recordSource reads a value of --evidence.
func recordSource(text string) hosts.Source {
	if end, path, found := strings.Cut(text, "="); found && (end == string(report.SideA) || end == string(report.SideB)) {
		return hosts.Source{End: report.Side(end), Path: path}
	}
	return hosts.Source{Path: text}
}

// apply checks the flag and gives the records to the engine.
func (r *records) apply(o *engine.Options) error {
	for _, text := range r.evidence {
		s := recordSource(text)
		if s.Path == "" {
			return fmt.Errorf("--evidence %q: want a file or folder, as in b=host-server", text)
		}
		o.Evidence = append(o.Evidence, s)
	}
	return nil
}

// registerRecords adds the flag of plot, which takes the records of one session or those of each run.
func (o *plotOptions) registerRecords(c *cobra.Command) {
	c.Flags().StringArrayVar(&o.evidence, "evidence", nil, "records of the hosts: of one session a file or folder, `"+recordForm+"`; may be repeated; where runs have names, a folder relative to that of each capture, whose folders host-a and host-b hold them")
	runsFrom(c, "evidence")
}

// checkRecords refuses series of records without records.
func (o *plotOptions) checkRecords() error {
	for _, d := range o.drawings {
		for _, name := range d.metrics {
			if len(o.evidence) == 0 && slices.Contains(evidence.SeriesNames(), name) {
				return fmt.Errorf("--metric %s: it comes from records of the hosts; give them with --evidence", name)
			}
		}
	}
	return nil
}

// takeRecords finds out whether the records are those of one session or of each run. It refuses those
// of one session for several runs, and those that belong to none of the runs.
func (o *plotOptions) takeRecords(inputs []campaign.Input) error {
	if len(o.evidence) == 0 || len(inputs) == 1 && inputs[0].Scenario == "" {
		return nil
	}
	dir := o.evidence[0]
	if len(o.evidence) > 1 || recordSource(dir).End != "" {
		return fmt.Errorf("--evidence %s belongs to one session, and the command line names runs; want one folder, relative to that of each capture: --evidence . takes the folders host-a and host-b beside it", strings.Join(o.evidence, " --evidence "))
	}
	o.recordsDir, o.evidence = dir, nil
	if !slices.ContainsFunc(inputs, func(in campaign.Input) bool { return len(runs.RecordsOf(&in, dir)) > 0 }) {
		return fmt.Errorf("--evidence %s: no run has a folder host-a or host-b with records there; it is a path from the folder of the capture", dir)
	}
	return nil
}

// recordFiles returns the files that the records of one session, or of the runs, are in.
func (o *plotOptions) recordFiles(inputs []campaign.Input) (names []string) {
	for _, text := range o.evidence {
		names = append(names, hosts.Records(recordSource(text).Path)...)
	}
	return append(names, filesRead(inputs, o.recordsDir)...)
}
