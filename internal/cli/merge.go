package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/split"
	"mpanalyze/internal/storage"
)

// mergeOptions is the command line of merge.
type mergeOptions struct {
	naming
	outputOptions
	json     string // as in analyzeOptions
	csv      string // the same
	interval time.Duration
	skip     time.Duration
	until    time.Duration
	tcp      string
	qoe      metrics.QoE
	player
	regret bool
	kernel kernelFlag
	part   int // 0 for all
}

const mergeHelp = `Report on the parts of a capture that split wrote, as analyze reports on the whole.

The report is that of analyze with the same options on the whole capture, byte for byte:
numbers of connections and packets, warnings, verdicts on several connections.
DIR/split.json lists the parts and says how the capture was read.

With --part, merge analyses one part and writes the result to DIR. Without it, merge
uses such results of the same options and the same build, and analyses the parts that
have none.

--csv writes the tables of the report: connections.csv, subflows.csv and tcp.csv.
Series, chunks, mappings and events are in the order of the capture, and results do
not have them: use analyze --csv, on the capture or on a part. Only analyze has
--metrics, because merge computes all metrics. Only analyze on the whole capture has
--fairness, because it compares connections that may be in several parts.`

const mergeExamples = `  mpanalyze merge parts --json=report.json
  mpanalyze merge parts --part 3     # on any machine
  mpanalyze merge parts              # once, when all parts are done
  mpanalyze merge parts --csv tables`

func newMerge(a *app) *cobra.Command {
	o := &mergeOptions{}
	c := &cobra.Command{
		Use:     "merge DIR",
		Short:   "Report on the parts of a split capture together",
		Long:    mergeHelp,
		Example: mergeExamples,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{c.CommandPath(), errors.New("want one directory, which split --out wrote")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return a.merge(c, o, args[0])
		},
	}
	o.naming.register(c)
	o.kernel.register(c)
	o.outputOptions.register(c)
	registerQoE(c, &o.qoe)
	o.player.register(c)
	registerRegret(c, &o.regret)
	f := c.Flags()
	f.StringVar(&o.json, "json", "", "write the report as JSON to `FILE`, or print it in place of the summary")
	f.Lookup("json").NoOptDefVal = "-"
	f.StringVar(&o.csv, "csv", "", "write the tables of the report into the directory `DIR`: connections, subflows, plain TCP")
	f.DurationVar(&o.interval, "interval", 100*time.Millisecond, "length of a cell of the sampling grid; 0: a sample per DATA_ACK")
	f.DurationVar(&o.skip, "skip", 0, "leave out this much time after each direction's first data, in delays, order, rates and shares")
	f.DurationVar(&o.until, "until", 0, "leave out data later than this after each direction's first data, like --skip; 0: none")
	f.StringVar(&o.tcp, "tcp", "all", "report plain TCP connections; `WHAT` is all (those without data in short), summary (all in short) or none")
	f.IntVar(&o.part, "part", 0, "analyse only the part with this `number`, from 1, and leave its result in DIR")
	complete(c, "tcp", "all", "summary", "none")
	return c
}

func (o *mergeOptions) engineOptions(a *app, c *cobra.Command) (engine.Options, error) {
	eo := engine.Options{
		Connection: engine.AllConnections, Version: a.programVersion(), Interval: o.interval, Skip: o.skip, Until: o.until, QoE: o.qoe,
		Detail: details[o.tcp], Regret: o.regret,
	}
	played, unplayed := o.player.options(c)
	eo.Player = played
	err := errors.Join(oneOf("tcp", o.tcp, "all", "summary", "none"), checkInterval(o.interval), checkSpan(o.skip, o.until),
		checkQoE(o.qoe), o.outputOptions.check(), unplayed)
	if o.part < 0 {
		err = errors.Join(err, fmt.Errorf("--part %d: want the number of a part, from 1", o.part))
	}
	if o.part > 0 && c.Flags().Changed("json") {
		err = errors.Join(err, errors.New("--json beside --part: a result is no report; merge without --part writes that of all parts"))
	}
	if o.part > 0 && o.csv != "" {
		err = errors.Join(err, errors.New("--csv beside --part: a result is no table; merge without --part writes those of all parts"))
	}
	if err = errors.Join(err, o.naming.apply(&eo), o.kernel.apply(&eo)); err != nil {
		err = &usageError{c.CommandPath(), err}
	}
	return eo, err
}

// details are the values of --tcp.
var details = map[string]report.Detail{"all": report.WithData, "summary": report.Summary, "none": report.NoTCP}

func (a *app) merge(c *cobra.Command, o *mergeOptions, dir string) error {
	eo, err := o.engineOptions(a, c)
	if err != nil {
		return err
	}
	x, err := split.ReadIndex(dir)
	if err != nil {
		return err
	}
	inputs := []string{storage.Join(dir, split.IndexName)}
	for i := range x.Parts {
		inputs = append(inputs, storage.Join(dir, x.Parts[i].File), storage.Join(dir, x.Parts[i].Steps))
	}
	if err := a.keepApart(c, inputs, outputs{files: []string{o.json}, dirs: []outputDir{{o.csv, ".csv"}}}); err != nil {
		return err
	}
	if o.part > 0 {
		return a.mergePart(c, o, dir, x, eo)
	}
	var tables *csvtables.Writer
	if o.csv != "" {
		if tables, err = csvtables.New(o.csv, csvtables.Options{Report: true}); err != nil {
			return err
		}
	}
	eo.Progress = new(engine.Progress)
	done := a.showProgress(eo.Progress)
	s, err := a.engine.Merge(c.Context(), dir, eo)
	done()
	if s == nil {
		abandon(nil, tables)
		return err
	}
	defer s.Close()
	return errors.Join(err, a.write(s, &analyzeOptions{json: o.json, outputOptions: o.outputOptions}, tables))
}

// mergePart analyses one part and writes its result into the directory.
func (a *app) mergePart(c *cobra.Command, o *mergeOptions, dir string, x *split.Index, eo engine.Options) error {
	eo.Progress = new(engine.Progress)
	done := a.showProgress(eo.Progress)
	err := a.engine.MergePart(c.Context(), dir, o.part, eo)
	done()
	if err != nil {
		return err
	}
	p := &x.Parts[o.part-1]
	_, err = fmt.Fprintf(a.Out, "%s: %d MPTCP and %d TCP connections, their result is in %s\n", p.File, p.Multipath, p.Connections-p.Multipath, dir)
	return err
}
