package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
	"mpanalyze/internal/runs"
	"mpanalyze/internal/storage"
	"mpanalyze/internal/timeline"
)

// inputs returns the runs of the command line: files of one host or of both, runs named
// NAME=FILE,FILE, and those that a pattern or a manifest finds.
func (o *plotOptions) inputs(args []string) (all []campaign.Input, err error) {
	if o.both.given() {
		return []campaign.Input{{Name: "the captures", Files: o.both.sender, Receiver: o.both.receiver, Swap: o.both.find}}, nil
	}
	found, err := listedRuns(o.pattern, o.manifest, nil)
	return append(scenarios(args), found...), err
}

// scenarios reads the arguments: files of one host, or NAME=FILE,FILE each. A
// file whose name holds an equals sign is a file.
func scenarios(args []string) (out []campaign.Input) {
	var plain []string
	for _, arg := range args {
		name, list, found := strings.Cut(arg, "=")
		if _, err := storage.Stat(arg); err == nil || storage.Is(arg) || !found || name == "" {
			plain = append(plain, arg)
			continue
		}
		out = append(out, campaign.Input{Scenario: name, Name: list, Files: strings.Split(list, ",")})
	}
	if len(plain) > 0 {
		out = slices.Insert(out, 0, campaign.Input{Name: strings.Join(plain, ", "), Files: plain})
	}
	return out
}

// drawnRun is a run that can be drawn.
type drawnRun struct {
	document *report.Document
	of       []*plot.Run // one for each figure
}

// gathered is the outcome of the analysis of one run.
type gathered struct {
	run     *drawnRun
	figures *campaign.Run // for the checks of runs among each other
	damaged error         // of a run that can be drawn
	err     error
}

// analysis is [app.run], or the same without a progress line of its own.
type analysis func(context.Context, engine.Options) (*report.Document, error)

// gathering is what the analysis of each run needs.
type gathering struct {
	*app
	c       *cobra.Command
	o       *plotOptions
	co      runs.Options
	hashed  []bool // which runs' files are hashed
	analyze analysis
}

// gatherAll analyses all runs, several at once. If there are several runs, it leaves out those
// that cannot be drawn and prints a message that names them. It then returns the other runs
// together with an error, which sets the exit status. If no run is left, it returns only an error.
func (a *app) gatherAll(c *cobra.Command, o *plotOptions, inputs []campaign.Input) ([]*drawnRun, error) {
	eo, err := o.options(a, c, nil)
	if err != nil {
		return nil, err
	}
	g := gathering{app: a, c: c, o: o, co: runs.Options{Inputs: inputs, Options: eo, Connection: o.eo.Connection}, analyze: a.run}
	if len(inputs) == 1 {
		one := g.gather(0)
		if one.err != nil {
			return nil, one.err
		}
		a.sayMistaken(one.run.document)
		return []*drawnRun{one.run}, one.damaged
	}
	g.analyze, g.hashed = a.engine.Analyze, g.co.Hashed()
	list, done := make([]gathered, len(inputs)), new(atomic.Int64)
	stop := a.showRuns(done, len(inputs))
	runs.Each(c.Context(), cores(), len(inputs), func(i int) {
		list[i] = g.gather(i)
		done.Add(1)
	})
	stop()
	if err := c.Context().Err(); err != nil {
		return nil, err
	}
	return g.together(list)
}

// together checks whether the runs can be compared, as compare does, and returns the runs to
// draw.
func (g *gathering) together(list []gathered) (runs []*drawnRun, damage error) {
	outcomes := make([]campaign.Outcome, len(list))
	for i := range list {
		outcomes[i] = campaign.Outcome{Run: list[i].figures, Err: list[i].err}
	}
	set := campaign.Group(g.co.Inputs, outcomes, g.o.mixing.vantages)
	messages := skipLines(set.Skipped, len(list))
	drawn := set.Members()
	if len(drawn) == 0 {
		g.sayWarnings(messages)
		return nil, errors.New("no run is left to draw")
	}
	unlike, err := g.o.mixing.check(set, &g.co.Options)
	if err != nil {
		g.sayWarnings(messages)
		return nil, &usageError{g.c.CommandPath(), err}
	}
	g.sayWarnings(slices.Concat(messages, unlike, set.MixedRuns(g.o.usedLabels()...)))
	if g.o.run != "" {
		if drawn, err = g.medianRuns(set); err != nil {
			return nil, err
		}
	}
	for i := range list {
		if slices.ContainsFunc(drawn, func(m *campaign.Member) bool { return m.Run == list[i].figures }) {
			runs, damage = append(runs, list[i].run), errors.Join(damage, list[i].damaged)
		}
	}
	if len(set.Skipped) > 0 {
		damage = errors.Join(damage, &statusError{code: ExitDamaged})
	}
	return runs, damage
}

// medianRuns chooses a run of each scenario and says which.
func (g *gathering) medianRuns(set *campaign.Set) ([]*campaign.Member, error) {
	metric, d := g.o.runMetric(), g.o.eo.Direction
	if d == "" {
		d = set.Bulk()
	}
	figure := set.FigureOf(metric, d)
	if figure == "" {
		return nil, fmt.Errorf("--run %s: no run has %s", g.o.run, metric)
	}
	chosen, said, err := set.MedianRuns(figure)
	g.sayWarnings(said)
	return chosen, err
}

// runMetric returns the metric of --run median:METRIC.
func (o *plotOptions) runMetric() string {
	_, metric, _ := strings.Cut(o.run, ":")
	return cmp.Or(metric, "goodput")
}

// checkRun refuses a choice of runs that is none.
func (o *plotOptions) checkRun() error {
	if o.run == "" {
		return nil
	}
	choice, _, _ := strings.Cut(o.run, ":")
	return errors.Join(refuse(choice != "median", "--run %q: want median or median:METRIC, as in median:protocol_delay.max", o.run), checkMetric("--run", o.runMetric()))
}

// options returns the options of the analysis of a capture.
func (o *plotOptions) options(a *app, c *cobra.Command, files []string) (engine.Options, error) {
	eo, err := o.source.options(a, c, files)
	eo.QoE, eo.Clock, eo.End = metrics.DefaultQoE, o.both.clock.mode(), o.both.end.host()
	eo.Several = true // labels: see sayUnused
	return eo, errors.Join(err, o.records.apply(&eo))
}

// gather analyses one run. If the user selects a time and a figure needs the captures of both
// hosts, it reads the captures twice: which packets the figure shows depends on the clocks,
// and these are known only after the first reading.
func (g *gathering) gather(i int) gathered {
	in, o := &g.co.Inputs[i], g.o
	if in.Problem != "" {
		return gathered{err: errors.New(in.Problem)}
	}
	configs := make([]timeline.Config, len(o.drawings))
	for k, d := range o.drawings {
		configs[k] = d.kind.Config(d.metrics, int64(o.from), int64(o.to))
	}
	out := g.read(in, configs)
	if out.err != nil {
		return out
	}
	if err := g.resolve(out.run); err != nil {
		return gathered{err: errors.Join(out.damaged, err)}
	}
	if g.hashed != nil {
		if out.figures, out.err = g.co.RunOf(in, out.run.document, g.hashed[i]); out.err != nil {
			return out
		}
	}
	if out.err = g.addOther(out.run, configs); out.err != nil {
		return out
	}
	if (o.from != 0 || o.to != 0) && slices.ContainsFunc(o.drawings, isPair) && !slices.Contains(in.AllFiles(), "-") {
		out.err = g.readAgain(in, out.run, configs)
	}
	return out
}

func isPair(d *drawing) bool { return d.kind.Pair(d.metrics) }

// resolve finds the connection that a run's figures show, and refuses a run that a figure
// cannot show.
func (g *gathering) resolve(r *drawnRun) error {
	for k, d := range g.o.drawings {
		if isPair(d) && r.document.Clock == nil {
			return fmt.Errorf("--kind %s takes captures of both hosts", d.kind.Name)
		}
		if isPair(d) && r.document.Clock.Offset == nil {
			why, _ := r.document.Clock.Unavailable.Of("offset_ms")
			return fmt.Errorf("--kind %s: times of the two captures cannot be compared: %s", d.kind.Name, why)
		}
		if err := r.of[k].Resolve(); err != nil {
			return err
		}
	}
	return nil
}

// readAgain reads the captures of both hosts again for the figures that show packets of both.
// The clocks are known now, and so is which packets were sent in the time that is shown.
func (g *gathering) readAgain(in *campaign.Input, r *drawnRun, configs []timeline.Config) error {
	for k, d := range g.o.drawings {
		if isPair(d) {
			configs[k].From, configs[k].To = r.of[k].SendingTime()
		} else {
			configs[k] = timeline.Config{}
		}
	}
	again := g.read(in, configs)
	if again.err != nil {
		return again.err
	}
	for k, d := range g.o.drawings {
		if !isPair(d) {
			continue
		}
		receiver := r.of[k].Receiver
		if r.of[k] = again.run.of[k]; again.run.of[k].Resolve() == nil {
			r.of[k].Receiver = receiver
		}
	}
	return nil
}

// read analyses one run into stores of its own. A report has no series.
func (g *gathering) read(in *campaign.Input, configs []timeline.Config) gathered {
	into, of := newStores(configs)
	doc, err := g.document(in, into)
	if doc == nil {
		return gathered{err: err}
	}
	r := &drawnRun{document: doc}
	for _, store := range of {
		r.of = append(r.of, &plot.Run{
			Scenario: in.Scenario, Labels: labelsOf(in), Factors: in.Factors, Document: doc, Store: store, Connection: g.o.eo.Connection, Direction: g.o.eo.Direction,
			From: int64(g.o.from), To: int64(g.o.to),
		})
	}
	return gathered{run: r, damaged: err}
}

// usedLabels returns the labels by which figures group the runs of a scenario.
func (o *plotOptions) usedLabels() (labels []string) {
	if o.draws("mix", "heat", "ranks") {
		labels = append(labels, plot.NetworkLabel)
	}
	if o.draws("ranks") {
		labels = append(labels, o.look.Steady)
	}
	return labels
}

// labelsOf returns the labels of a run and the factors of its scenario.
func labelsOf(in *campaign.Input) map[string]string {
	all := map[string]string{}
	maps.Copy(all, in.Labels)
	for _, f := range in.Factors {
		all[f.Name] = f.Value
	}
	return all
}

// document reads a report, or analyses captures.
func (g *gathering) document(in *campaign.Input, into *stores) (*report.Document, error) {
	if in.IsReport() {
		if kinds := g.withSeries(); kinds != "" {
			return nil, fmt.Errorf("%s: a report holds no series; %s takes the capture itself, or draw --kind box, shares, mix, heat, ranks or bars", in.Files[0], kinds)
		}
		return runs.ReadReport(nil, in.Files[0])
	}
	eo, err := g.o.options(g.app, g.c, in.Files)
	if err != nil {
		return nil, err
	}
	if g.o.recordsDir != "" {
		eo.Evidence = runs.RecordsOf(in, g.o.recordsDir)
	}
	eo.Rows, eo.Series = into, into.Wants
	if in.Vantage != "" {
		eo.Vantage = in.Vantage
	}
	if len(in.Receiver) > 0 {
		eo.Receiver, eo.Swap = in.Receiver, in.Swap
		eo.Packets = into
	}
	return g.analyze(g.c.Context(), eo)
}

// withSeries names the figures that are made of series.
func (g *gathering) withSeries() string {
	var kinds []string
	for _, d := range g.o.drawings {
		if c := d.kind.Config(d.metrics, 0, 0); c.Chunks || len(c.Series) > 0 || c.Pair {
			kinds = append(kinds, "--kind "+d.kind.Name)
		}
	}
	return strings.Join(kinds, ", ")
}
