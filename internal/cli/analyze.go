package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/spf13/cobra"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/metrics"
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
	json       jsonOutput
	csv        string // directory, "" for none
	parquet    string // directory, "" for none
	xplot      string // directory, "" for none
	mptcptrace string // directory, "" for none
	trace      string // file, "" for none
	tables     tableList
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
	o.json.register(c, "the report as JSON")
	f.StringVar(&o.csv, "csv", "", "write tables into the directory `DIR`")
	f.StringVar(&o.parquet, "parquet", "", "write the tables of --csv as Parquet into the directory `DIR`: the same rows, columns, names and types")
	f.StringVar(&o.xplot, "xplot", "", "write graphs for xplot, as tcptrace and mptcptrace draw them, into the directory `DIR`")
	f.StringVar(&o.mptcptrace, "mptcptrace", "", "write the files that mptcptrace -w 2 writes, by its definitions, into the directory `DIR`")
	f.StringVar(&o.trace, "trace", "", "write subflows, states of their time, handovers and verdicts as trace events to `FILE`, which ui.perfetto.dev opens; not with --csv or --parquet")
	f.DurationVar(&o.eo.Interval, "interval", 100*time.Millisecond, "length of a cell of the sampling grid; 0: a sample per DATA_ACK")
	f.DurationVar(&o.eo.Skip, "from", 0, "leave out data before this time after each direction's first data, in delays, order, rates and shares")
	f.DurationVar(&o.eo.Until, "to", 0, "leave out data later than this time after each direction's first data, like --from; 0: none")
	f.IntVar(&o.eo.Connection, "connection", engine.AllConnections, "report only on the connection with this `ID`; default: all")
	choose(f, (*string)(&o.eo.Direction), "direction", "", "report only on one `direction`: a2b or b2a; default: both", "a2b", "b2a")
	o.tables.register(c, "chunks,series", "what is written besides the tables that --csv and --parquet always write: a `LIST` of chunks (chunks.csv), packets (packets.csv of captures of both hosts: each packet with payload, with its times in both), series (series.csv with all metrics), names of metrics (series.csv with these alone) and hash (SHA-256 of the captures in --json: a second of CPU time for each GB), or none", "chunks", "packets", "hash")
	choose(f, &o.tcp, "tcp", "all", "report plain TCP connections; `WHAT` is all (those without data in short), summary (all in short) or none", "all", "summary", "none")
	o.both.clock.register(c)
	o.both.end.register(c, "", "with captures of both hosts, take what both show from this `END`: sender or receiver of the data; default: the sender's figures, with the receiver's order and head-of-line blocking")
	registerQoE(c, &o.eo.QoE)
	writes(c, "trace")
	writesInto(c, "csv", "*.csv")
	writesInto(c, "parquet", "*.parquet")
	writesInto(c, "xplot", "*.xpl")
	writesInto(c, "mptcptrace", "*.csv")
	o.further.register(c, &o.eo)
	c.MarkFlagsMutuallyExclusive("trace", "csv")
	c.MarkFlagsMutuallyExclusive("trace", "parquet")
}

// engineOptions checks the flags and turns them into the engine's options.
func (o *analyzeOptions) engineOptions(a *app, c *cobra.Command, args []string) (engine.Options, error) {
	eo, err := o.source.options(a, c, o.both.files(args))
	if err != nil {
		return eo, err
	}
	err = errors.Join(
		checkInterval(eo.Interval), checkSpan(eo.Skip, eo.Until), o.tables.check(), o.outputOptions.check(),
		o.both.end.check(c), o.checkPackets(c), o.gates.check(&o.families, eo.Direction))
	err = errors.Join(err, checkConnection(eo.Connection, engine.AllConnections))
	err = errors.Join(err, o.records.apply(&eo))
	unplayed := o.further.apply(c, &eo)
	if o.trace != "" {
		err = errors.Join(err, o.families.refuse("--trace", traceevents.Metric, metrics.FamilyOf(traceevents.Metric)))
	}
	omit, e := o.families.omit()
	if err = errors.Join(err, unplayed, e, o.checkTableFamilies()); err != nil {
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
	if o.json != "" && o.tables.has("hash") {
		eo.HashLimit = math.MaxInt64
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
		eo.Series, eo.Changes = o.tables.wanted(), true
		tables, err = csvtables.New(o.csv, csvtables.Options{Parquet: o.parquet, Series: eo.Series != nil, Chunks: o.tables.has("chunks"), Packets: o.tables.has("packets")})
		if err != nil {
			return err
		}
		eo.Rows = tables
		if o.tables.has("packets") {
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
	return o.json.write(a, func(w io.Writer) error { return jsonreport.Write(w, s) },
		func(w io.Writer) error { return plaintext.Summary(w, s, o.outputOptions.options(&a.Streams)) })
}
