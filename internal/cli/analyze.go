package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/evidence"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/output"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tcptrace"
	"mpanalyze/internal/traceevents"
)

// analyzeOptions is the command line of analyze.
type analyzeOptions struct {
	source
	records
	outputOptions
	json       string // "" for none, "-" for standard output in place of the summary
	csv        string // directory, "" for none
	parquet    string // directory, "" for none
	xplot      string // directory, "" for none
	mptcptrace string // directory, "" for none
	trace      string // file, "" for none
	series     string // names separated by commas, or all, or none
	chunks     bool
	hash       string
	packets    bool // packets.csv, of two captures
	tcp        string
	both       hostCaptures
	further
	families
	gates
}

func newAnalyze(a *app) *cobra.Command {
	o := &analyzeOptions{}
	c := command("analyze", o.both.orFiles, withOptions(a.analyze, o))
	o.both.register(c)
	o.register(c)
	return c
}

// register adds the flags that only analyze has, and those of its parts.
func (o *analyzeOptions) register(c *cobra.Command) {
	o.source.register(c)
	o.records.register(c)
	o.outputOptions.register(c)
	o.families.register(c)
	o.gates.register(c)
	f := c.Flags()
	f.StringVar(&o.json, "json", "", "write the report as JSON to `FILE`, or print it in place of the summary")
	f.Lookup("json").NoOptDefVal = "-"
	f.StringVar(&o.csv, "csv", "", "write tables into the directory `DIR`")
	f.StringVar(&o.parquet, "parquet", "", "write the tables of --csv as Parquet into the directory `DIR`: the same rows, columns, names and types")
	f.StringVar(&o.xplot, "xplot", "", "write graphs for xplot, as tcptrace and mptcptrace draw them, into the directory `DIR`")
	f.StringVar(&o.mptcptrace, "mptcptrace", "", "write the files that mptcptrace -w 2 writes, by its definitions, into the directory `DIR`")
	f.StringVar(&o.trace, "trace", "", "write subflows, states of their time, handovers and verdicts as trace events to `FILE`, which ui.perfetto.dev opens; not with --csv or --parquet")
	f.DurationVar(&o.eo.Interval, "interval", 100*time.Millisecond, "length of a cell of the sampling grid; 0: a sample per DATA_ACK")
	f.DurationVar(&o.eo.Skip, "skip", 0, "leave out this much time after each direction's first data, in delays, order, rates and shares")
	f.DurationVar(&o.eo.Until, "until", 0, "leave out data later than this after each direction's first data, like --skip; 0: none")
	f.IntVar(&o.eo.Connection, "connection", engine.AllConnections, "report only on the connection with this `ID`; default: all")
	f.StringVar((*string)(&o.eo.Direction), "direction", "", "report only on one `direction`: a2b or b2a; default: both")
	listVar(c, &o.series, "series", "all", "series in series.csv: a `LIST` of metrics separated by commas, all, or none")
	f.StringVar(&o.tcp, "tcp", "all", "report plain TCP connections; `WHAT` is all (those without data in short), summary (all in short) or none")
	f.StringVar(&o.hash, "hash", "never", "hash captures (SHA-256) for --json; `WHEN` is auto (captures of up to 16 MiB), always (a second of CPU time for each GB) or never")
	f.BoolVar(&o.chunks, "chunks", true, "write chunks.csv")
	f.BoolVar(&o.packets, "packets", false, "write packets.csv: every packet with payload, with its times in both captures")
	o.both.clock.register(c)
	o.both.end.register(c, "", "with captures of both hosts, take what both show from this `END`: sender or receiver of the data; default: the sender's figures, with the receiver's order and head-of-line blocking")
	registerQoE(c, &o.eo.QoE)
	writes(c, "json", "trace")
	writesInto(c, "csv", "*.csv")
	writesInto(c, "parquet", "*.parquet")
	writesInto(c, "xplot", "*.xpl")
	writesInto(c, "mptcptrace", "*.csv")
	o.further.register(c, &o.eo)
	c.MarkFlagsMutuallyExclusive("trace", "csv")
	c.MarkFlagsMutuallyExclusive("trace", "parquet")
	complete(c, "direction", "a2b", "b2a")
	complete(c, "tcp", "all", "summary", "none")
	complete(c, "hash", "auto", "always", "never")
	completeList(c, "series", describedLists)
}

// engineOptions checks the flags and turns them into the engine's options.
func (o *analyzeOptions) engineOptions(a *app, c *cobra.Command, args []string) (engine.Options, error) {
	eo, err := o.source.options(a, c, o.both.files(args))
	if err != nil {
		return eo, err
	}
	err = errors.Join(
		oneOf("direction", string(eo.Direction), "", "a2b", "b2a"), oneOf("tcp", o.tcp, "all", "summary", "none"), oneOf("hash", o.hash, "auto", "always", "never"),
		checkInterval(eo.Interval), checkSpan(eo.Skip, eo.Until), checkSeries(o.series), checkQoE(eo.QoE), o.outputOptions.check(),
		o.both.clock.check(), o.both.end.check(c), o.checkPackets(c), o.gates.check(&o.families, eo.Direction))
	err = errors.Join(err, checkConnection(eo.Connection, engine.AllConnections))
	err = errors.Join(err, o.records.apply(&eo))
	unplayed := o.further.apply(c, &eo)
	if o.trace != "" {
		err = errors.Join(err, o.families.refuse("--trace", traceevents.Metric, metrics.FamilyOf(traceevents.Metric)))
	}
	omit, e := o.families.omit()
	if err = errors.Join(err, unplayed, e, o.checkSeriesFamilies()); err != nil {
		return eo, mistakes(c, err)
	}
	eo.Omit = omit
	o.both.apply(&eo)
	eo.Detail = details[o.tcp]
	return eo, nil
}

func (a *app) analyze(c *cobra.Command, o *analyzeOptions, args []string) error {
	eo, err := o.engineOptions(a, c, args)
	if err != nil {
		return err
	}
	if o.json != "" {
		eo.HashLimit = hashLimit(o.hash)
	}
	var tables *csvtables.Writer
	var drawings []graphWriter
	var trace *traceevents.Writer
	reported := false
	defer func() {
		if !reported {
			abandon(drawings, tables, trace)
		}
	}()
	if o.csv != "" || o.parquet != "" {
		eo.Series, eo.Changes = wantedSeries(o.series), true
		tables, err = csvtables.New(o.csv, csvtables.Options{Parquet: o.parquet, Series: eo.Series != nil, Chunks: o.chunks, Packets: o.packets})
		if err != nil {
			return err
		}
		eo.Rows = tables
		if o.packets {
			eo.Packets = tables
		}
	}
	if drawings, err = o.addGraphs(&eo); err != nil {
		return err
	}
	if trace, err = o.addTrace(&eo); err != nil {
		return err
	}
	return a.stored(c.Context(), eo, func(s *report.Stored) (err error) {
		reported = true
		for _, d := range drawings {
			err = errors.Join(err, d.Finish())
		}
		if eo.Direction != "" {
			report.Only(s, eo.Direction)
		}
		if trace != nil {
			err = errors.Join(err, trace.Document(s))
		}
		return errors.Join(err, a.write(s, o, tables), o.gates.judge(a, s))
	})
}

// graphWriter is a module that writes files in another program's form.
type graphWriter interface {
	conn.Module
	Finish() error
	Abandon()
}

// addGraphs adds the modules that write files in other programs' forms. When it fails, it
// still returns the modules that it made before, so that the caller can abandon them.
func (o *analyzeOptions) addGraphs(eo *engine.Options) (made []graphWriter, err error) {
	if o.xplot != "" {
		graphs, err := tcptrace.NewGraphs(o.xplot)
		if err != nil {
			return made, err
		}
		eo.Modules, made = append(eo.Modules, graphs), append(made, graphs)
	}
	if o.mptcptrace != "" {
		statistics, err := tcptrace.NewStatistics(o.mptcptrace, eo.Paths[0])
		if err != nil {
			return made, err
		}
		eo.Modules, made = append(eo.Modules, statistics), append(made, statistics)
	}
	return made, nil
}

// addTrace makes the engine give the rows that a file of trace events takes; nil for none.
func (o *analyzeOptions) addTrace(eo *engine.Options) (*traceevents.Writer, error) {
	if o.trace == "" {
		return nil, nil
	}
	w, err := traceevents.New(o.trace)
	if err == nil {
		eo.Rows, eo.Changes = w, true
		eo.Series = func(metric string) bool { return metric == traceevents.Metric }
	}
	return w, err
}

// details are the values of --tcp.
var details = map[string]report.Detail{"all": report.WithData, "summary": report.Summary, "none": report.NoTCP}

// hashLimit returns the size of the largest file that is hashed, in bytes.
func hashLimit(when string) int64 {
	return map[string]int64{"auto": 16 << 20, "always": math.MaxInt64}[when]
}

// abandon leaves the directories as they were, as there is no report; tables and trace may be nil.
func abandon(drawings []graphWriter, tables *csvtables.Writer, trace *traceevents.Writer) {
	for _, d := range drawings {
		d.Abandon()
	}
	if tables != nil {
		tables.Abandon()
	}
	if trace != nil {
		trace.Abandon()
	}
}

// withProgress calls analyze and shows a progress line meanwhile.
func withProgress[R any](a *app, ctx context.Context, eo engine.Options, analyze func(context.Context, engine.Options) (R, error)) (R, error) {
	eo.Progress = new(engine.Progress)
	defer a.showProgress(eo.Progress)()
	return analyze(ctx, eo)
}

// run analyses captures and shows a progress line meanwhile.
func (a *app) run(ctx context.Context, eo engine.Options) (*report.Document, error) {
	return withProgress(a, ctx, eo, a.engine.Analyze)
}

// stored analyses captures and shows a progress line meanwhile. If there is a report, it calls
// use with it. The error is that of the analysis and that of use.
func (a *app) stored(ctx context.Context, eo engine.Options, use func(*report.Stored) error) error {
	s, err := withProgress(a, ctx, eo, a.engine.Stored)
	if s == nil {
		return err
	}
	defer s.Close()
	return errors.Join(err, use(s))
}

// track does what [app.run] does, but derives no metrics.
func (a *app) track(ctx context.Context, eo engine.Options) (*report.Document, error) {
	return withProgress(a, ctx, eo, a.engine.Track)
}

// write writes the report to where the flags say. Files come first: a reader of standard
// output that closes it early does not prevent them.
func (a *app) write(s report.Source, o *analyzeOptions, tables *csvtables.Writer) error {
	if tables != nil {
		if err := errors.Join(tables.Document(s), tables.Close()); err != nil {
			return err
		}
		if n := tables.OmittedCells(); n > 0 {
			a.sayWarnings([]string{fmt.Sprintf("series.csv leaves out %d cells without data: of a long pause it has only the first and the last cell", n)})
		}
	}
	switch o.json {
	case "-":
		return jsonreport.Write(a.Out, s)
	case "":
	default:
		if err := writeJSON(o.json, s); err != nil {
			return err
		}
	}
	return plaintext.Summary(a.Out, s, o.outputOptions.options(&a.Streams))
}

func writeJSON(name string, s report.Source) error {
	return output.Write(name, func(w io.Writer) error { return jsonreport.Write(w, s) })
}

// seriesNames splits the list of --series. It replaces each name by the name that the metric
// has in series.csv.
func seriesNames(list string) []string {
	names := strings.Split(list, ",")
	for i := range names {
		names[i] = ownName(strings.TrimSpace(names[i]))
	}
	return names
}

// ownName takes any name of a metric and returns the name that the metric has in series.csv.
// If no metric or several metrics have the given name, it returns the given name.
func ownName(name string) string {
	resolved, err := catalogue.Resolve(metrics.Table(), name)
	switch {
	case err != nil:
		return name
	case strings.Contains(resolved, "."):
		return resolved
	}
	return catalogue.Lookup(metrics.Table(), resolved)[0].Name
}

// checkSeries refuses a list of --series with an unknown name. more are further names.
func checkSeries(list string, more ...string) error {
	if list == "all" || list == "none" {
		return nil
	}
	var errs []error
	known := slices.Concat(metrics.SeriesNames(), evidence.SeriesNames(), more)
	for _, name := range seriesNames(list) {
		if !slices.Contains(known, name) {
			said := cmp.Or(catalogue.DidYouMean(name, known), "; want all, none, or some of: "+strings.Join(known, ", "))
			errs = append(errs, fmt.Errorf("--series: no series %q%s", name, said))
		}
	}
	return errors.Join(errs...)
}

// checkSeriesFamilies refuses a series in the list of --series if its family is not computed.
func (o *analyzeOptions) checkSeriesFamilies() error {
	var errs []error
	for _, name := range seriesNames(o.series) {
		errs = append(errs, o.families.refuse("--series", name, metrics.FamilyOf(name)))
	}
	return errors.Join(errs...)
}

// wantedSeries reads the list of --series and returns a function that reports whether a
// metric is in it. It returns nil if no series is wanted.
func wantedSeries(list string) func(string) bool {
	switch list {
	case "none":
		return nil
	case "all":
		return func(metric string) bool { return !evidence.OfFigures(metric) }
	}
	names := seriesNames(list)
	return func(metric string) bool { return slices.Contains(names, metric) }
}
