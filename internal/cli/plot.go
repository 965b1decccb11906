package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// plotOptions is the command line of plot.
type plotOptions struct {
	source
	both       hostCaptures
	kind       string
	metrics    []string
	output     string
	format     string
	from, to   time.Duration
	interval   time.Duration
	connection int
	direction  string
	size       plot.Size
}

const plotHelp = `Draw a figure of one connection as SVG, PNG or PDF.

Several files are taken as one view of one host, as analyze does. With
NAME=FILE, or NAME=FILE,FILE for several of one host, each is a scenario of its
own in the same axes, for sequence numbers in a panel of its own; a NAME given
again is a further run of that scenario. Bars are means of the runs, each of
which is a dot. Series of more than 8 runs are drawn as the median of those of
each scenario, in an area of the middle half of them.

Without --connection it is the one with the most data, without --direction the
way that most of it took. A path has the same colour in every figure of a
capture; the colours suit any colour vision.

Kinds:`

const plotExamples = `  mpanalyze plot session.pcap --kind dsn -o dsn.svg
  mpanalyze plot session.pcap --kind dsn --from 2s --to 2.5s -o detail.png
  mpanalyze plot session.pcap --kind series --metric path_delay,srtt -o delays.pdf
  mpanalyze plot lia=lia.pcap olia=olia.pcap --kind cdf --metric hol_wait -o hol.svg
  mpanalyze plot --sender server.pcap --receiver client.pcap --kind owd -o owd.svg
  mpanalyze plot lia=r1.pcap lia=r2.pcap olia=r3.pcap --kind box -o runs.svg`

func newPlot(a *app) *cobra.Command {
	o := &plotOptions{size: plot.DefaultSize}
	var help strings.Builder
	help.WriteString(plotHelp)
	var kinds []string
	for _, k := range plot.Kinds() {
		help.WriteString(fmt.Sprintf("\n  %-10s %s", k.Name, k.Short))
		if k.Metrics != nil {
			help.WriteString("; default: " + strings.Join(k.Metrics, ", "))
		}
		kinds = append(kinds, k.Name)
	}
	c := &cobra.Command{
		Use:     "plot FILE... --kind KIND -o FILE.svg|png|pdf",
		Short:   "Draw figures: sequence numbers, delays, rates, distributions",
		Long:    help.String(),
		Example: plotExamples,
		Args: func(c *cobra.Command, args []string) error {
			if o.both.given() {
				return o.both.check(c, args)
			}
			return files(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			return a.plot(c, o, args)
		},
	}
	o.source.register(c)
	o.both.register(c)
	o.both.clock = "auto"
	f := c.Flags()
	f.StringVar(&o.kind, "kind", "dsn", "`KIND` of figure")
	f.StringSliceVar(&o.metrics, "metric", nil, "`LIST` of metrics for the kinds series, cdf and box, a panel each")
	f.StringVarP(&o.output, "output", "o", "", "`FILE` to write, - for standard output")
	f.StringVar(&o.format, "format", "", "`format`: svg, png or pdf; default: by the name of the file")
	f.DurationVar(&o.from, "from", 0, "leave out what is before this time of the connection")
	f.DurationVar(&o.to, "to", 0, "leave out what is after this time of the connection; 0: nothing")
	f.DurationVar(&o.interval, "interval", metrics.DefaultInterval, "cell of the sampling grid; 0: a sample per DATA_ACK")
	f.IntVar(&o.connection, "connection", engine.AllConnections, "draw the connection with this `ID` of the report; default: the one with the most data")
	f.StringVar(&o.direction, "direction", "", "`direction` of the data: a2b or b2a; default: that of most data")
	f.Float64Var(&o.size.Width, "width", o.size.Width, "width in `cm`")
	f.Float64Var(&o.size.Height, "height", o.size.Height, "height of each panel in `cm`")
	complete(c, "kind", kinds...)
	complete(c, "format", plot.Formats()...)
	complete(c, "direction", "a2b", "b2a")
	complete(c, "metric", metrics.SeriesNames()...)
	return c
}

// check returns the kind of figure, or everything that is wrong with the
// flags.
func (o *plotOptions) check(a *app) (plot.Kind, error) {
	kind, err := plot.KindNamed(o.kind)
	for i, name := range o.metrics {
		o.metrics[i] = ownName(name)
	}
	if err == nil {
		err = kind.Check(o.metrics)
	}
	if o.format == "" {
		o.format = strings.ToLower(strings.TrimPrefix(filepath.Ext(o.output), "."))
	}
	switch {
	case o.output == "":
		err = errors.Join(err, errors.New("no file to write; name one with -o, as in -o figure.svg"))
	case !slices.Contains(plot.Formats(), o.format):
		err = errors.Join(err, fmt.Errorf("-o %s: want a name that ends in .svg, .png or .pdf, or --format", o.output))
	case o.output == "-" && a.OutTTY:
		err = errors.Join(err, errors.New("a figure is nothing for a terminal: redirect it to a file or a pipe"))
	}
	err = errors.Join(err, oneOf("direction", o.direction, "", "a2b", "b2a"),
		checkInterval(o.interval), notNegative("from", o.from), notNegative("to", o.to),
		centimetres("width", o.size.Width), centimetres("height", o.size.Height))
	if kind.Pair && !o.both.given() {
		err = errors.Join(err, fmt.Errorf("--kind %s takes captures of both hosts: --sender FILE --receiver FILE", o.kind))
	}
	if o.to != 0 && o.to <= o.from {
		err = errors.Join(err, fmt.Errorf("--to %v: want a time after --from %v", o.to, o.from))
	}
	if o.connection < engine.AllConnections {
		err = errors.Join(err, fmt.Errorf("--connection %d: want an id of the report, from 0", o.connection))
	}
	return kind, err
}

// centimetres refuses sizes that no page has.
func centimetres(flag string, v float64) error {
	if !(v >= 4 && v <= 100) || math.IsNaN(v) {
		return fmt.Errorf("--%s %v: want 4 to 100 cm", flag, v)
	}
	return nil
}

func (a *app) plot(c *cobra.Command, o *plotOptions, args []string) error {
	kind, err := o.check(a)
	if err != nil {
		return &usageError{c.CommandPath(), err}
	}
	all, inputs := scenarios(args), o.both.files()
	if o.both.given() {
		all = []scenario{{}}
	}
	for _, s := range all {
		inputs = append(inputs, s.files...)
	}
	if err := a.keepApart(c, inputs, outputs{files: []string{o.output}}); err != nil {
		return err
	}
	var runs []*plot.Run
	var damage error
	for _, s := range all {
		run, err := a.gather(c, o, &kind, s)
		if run == nil {
			return err
		}
		damage = errors.Join(damage, err)
		if err := run.Resolve(); err != nil {
			return errors.Join(damage, err)
		}
		runs = append(runs, run)
	}
	figure, err := kind.Make(runs, o.metrics)
	if err != nil {
		return errors.Join(damage, err)
	}
	return errors.Join(damage, a.create(o.output, func(w io.Writer) error { return figure.Write(w, o.format, o.size) }))
}

// gather analyses one run. Like the engine it may return a run and an error.
// Where the clocks say which packets are shown, it reads the captures again
// once these are known.
func (a *app) gather(c *cobra.Command, o *plotOptions, kind *plot.Kind, s scenario) (*plot.Run, error) {
	cfg := kind.Config(o.metrics, int64(o.from), int64(o.to))
	run, err := a.read(c, o, s, cfg)
	again := kind.Pair && (o.from != 0 || o.to != 0) && !slices.Contains(o.both.sender, "-") && !slices.Contains(o.both.receiver, "-")
	if run == nil || !again || run.Resolve() != nil {
		return run, err
	}
	cfg.From, cfg.To = run.SendingTime()
	return a.read(c, o, s, cfg)
}

// read analyses one run into a store of its own.
func (a *app) read(c *cobra.Command, o *plotOptions, s scenario, cfg timeline.Config) (*plot.Run, error) {
	eo, err := o.source.options(a, c, s.files)
	if err != nil {
		return nil, err
	}
	store := timeline.New(cfg)
	eo.Connection, eo.Direction = o.connection, report.Direction(o.direction)
	eo.Interval, eo.QoE = o.interval, metrics.DefaultQoE
	eo.Rows, eo.Series = store, store.Wants
	if o.both.given() {
		o.both.apply(&eo)
		eo.Packets = store
	}
	doc, err := a.run(c.Context(), eo)
	if doc == nil {
		return nil, err
	}
	return &plot.Run{
		Scenario: s.name, Document: doc, Store: store, Connection: o.connection, Direction: eo.Direction,
		From: int64(o.from), To: int64(o.to),
	}, err
}

// scenario is files that are one run.
type scenario struct {
	name  string
	files []string
}

// scenarios reads the arguments: files of one host, or NAME=FILE,FILE each. A
// file whose name holds an equals sign is a file.
func scenarios(args []string) (out []scenario) {
	var plain []string
	for _, arg := range args {
		name, list, found := strings.Cut(arg, "=")
		if _, err := os.Stat(arg); err == nil || !found || name == "" {
			plain = append(plain, arg)
			continue
		}
		out = append(out, scenario{name, strings.Split(list, ",")})
	}
	if len(plain) > 0 {
		out = slices.Insert(out, 0, scenario{"", plain})
	}
	return out
}
