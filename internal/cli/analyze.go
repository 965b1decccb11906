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
)

// analyzeOptions is the command line of analyze.
type analyzeOptions struct {
	session
	outputOptions
	json       jsonOutput
	csv        string // directory, "" for none
	parquet    string // directory, "" for none
	xplot      string // directory, "" for none
	mptcptrace string // directory, "" for none
	tables     tableList
	tcp        string
	families
	gates
}

func newAnalyze(a *app) *cobra.Command {
	o := &analyzeOptions{}
	c := command("analyze", o.both.orFiles, withOptions(a.analyze, o))
	o.session.register(c)
	o.outputOptions.register(c)
	o.families.register(c)
	o.gates.register(c)
	f := c.Flags()
	o.json.register(c, "the report as JSON")
	f.StringVar(&o.csv, "csv", "", "write tables into the directory `DIR`")
	f.StringVar(&o.parquet, "parquet", "", "write the tables of --csv as Parquet into the directory `DIR`: the same rows, columns, names and types")
	f.StringVar(&o.xplot, "xplot", "", "write graphs for xplot, as tcptrace and mptcptrace draw them, into the directory `DIR`")
	f.StringVar(&o.mptcptrace, "mptcptrace", "", "write the files that mptcptrace -w 2 writes, by its definitions, into the directory `DIR`")
	f.DurationVar(&o.eo.Interval, "interval", 100*time.Millisecond, "length of a cell of the sampling grid; 0: a sample per DATA_ACK")
	f.DurationVar(&o.eo.Skip, "from", 0, "leave out data before this time after each direction's first data, in delays, order, rates and shares")
	f.DurationVar(&o.eo.Until, "to", 0, "leave out data later than this time after each direction's first data, like --from; 0: none")
	choose(f, (*string)(&o.eo.Direction), "direction", "", "report only on one `direction`: a2b or b2a; default: both", "a2b", "b2a")
	o.tables.register(c, "chunks,series", "what is written besides the tables that --csv and --parquet always write: a `LIST` of chunks (chunks.csv), packets (packets.csv of captures of both hosts: each packet with payload, with its times in both), series (series.csv with all metrics), names of metrics (series.csv with these alone) and hash (SHA-256 of the captures in --json: a second of CPU time for each GB), or none", "chunks", "packets", "hash")
	choose(f, &o.tcp, "tcp", "all", "report plain TCP connections; `WHAT` is all (those without data in short), summary (all in short) or none", "all", "summary", "none")
	o.both.clock.register(c)
	o.both.end.register(c, "", "with captures of both hosts, take what both show from this `END`: sender or receiver of the data; default: the sender's figures, with the receiver's order and head-of-line blocking")
	registerQoE(c, &o.eo.QoE)
	writesInto(c, "csv", "*.csv")
	writesInto(c, "parquet", "*.parquet")
	writesInto(c, "xplot", "*.xpl")
	writesInto(c, "mptcptrace", "*.csv")
	return c
}

// check refuses what does not go together, and values that make no sense.
func (o *analyzeOptions) check(c *cobra.Command) error {
	errs := []error{
		checkInterval(o.eo.Interval), checkSpan(o.eo.Skip, o.eo.Until), o.tables.check(), o.outputOptions.check(),
		o.gates.check(&o.families, o.eo.Direction),
		refuse(o.tables.has("packets") && !o.both.given(), "--tables packets needs captures of both hosts: --both FILE FILE"),
		refuse(o.tables.has("packets") && o.both.given() && o.csv+o.parquet == "", "--tables packets needs --csv DIR, the directory for packets.csv, or --parquet DIR"),
	}
	for _, flag := range []string{"clock", "end"} {
		errs = append(errs, refuse(c.Flags().Changed(flag) && !o.both.given(), "--%s needs captures of both hosts: --both FILE FILE", flag))
	}
	for _, name := range o.tables.series() {
		errs = append(errs, o.families.refuse("--tables", name, metrics.FamilyOf(name)))
	}
	return errors.Join(errs...)
}

func (a *app) analyze(c *cobra.Command, o *analyzeOptions, args []string) error {
	omit, unknown := o.families.omit()
	eo, err := o.session.options(a, c, args, o.check(c), unknown)
	if err != nil {
		return err
	}
	eo.Omit = omit
	eo.Detail = map[string]report.Detail{"all": report.WithData, "summary": report.Summary, "none": report.NoTCP}[o.tcp]
	if o.json != "" && o.tables.has("hash") {
		eo.HashLimit = math.MaxInt64
	}
	files, err := o.files(a, &eo)
	reported := false
	defer func() {
		for _, f := range files {
			if !reported {
				f.abandon()
			}
		}
	}()
	if err != nil {
		return err
	}
	return a.stored(c.Context(), eo, func(s *report.Stored) error {
		reported = true
		if eo.Direction != "" {
			report.Only(s, eo.Direction)
		}
		var err error
		for _, f := range files { // first, so that a reader of standard output who closes it early does not prevent them
			err = errors.Join(err, f.finish(s))
		}
		written := o.json.write(a, func(w io.Writer) error { return jsonreport.Write(w, s) },
			func(w io.Writer) error { return plaintext.Summary(w, s, o.outputOptions.options(&a.Streams)) })
		return errors.Join(err, written, o.gates.judge(a, s))
	})
}

// outFile is a file or directory that analyze writes beside its report. finish is called with the report; abandon leaves
// all as it was, where there is no report.
type outFile struct {
	abandon func()
	finish  func(*report.Stored) error
}

// files opens what the flags ask for besides the report, and has the engine fill it. When it fails, it still returns what it
// opened before.
func (o *analyzeOptions) files(a *app, eo *engine.Options) (made []outFile, err error) {
	if o.csv != "" || o.parquet != "" {
		eo.Series, eo.Changes = o.tables.wanted(), true
		w, err := csvtables.New(o.csv, csvtables.Options{Parquet: o.parquet, Series: eo.Series != nil, Chunks: o.tables.has("chunks"), Packets: o.tables.has("packets")})
		if err != nil {
			return made, err
		}
		if eo.Rows = w; o.tables.has("packets") {
			eo.Packets = w
		}
		made = append(made, outFile{w.Abandon, func(s *report.Stored) error { return a.finishTables(w, s) }})
	}
	if o.xplot != "" {
		w, err := tcptrace.NewGraphs(o.xplot)
		if err != nil {
			return made, err
		}
		eo.Modules = append(eo.Modules, w)
		made = append(made, outFile{w.Abandon, func(*report.Stored) error { return w.Finish() }})
	}
	if o.mptcptrace != "" {
		w, err := tcptrace.NewStatistics(o.mptcptrace, eo.Paths[0])
		if err != nil {
			return made, err
		}
		eo.Modules = append(eo.Modules, w)
		made = append(made, outFile{w.Abandon, func(*report.Stored) error { return w.Finish() }})
	}
	return made, nil
}

// finishTables writes the tables of the report, and says how many cells they leave out.
func (a *app) finishTables(w *csvtables.Writer, s report.Source) error {
	if err := errors.Join(w.Document(s), w.Close()); err != nil {
		return err
	}
	if n := w.OmittedCells(); n > 0 {
		a.sayWarnings([]string{fmt.Sprintf("series.csv leaves out %d cells without data: of a long pause it has only the first and the last cell", n)})
	}
	return nil
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

// track does what [app.run] does, but derives no metrics: these modules see the packets.
func (a *app) track(ctx context.Context, eo engine.Options, modules ...conn.Module) (*report.Document, error) {
	eo.Modules = append(eo.Modules, modules...)
	return withProgress(a, ctx, eo, a.engine.Track)
}
