package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
)

// plotOptions is the command line of plot.
type plotOptions struct {
	source
	records
	recordsDir string // folder with the records of each run, from that of its capture; "" for one session
	overlay    overlayFile
	both       hostCaptures
	pattern    string
	manifest   string
	mixing     mixing
	run        string // median or median:METRIC; "" for all
	kind       string
	metrics    []string
	output     string
	format     string
	figures    []string // KIND[:METRIC,...]=FILE, in place of kind, metrics and output
	drawings   []*drawing
	from, to   time.Duration
	layout     plot.Layout
	style      *keys
	title      string
	campaign   string // names, with commas
	events     bool
	look       plot.Options
	latex      bool
}

func newPlot(a *app) *cobra.Command {
	return a.plotCommand(&plotOptions{})
}

func (a *app) plotCommand(o *plotOptions) *cobra.Command {
	var list strings.Builder // goes below the text of the help
	var kinds []string
	for _, k := range plot.Kinds() {
		list.WriteString(fmt.Sprintf("\n  %-13s %s", k.Name, k.Short))
		if k.Metrics != nil {
			list.WriteString("; default: " + strings.Join(k.Metrics, ", "))
		}
		kinds = append(kinds, k.Name)
	}
	runs := func(c *cobra.Command, args []string) error {
		if len(args) == 0 && (o.pattern != "" || o.manifest != "") {
			return nil
		}
		return o.both.orFiles(c, args)
	}
	c := command("plot", runs, withOptions(a.plot, o))
	c.Long += list.String()
	o.source.register(c)
	o.registerRecords(c)
	o.overlay.register(c)
	o.both.register(c)
	o.both.clock = "auto"
	o.both.end.register(c, string(report.SenderHost), endHelp)
	f := c.Flags()
	f.StringVar(&o.pattern, "pattern", "", "find runs in a folder tree by a `PATTERN`, as compare does: '{scenario}/run{run}/client.pcap'")
	f.StringVar(&o.manifest, "manifest", "", "read runs from a CSV `FILE`, as compare does")
	runsFrom(c, "pattern")
	reads(c, "manifest")
	o.mixing.register(c)
	c.MarkFlagsMutuallyExclusive("pattern", "sender", "both")
	c.MarkFlagsMutuallyExclusive("manifest", "sender", "both")
	f.StringVar(&o.run, "run", "", "draw one run of each scenario: `median` for the one whose goodput is closest to the median of its scenario, median:METRIC for another metric, as in median:protocol_delay.max")
	f.StringVar(&o.kind, "kind", plot.Kinds()[0].Name, "`KIND` of figure from the list in --help-all")
	f.StringSliceVar(&o.metrics, "metric", nil, "`LIST` of metrics for the kinds series, grid, bars, cdf, box, heat and ranks, a panel each; bars, box, heat and ranks also take a statistic, as throughput.stddev")
	f.StringVarP(&o.output, "output", "o", "", "`FILE` to write, - for standard output")
	choose(f, &o.format, "format", "", "`format`: svg, png or pdf (which LaTeX includes, so there is no EPS; pdftops -eps makes it); default: by the name of the file", plot.Formats()...)
	f.StringArrayVar(&o.figures, "figure", nil, "a figure in place of --kind, --metric and -o: `KIND[:METRIC,...]=FILE`; may be repeated")
	writes(c, "output", "figure")
	f.DurationVar(&o.from, "from", 0, "leave out data before this time of the connection")
	f.DurationVar(&o.to, "to", 0, "leave out data after this time of the connection; 0: none")
	f.DurationVar(&o.eo.Interval, "interval", metrics.DefaultInterval, "length of a cell of the sampling grid; 0: a sample per DATA_ACK")
	f.IntVar(&o.eo.Connection, "connection", engine.AllConnections, "draw the connection with this `ID` of the report; default: the one with the most data")
	choose(f, (*string)(&o.eo.Direction), "direction", "", "`direction` of the data: a2b or b2a; default: that of most data", "a2b", "b2a")
	log := keysVar(c, "log", "make axes of numbers logarithmic: a `LIST` of x and y").set
	log.BoolVar(&o.layout.X.Log, "x", false, "horizontal axes")
	log.BoolVar(&o.layout.Y.Log, "y", false, "vertical axes")
	f.Func("xlim", "`LOW,HIGH` of horizontal axes of numbers; one may be empty; what is beyond them is cut off", o.layout.X.SetLimits)
	f.Func("ylim", "the same of vertical axes: `LOW,HIGH`", o.layout.Y.SetLimits)
	f.BoolVar(&o.latex, "latex", false, "also write the figure for LaTeX, with caption and label, beside the output: FILE.tex")
	facet := keysVar(c, "facet", "what rows and columns of panels stand for, as row=mptcp,column=path: a `LIST` of the keys below; default: as the kind says").set
	facet.StringVar(&o.look.Facet.Row, "row", "", "`FACTOR` or label of the runs, scenario, run, path or metric")
	facet.StringVar(&o.look.Facet.Column, "column", "", "`FACTOR` as for rows")
	f.StringVar(&o.look.X, "x", "", "bars and box: what the places on the horizontal axis stand for: a `FACTOR` or a label of the runs, scenario or run; default: as the kind says")
	f.StringVar(&o.look.Color, "color", "", "what `COLOURS` stand for: path, scenario, run (a curve for each run), or a factor (runs with the same value are pooled); default: as the kind says")
	_ = f.SetAnnotation("color", asFlag, []string{"facet"}) // elsewhere it is about the terminal; the flag exists
	f.StringVar(&o.look.Steady, "steady", "hour", "ranks: `LABEL` of the runs whose values are the columns, as in compare")
	o.registerStyle(c)
	for _, name := range []string{"kind", "metric", "output", "format"} {
		c.MarkFlagsMutuallyExclusive("figure", name)
	}
	complete(c, "kind", noFile, func() []string { return kinds })
	complete(c, "color", noFile, func() []string { return []string{plot.ByPath, plot.ByScenario, plot.ByRun} })
	complete(c, "metric", noSpace, describedMetrics)
	complete(c, "figure", noSpace, figureStarts)
	return c
}

// check returns everything that is wrong with the flags.
func (o *plotOptions) check(a *app, c *cobra.Command) error {
	err := o.readDrawings(a)
	for name, s := range map[string]plot.Scale{"xlim": o.layout.X, "ylim": o.layout.Y} {
		err = errors.Join(err, refuse(s.Log && s.Low != nil && *s.Low <= 0, "--%s: a logarithmic axis begins above 0", name))
	}
	return errors.Join(
		err,
		checkInterval(o.eo.Interval), notNegative("from", o.from), notNegative("to", o.to),
		refuse(o.draws("grid") && o.eo.Interval == 0, "--interval 0: --kind grid compares runs in cells; want a time above 0"),
		o.checkRun(), o.checkRecords(), o.checkOverlay(), o.checkStyle(c),
		refuse(o.to != 0 && o.to <= o.from, "--to %v: want a time after --from %v", o.to, o.from),
		checkConnection(o.eo.Connection, engine.AllConnections))
}

// flagError adds the name of its flag to an error.
func flagError(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--%s %w", flag, err)
}

// registerStyle adds the flag that says how figures look.
func (o *plotOptions) registerStyle(c *cobra.Command) {
	o.style = styleVar(c, "figure", "column,height=5")
	f, l := o.style.set, &o.layout
	for _, use := range plot.Uses() {
		shape, _ := plot.LayoutFor(use) // one of its names
		scale := max(1, shape.Scale)
		f.Bool(use, false, fmt.Sprintf("%v cm wide, as a %s is, with numbers of %v points, unless width or font-size say else", shape.Width*scale, use, shape.FontSize*scale))
	}
	f.Float64Var(&l.Width, "width", plot.DefaultSize.Width, "width of the figure in `cm`; a column of two has 8.8")
	f.Float64Var(&l.Height, "height", 0, "height of each panel with its axes in `cm`; title and legend come on top; default: it fits the width")
	f.IntVar(&l.DPI, "dpi", plot.DPI, "`dots` per inch of a PNG")
	f.IntVar(&l.Columns, "columns", 0, "`panels` side by side; default: as the kind says, mostly 1")
	f.Float64Var(&l.FontSize, "font-size", 0, "size of the numbers on the axes in `points`; default: 9, and 7 in figures of less than 12 cm")
	choose(f, (*string)(&l.Legend), "legend", string(plot.LegendBelow), "`place` of the legend: below or right of the panels, or none", plot.Places()...)
	f.StringVar(&o.title, "title", "", "`text` above the figure; title= for none; default: a description of what it shows, and none with column")
	f.BoolVar(&o.events, "events", true, "leave out the marks of joins, addresses, resets, handovers and fallback in figures over time of one run")
	f.DurationVar((*time.Duration)(&o.look.Smooth), "smooth", 0, "grid: replace the value of each cell of a run by the median of this `time` around it, as 1s; 0: none")
	f.BoolVar(&o.look.Window, "window", false, "dsn: add a panel of the data ahead of the DATA_ACK and of the receive window")
	f.StringVar(&o.campaign, "campaign", "", "`NAMES` of further scenarios and paths, as in \"campaign=lia,olia\": a figure of a part of a campaign then has the colours of a figure of the whole")
}

// applyStyle gives the figure the layout of its use, apart from what other keys set, and what the
// figure takes in another form than the keys have.
func (o *plotOptions) applyStyle() {
	f, l := o.style.set, &o.layout
	for _, use := range plot.Uses() {
		if wanted, _ := f.GetBool(use); !wanted {
			continue
		}
		shape, _ := plot.LayoutFor(use) // one of its names
		if l.Tallest = shape.Tallest; !f.Changed("width") {
			l.Width, l.Scale = shape.Width, shape.Scale
		}
		if !f.Changed("font-size") {
			l.FontSize = shape.FontSize
		}
		if use == "column" { // there, the caption says what it shows
			l.Title = &o.title
		}
	}
	if f.Changed("title") {
		l.Title = &o.title
	}
	if o.campaign != "" {
		o.look.Campaign = strings.Split(o.campaign, ",")
	}
	o.look.NoEvents = !o.events
}

// checkStyle refuses looks that no figure has, and flags and keys that are about kinds of figures of which none is drawn.
func (o *plotOptions) checkStyle(c *cobra.Command) (err error) {
	for _, x := range []struct {
		given bool
		what  string
		kinds []string
	}{
		{o.look.X != "", "--x", []string{"bars", "box"}},
		{c.Flags().Changed("steady"), "--steady", []string{"ranks"}},
		{o.look.Smooth != 0, "--style smooth", []string{"grid"}},
		{o.look.Window, "--style window", []string{"dsn"}},
	} {
		err = errors.Join(err, refuse(x.given && !o.draws(x.kinds...), "%s needs --kind %s", x.what, strings.Join(x.kinds, " or --kind ")))
	}
	for key, x := range map[string][3]float64{
		"width": {o.layout.Width, 4, 100}, "height": {o.layout.Height, 2, 100}, "dpi": {float64(o.layout.DPI), 72, 1200},
		"columns": {float64(o.layout.Columns), 1, 1000}, "font-size": {o.layout.FontSize, 4, 40},
	} {
		err = errors.Join(err, refuse(o.style.set.Changed(key) && !(x[0] >= x[1] && x[0] <= x[2]), "--style %s=%v: want %v to %v", key, x[0], x[1], x[2]))
	}
	return errors.Join(err, refuse(o.look.Smooth < 0, "--style smooth=%v: want a time of 0 or more", time.Duration(o.look.Smooth)))
}

func (a *app) plot(c *cobra.Command, o *plotOptions, args []string) error {
	inputs, err := o.checkedInputs(a, c, args)
	if err != nil {
		return mistakes(c, err)
	}
	if err := a.keepApart(c, func() []string { return o.recordFiles(inputs) }); err != nil {
		return err
	}
	if err := o.setOverlay(a); err != nil {
		return err
	}
	runs, damage := a.gatherAll(c, o, inputs)
	if len(runs) == 0 {
		return damage
	}
	if err := a.sayUnused(o, runs); err != nil {
		return err
	}
	var failed error
	for k, d := range o.drawings {
		if err := c.Context().Err(); err != nil {
			return err
		}
		var of []*plot.Run
		for _, r := range runs {
			of = append(of, r.of[k])
		}
		failed = errors.Join(failed, a.draw(o, d, of))
	}
	return errors.Join(damage, failed)
}

// checkedInputs checks the command line and returns its runs.
func (o *plotOptions) checkedInputs(a *app, c *cobra.Command, args []string) ([]campaign.Input, error) {
	o.applyStyle()
	o.look.Cell, o.look.Kernel = int64(o.eo.Interval), len(o.evidence) > 0
	if err := o.check(a, c); err != nil {
		return nil, err
	}
	o.mixing.note(c)
	inputs, err := o.inputs(args)
	if err == nil {
		err = o.takeRecords(inputs)
	}
	if err == nil {
		err = refuse(len(inputs) > 1 && o.overlay != "", "--overlay belongs to one run; the command line has several")
	}
	return inputs, err
}

// draw makes a figure of the runs and writes it.
func (a *app) draw(o *plotOptions, d *drawing, runs []*plot.Run) error {
	figure, err := d.kind.Make(runs, d.metrics)
	if err == nil {
		err = figure.CheckScales(o.layout)
	}
	if err == nil {
		for _, what := range figure.Missing {
			a.sayWarnings([]string{fmt.Sprintf("%s: left out: %s", d.output, what)})
		}
		for _, what := range figure.Notes {
			a.sayWarnings([]string{fmt.Sprintf("%s: %s", d.output, what)})
		}
		if missing := figure.Undrawable(o.layout); len(missing) > 0 {
			a.sayWarnings([]string{fmt.Sprintf("%s: the font of figures does not have %q: boxes stand in place of them", d.output, string(missing))})
		}
		err = a.create(d.output, func(w io.Writer) error { return figure.Write(w, d.format, o.layout) })
		if err == nil && o.latex {
			err = a.create(besideFigure(d.output), func(w io.Writer) error { return figure.WriteLaTeX(w, filepath.Base(d.output), o.layout) })
		}
	}
	if err != nil && len(o.drawings) > 1 {
		return fmt.Errorf("%s: %w", d.output, err)
	}
	return err
}

// sayUnused warns of labels that fit no address in any run.
func (a *app) sayUnused(o *plotOptions, runs []*drawnRun) error {
	labels, _ := parseLabels(o.labels) // checked
	var reports []report.Source
	for _, r := range runs {
		reports = append(reports, r.document)
	}
	text, err := engine.UnusedLabels(labels, reports...)
	if text != "" {
		a.sayWarnings([]string{text})
	}
	return err
}
