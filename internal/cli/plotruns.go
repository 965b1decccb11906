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
	damaged  error       // of a capture that can be drawn all the same
}

// gathering is what the analysis of each run needs.
type gathering struct {
	runs.Options
	o *plotOptions
}

// gatherAll analyses all runs, several at once. If there are several runs, it leaves out those
// that cannot be drawn and prints a message that names them. It then returns the other runs
// together with an error, which sets the exit status. If no run is left, it returns only an error.
func (a *app) gatherAll(c *cobra.Command, o *plotOptions, inputs []campaign.Input) ([]*drawnRun, error) {
	eo, err := o.options(a, c)
	if err != nil {
		return nil, err
	}
	ctx, n := c.Context(), len(inputs)
	g := gathering{runs.Options{Inputs: inputs, Options: eo, Records: o.recordsDir, Connection: o.eo.Connection, Workers: 1, Analyze: a.run}, o}
	if n == 1 {
		one, err := g.gather(ctx, &inputs[0])
		if err != nil {
			return nil, err
		}
		if inputs[0].IsReport() { // refuses values that no capture gives
			if _, err := g.RunOf(&inputs[0], one.document, false); err != nil {
				return nil, err
			}
		}
		a.sayMistaken(one.document)
		return []*drawnRun{one}, one.damaged
	}
	g.Workers, g.Analyze = cores(), a.engine.Analyze
	list, outcomes, hashed, done := make([]*drawnRun, n), make([]campaign.Outcome, n), g.Hashed(), new(atomic.Int64)
	stop := a.showRuns(done, n)
	runs.Each(ctx, g.Workers, n, func(i int) {
		var out campaign.Outcome
		if list[i], out.Err = g.gather(ctx, &inputs[i]); out.Err == nil {
			out.Run, out.Err = g.RunOf(&inputs[i], list[i].document, hashed[i])
		}
		outcomes[i] = out
		done.Add(1)
	})
	stop()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return a.together(c, &g, list, outcomes)
}

// together checks whether the runs can be compared, as compare does, and returns the runs to
// draw.
func (a *app) together(c *cobra.Command, g *gathering, list []*drawnRun, outcomes []campaign.Outcome) (runs []*drawnRun, damage error) {
	set := campaign.Group(g.Inputs, outcomes, g.o.mixing.vantages)
	messages := skipLines(set.Skipped, len(list))
	drawn := set.Members()
	if len(drawn) == 0 {
		a.sayWarnings(messages)
		return nil, errors.New("no run is left to draw")
	}
	unlike, err := g.o.mixing.check(set, &g.Options.Options)
	if err != nil {
		a.sayWarnings(messages)
		return nil, &usageError{c.CommandPath(), err}
	}
	a.sayWarnings(slices.Concat(messages, unlike, set.MixedRuns(g.o.usedLabels()...)))
	if g.o.run != "" {
		if drawn, err = a.medianRuns(g.o, set); err != nil {
			return nil, err
		}
	}
	for i, o := range outcomes {
		if o.Run != nil && slices.ContainsFunc(drawn, func(m *campaign.Member) bool { return m.Run == o.Run }) {
			runs, damage = append(runs, list[i]), errors.Join(damage, list[i].damaged)
		}
	}
	if len(set.Skipped) > 0 {
		damage = errors.Join(damage, &statusError{code: ExitDamaged})
	}
	return runs, damage
}

// medianRuns chooses a run of each scenario and says which.
func (a *app) medianRuns(o *plotOptions, set *campaign.Set) ([]*campaign.Member, error) {
	metric, d := o.runMetric(), o.eo.Direction
	if d == "" {
		d = set.Bulk()
	}
	figure := set.FigureOf(metric, d)
	if figure == "" {
		return nil, fmt.Errorf("--run %s: no run has %s", o.run, metric)
	}
	chosen, said, err := set.MedianRuns(figure)
	a.sayWarnings(said)
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

// options returns the options of the analysis of a run.
func (o *plotOptions) options(a *app, c *cobra.Command) (engine.Options, error) {
	eo, err := o.source.options(a, c, nil)
	eo.QoE, eo.Clock, eo.End = metrics.DefaultQoE, o.both.clock.mode(), o.both.end.host()
	return eo, errors.Join(err, o.records.apply(&eo))
}

// gather analyses one run. If the user selects a time and a figure needs the captures of both
// hosts, it reads the captures twice: which packets the figure shows depends on the clocks,
// and these are known only after the first reading.
func (g *gathering) gather(ctx context.Context, in *campaign.Input) (*drawnRun, error) {
	o := g.o
	if in.Problem != "" {
		return nil, errors.New(in.Problem)
	}
	configs := make([]timeline.Config, len(o.drawings))
	for k, d := range o.drawings {
		configs[k] = d.kind.Config(d.metrics, int64(o.from), int64(o.to))
	}
	r, err := g.read(ctx, in, configs)
	if err != nil {
		return nil, err
	}
	if err := g.resolve(r); err != nil {
		return nil, errors.Join(r.damaged, err)
	}
	if err := g.addOther(ctx, in, r, configs); err != nil {
		return nil, err
	}
	if (o.from != 0 || o.to != 0) && slices.ContainsFunc(o.drawings, isPair) && !slices.Contains(in.AllFiles(), "-") {
		return r, g.readAgain(ctx, in, r, configs)
	}
	return r, nil
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
func (g *gathering) readAgain(ctx context.Context, in *campaign.Input, r *drawnRun, configs []timeline.Config) error {
	for k, d := range g.o.drawings {
		if isPair(d) {
			configs[k].From, configs[k].To = r.of[k].SendingTime()
		} else {
			configs[k] = timeline.Config{}
		}
	}
	again, err := g.read(ctx, in, configs)
	if err != nil {
		return err
	}
	for k, d := range g.o.drawings {
		if !isPair(d) {
			continue
		}
		receiver := r.of[k].Receiver
		if r.of[k] = again.of[k]; again.of[k].Resolve() == nil {
			r.of[k].Receiver = receiver
		}
	}
	return nil
}

// read reads a report, or analyses captures into stores of their own.
func (g *gathering) read(ctx context.Context, in *campaign.Input, configs []timeline.Config) (*drawnRun, error) {
	into := newStores(configs)
	doc, err := g.document(ctx, in, into)
	if doc == nil {
		return nil, err
	}
	r := &drawnRun{document: doc, damaged: err}
	for _, store := range into.list {
		r.of = append(r.of, &plot.Run{
			Scenario: in.Scenario, Labels: labelsOf(in), Factors: in.Factors, Document: doc, Store: store, Connection: g.Connection, Direction: g.o.eo.Direction,
			From: int64(g.o.from), To: int64(g.o.to),
		})
	}
	return r, nil
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

func (g *gathering) document(ctx context.Context, in *campaign.Input, into *stores) (*report.Document, error) {
	if in.IsReport() {
		if kinds := g.withSeries(); kinds != "" {
			return nil, fmt.Errorf("%s: a report holds no series; %s takes the capture itself, or draw --kind box, shares, mix, heat, ranks or bars", in.Files[0], kinds)
		}
		return runs.ReadReport(nil, in.Files[0])
	}
	return g.Again(ctx, in, func(eo *engine.Options) {
		eo.Rows, eo.Series = into, into.Wants
		if len(in.Receiver) > 0 {
			eo.Packets = into
		}
		if g.o.recordsDir == "" { // those of one session, or none
			eo.Evidence = g.Options.Options.Evidence
		}
	})
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
