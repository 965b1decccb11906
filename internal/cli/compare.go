package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
)

// compareOptions is the command line of compare.
type compareOptions struct {
	source
	pattern    string
	manifest   string
	baseline   []string
	interval   time.Duration
	skip       time.Duration
	connection int
	direction  string
	mix        bool
	jobs       int
	cache      string
	noCache    bool
	table      string
	metrics    []string
	json       string
	csv        string
	markdown   string
	html       string
	latex      string
	failOn     []string
	confidence float64
	rank       rankOptions
	reference  string
	qoe        metrics.QoE
	families
}

const compareHelp = `Compare scenarios, each of several runs: mean, standard deviation, median,
extremes and 95 % bootstrap interval of every figure, which scenario is better
and whether that is more than noise (Mann-Whitney, Holm's correction).

A run is a capture or a report (*.json, from analyze --json). Of several
connections in it the one with the most data bytes counts, unless --connection
names another. Runs are named on the command line, by --pattern or by
--manifest, and analysed on all cores. One that is broken, empty, no capture or
without Multipath TCP is named, skipped and counted; the exit status is 2 then.

Figures are named as in reports, below the direction and, for a subflow, the
label of its path: b2a.protocol_delay_ms.avg, b2a.LTE1.srtt_ms.max. Give paths
their labels with --label, so that a path has one name in every run. Of
several subflows on one path the one with the most bytes has its label, the
others LABEL#2 and so on.

With --baseline the scenarios are held against an earlier campaign, and
--fail-on makes the exit status 3 where a metric got worse by more than that,
with the whole interval of --confidence beyond the limit.`

const compareExamples = `  mpanalyze compare LIA=a1.pcap,a2.pcap,a3.pcap BALIA=b1.pcap,b2.pcap,b3.pcap
  mpanalyze compare --pattern 'runs/{scenario}/run{run}/client.pcap' --latex=table.tex
  mpanalyze compare --manifest runs.csv --table mix --rank bytes --max-retransmission 2% --max-share LTE=10% --steady hour
  mpanalyze compare --pattern '{scenario}/run{run}/server.pcap' --table rec16 --reference LIA
  mpanalyze compare new=n1.pcap,n2.pcap,n3.pcap --baseline old=o1.pcap,o2.pcap,o3.pcap --fail-on 'protocol_delay>5%'`

func newCompare(a *app) *cobra.Command {
	o := &compareOptions{}
	c := &cobra.Command{
		Use:     "compare [NAME=FILE,FILE,...]...",
		Short:   "Compare scenarios over their runs",
		Long:    compareHelp,
		Example: compareExamples,
		RunE: func(c *cobra.Command, args []string) error {
			return a.compare(c, o, args)
		},
	}
	o.source.register(c)
	o.families.register(c)
	f := c.Flags()
	f.StringVar(&o.pattern, "pattern", "", "find runs in a folder tree, as in '`{scenario}/run{run}/client.pcap`'; any other {name} is a label")
	f.StringVar(&o.manifest, "manifest", "", "read runs from a CSV `FILE` with columns scenario, run, files, vantage and any labels")
	f.StringArrayVar(&o.baseline, "baseline", nil, "scenario of the campaign to hold against: `NAME=FILE,FILE,...`; may be repeated")
	f.DurationVar(&o.interval, "interval", 100*time.Millisecond, "cell of the sampling grid; 0: a sample per DATA_ACK")
	f.DurationVar(&o.skip, "skip", 0, "leave the first part of each connection out of delays, order, rates and shares")
	f.IntVar(&o.connection, "connection", campaign.AnyConnection, "take the connection with this `ID` of each run; default: the one with the most data")
	f.StringVar(&o.direction, "direction", "", "`direction` of the tables: a2b or b2a; default: that of most data")
	f.BoolVar(&o.mix, "mix-vantages", false, "take runs of a scenario together although they were captured at different places")
	f.IntVar(&o.jobs, "jobs", 0, "runs analysed at once; default: the number of cores")
	f.StringVar(&o.cache, "cache", "", "keep figures of runs in the directory `DIR`; default: one below the user's cache directory")
	f.BoolVar(&o.noCache, "no-cache", false, "analyse every run anew and keep nothing")
	registerQoE(c, &o.qoe)
	o.registerOutput(c)
	o.rank.register(c)
	c.MarkFlagsMutuallyExclusive("cache", "no-cache")
	c.MarkFlagsMutuallyExclusive("table", "metric")
	complete(c, "direction", "a2b", "b2a")
	complete(c, "table", campaign.Layouts()...)
	return c
}

func (o *compareOptions) registerOutput(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.table, "table", "fi23", "which `table`: fi23, fed23, qoe24, rec16, mix or matrix (of scenarios named X/Y or X_Y)")
	f.StringArrayVar(&o.metrics, "metric", nil, "rows of the table instead: a `METRIC`, one with a statistic, or a figure with * for any text; may be repeated")
	f.StringVar(&o.reference, "reference", "", "`scenario` that the gains of --table rec16 are relative to; default: the first")
	f.StringVar(&o.json, "json", "", "write everything as JSON to `FILE`, or print it in place of the table")
	f.StringVar(&o.csv, "csv", "", "write the table as CSV to `FILE`, - to print it in place of the text")
	f.StringVar(&o.markdown, "markdown", "", "write the table as Markdown to `FILE`, or print it in place of the text")
	f.StringVar(&o.latex, "latex", "", "write the table as LaTeX (booktabs) to `FILE`, or print it in place of the text")
	f.StringVar(&o.html, "html", "", "write everything as one HTML page to `FILE`, - to print it in place of the text")
	for _, name := range []string{"json", "markdown", "latex"} {
		f.Lookup(name).NoOptDefVal = "-"
	}
	f.StringArrayVar(&o.failOn, "fail-on", nil, "exit with status 3 where this got worse against --baseline: `METRIC>AMOUNT`, as in 'protocol_delay>5%'; may be repeated")
	f.Float64Var(&o.confidence, "confidence", campaign.Confidence, "confidence of the intervals of differences, `part` of 1")
}

// check refuses values that make no sense, all at once.
func (o *compareOptions) check() error {
	err := errors.Join(
		oneOf("direction", o.direction, "", "a2b", "b2a"), oneOf("table", o.table, campaign.Layouts()...),
		checkInterval(o.interval), notNegative("skip", o.skip), o.rank.check(), checkQoE(o.qoe))
	if o.connection < campaign.AnyConnection {
		err = errors.Join(err, fmt.Errorf("--connection %d: want an id of the report, from 0", o.connection))
	}
	if o.jobs < 0 {
		err = errors.Join(err, fmt.Errorf("--jobs %d: want a number of runs", o.jobs))
	}
	if !(o.confidence > 0 && o.confidence < 1) {
		err = errors.Join(err, fmt.Errorf("--confidence %v: want a part of 1, as in 0.95", o.confidence))
	}
	if len(o.failOn) > 0 && len(o.baseline) == 0 {
		err = errors.Join(err, errors.New("--fail-on: needs a --baseline to be worse than"))
	}
	return errors.Join(err, o.checkFamilies())
}

// checkFamilies refuses options that need a family of metrics that is not computed.
func (o *compareOptions) checkFamilies() error {
	_, err := o.families.omit()
	if len(o.metrics) == 0 {
		for _, m := range campaign.LayoutMetrics(o.table) {
			err = errors.Join(err, o.families.refuseFigures("--table "+o.table, m))
		}
	}
	for _, m := range o.metrics {
		err = errors.Join(err, o.families.refuseFigures("--metric "+m, m))
	}
	for _, text := range o.failOn {
		metric, _, _ := strings.Cut(text, ">")
		err = errors.Join(err, o.families.refuseFigures("--fail-on "+text, strings.TrimSpace(metric)))
	}
	return err
}

// inputs collects the runs of all sources.
func (o *compareOptions) inputs(args []string) (all []campaign.Input, err error) {
	add := func(in []campaign.Input, e error) {
		all, err = append(all, in...), errors.Join(err, e)
	}
	for _, text := range args {
		add(campaign.ParseScenario(text))
	}
	if o.pattern != "" {
		add(campaign.Find(o.pattern))
	}
	if o.manifest != "" {
		add(campaign.ReadManifest(o.manifest))
	}
	if err == nil && len(all) == 0 {
		err = errors.New("no run given; name scenarios as NAME=FILE,FILE,... or use --pattern or --manifest")
	}
	for _, text := range o.baseline {
		in, e := campaign.ParseScenario(text)
		for i := range in {
			in[i].Baseline = true
		}
		add(in, e)
	}
	return all, err
}

// engineOptions checks the command line and turns it into the engine's options.
func (o *compareOptions) engineOptions(a *app, c *cobra.Command, args []string) (engine.CampaignOptions, error) {
	eo, err := o.source.options(a, c, nil)
	if err != nil {
		return engine.CampaignOptions{}, err
	}
	if err := o.check(); err != nil {
		return engine.CampaignOptions{}, &usageError{c.CommandPath(), err}
	}
	inputs, err := o.inputs(args)
	if err != nil {
		return engine.CampaignOptions{}, &usageError{c.CommandPath(), err}
	}
	eo.Omit, _ = o.families.omit() // checked
	eo.Interval, eo.Skip, eo.QoE = o.interval, o.skip, o.qoe
	return engine.CampaignOptions{
		Inputs: inputs, Options: eo, Connection: o.connection, Workers: o.jobs,
		Analyze: a.engine.Analyze, Cache: a.runCache(o),
	}, nil
}
