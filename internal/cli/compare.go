package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/runs"
)

// compareOptions is the command line of compare.
type compareOptions struct {
	runOptions
	results    []string
	out        string // file
	incomplete bool
	direction  string
	mixing     mixing
	within     string
	factor     string
	cache      string
	noCache    bool
	table      string
	metrics    []string
	json       string
	csv        string
	values     string
	parquet    string // directory
	series     string // as in analyzeOptions
	artefact   string // directory
	markdown   string
	html       string
	latex      string
	failOn     []string
	limits     []campaign.Limit // of failOn
	ci         ciForms
	confidence float64
	rank       rankOptions
	look       tableOptions
	reference  string
}

const compareHelp = `Compare scenarios. Each has several runs. For every figure
compare gives mean, standard deviation, median, extremes and the 95 % bootstrap
interval, says which scenario is better, and whether the difference is more than
noise. The number after ± is the standard deviation of the sample (n-1).

A run is a capture or a report (*.json, from analyze --json). Of several
connections in it, compare takes the one with the most data, or the one that
--connection names. Name the runs on the command line, by --pattern or by
--manifest. Compare analyses them on all cores. It skips a run that is broken,
empty, no capture or without Multipath TCP; a message names the run, and the
exit status is 2.

A run may also be a log of ss of the host that sends: samples of ss -ti with a time
each. Then --table mix, --table matrix and --rank bytes take the kernel's counters,
last row less first sample, of every run: bytes, retransmitted segments and share of
each path. Beside captures, --rank kernel_bytes_sent does so. A column or a note of
the table says it. Every run needs them: in a folder host-a or host-b beside its
capture, or as the run itself.

--pattern finds runs: {scenario} stands for the name of the scenario, {run} for
the name of the run, "*" for any text. With {host}, each run has captures of two
hosts: compare analyses them as a pair and finds out which host sends most of the
data. Without {scenario}, every other {name} is a factor, and a scenario is a
combination of factors: '{scheduler}/{cc}/run{run}.pcap'. Beside {scenario}, it
is a label. --within scheduler compares only scenarios with the same scheduler.
--factor scheduler shows the main effects of the scheduler: medians over the
other factors. --manifest is a CSV file with the columns scenario (or factors),
run, vantage, bytes (the length of each file), any labels, and files, or sender
and receiver for captures of both hosts.

Figures have the names of the report, below the direction and, for a subflow,
the label of its path: b2a.protocol_delay_ms.avg, b2a.LTE1.srtt_ms.max. Give the
paths labels with --label, so that a path has the same name in every run. Where
several subflows use one path, the one with the most bytes has the label, the
others are LABEL#2 and so on.

One rule decides what is more than noise: between scenarios, in gains and ranks,
and against a baseline. It is the two-sided test of Mann and Whitney. Holm's
method corrects its probability for all tests of a figure; the result must be
below 1 - --confidence (0.05). With few runs, even runs that do not overlap
cannot reach that; then the answer is "cannot tell" ("?" in tables). The
smallest probability of n against n runs is 2/C(2n,n): 0.1 for 3, 0.029 for 4,
0.0079 for 5. So the test needs

  scenarios  2 (or 1 and a baseline)   3   4   5   6   7   8  10  12
  runs each  4                         5   5   6   6   6   7   7   7

and 5 runs for 2 to 6 scenarios against a baseline, 6 for up to 23.

--parquet DIR writes the table and the values of all runs for DuckDB, pandas or R;
with --series also the series of the connection that is compared in each run.

--artefact DIR leaves what reviewers need: tables, figures and values, with hashes of
the captures, options and version, and DIR/make-again.sh, which makes all of it
again and compares the bytes. The figures cost a second analysis of the runs.

Tables fit their place. On a terminal, compare cuts a table that is too wide into
panels of columns. In LaTeX, \resizebox (package graphicx) shrinks a table that is
wider than the line; then --no-spread, --digits 2 or --transpose keep letters large.
--latex-float makes it a float: table* over both columns of a page, or sideways, on a
page of its own, turned. --siunitx aligns numbers at their points.

--single gives the runs over one path alone; name it once for each path. Then
each scenario has an aggregation benefit, from mean goodputs:
(G - Cmax) / (sum C - Cmax), or (G - Cmax) / Cmax where G is below Cmax, at most
1. 0 is what the best path does alone, 1 what all paths do together. Its 95 %
interval is by bootstrap; there is none below 4 runs of any kind. The test above
says whether G is better than the best path alone, corrected for the number of
scenarios.

Each row has a test of all its scenarios: that of Mann and Whitney for two, that of
Kruskal and Wallis for more. It has the number of runs n, the probability p and the
size of the effect (Cliff's delta, epsilon squared). CSV and LaTeX always have them,
text with --tests.

--baseline NAME compares the scenarios with the one of that name, and not with one
another. Seven scenarios then make 6 comparisons in place of 21, so 5 runs each can
show a difference. In tables "*" marks those that are better than it. --baseline
NAME=FILE,FILE,... compares with an earlier campaign. --fail-on sets a limit: the
exit status is 3 where a metric got worse by more than the limit. The same test
decides, against the runs of the baseline made worse by the limit. The exit status is
5 where there are too few runs to decide, whatever their values. Status 3 comes
before 5, 5 before 2.`

const compareExamples = `  mpanalyze compare LIA=a1.pcap,a2.pcap,a3.pcap BALIA=b1.pcap,b2.pcap,b3.pcap
  mpanalyze compare --pattern 'runs/{scenario}/run{run}/client.pcap' --latex=table.tex
  mpanalyze compare --pattern 'runs/{scheduler}/{cc}/run{run}/{host}.pcap' --within scheduler
  mpanalyze compare --pattern 'runs/{scenario}/run{run}/{host}.pcap' --baseline lia --tests
  mpanalyze compare --manifest runs.csv --table mix --rank bytes --max-retransmission 2% --max-share LTE=10% --steady hour
  mpanalyze compare --pattern '{scenario}/run{run}/server.pcap' --table rec16 --reference LIA
  mpanalyze compare LIA=a1.pcap,a2.pcap --single wifi=w1.pcap,w2.pcap --single LTE=l1.pcap,l2.pcap --table aggregation
  mpanalyze compare new=n1.pcap,n2.pcap,n3.pcap,n4.pcap --baseline old=o1.pcap,o2.pcap,o3.pcap,o4.pcap --fail-on 'protocol_delay>5%'`

func newCompare(a *app) *cobra.Command {
	o := &compareOptions{}
	c := &cobra.Command{
		Use:     "compare [NAME=FILE,FILE,...]...",
		Short:   "Compare scenarios over their runs",
		Long:    compareHelp,
		Example: compareExamples,
		RunE:    withOptions(a.compare, o),
	}
	o.runOptions.register(c)
	f := c.Flags()
	f.StringArrayVar(&o.results, "results", nil, "read results of mpanalyze task from a `DIR`ectory or file, in place of captures; may be repeated; with --manifest or --pattern only those of the runs in that list")
	f.StringVar(&o.out, "out", "", "with --results: only put the results together into one `FILE`, which --results reads, and make no table; so results of many tasks are merged in steps")
	f.BoolVar(&o.incomplete, "incomplete", false, "with --results: compare the results that there are, although some runs have none yet")
	f.StringVar(&o.direction, "direction", "", "`direction` of the tables: a2b or b2a; default: that of most data")
	reads(c, "results")
	o.mixing.register(c)
	f.StringVar(&o.within, "within", "", "compare only scenarios that have this `FACTOR` in common, as in scheduler")
	f.StringVar(&o.factor, "factor", "", "show main effects: a column for each value of this `FACTOR`, medians over the other factors")
	f.StringVar(&o.cache, "cache", "", "cache figures of runs in the directory `DIR`, which must be yours with mode 0700; default: one below the user's cache directory")
	writes(c, "cache") // entries are named by hashes, so they replace no other file
	f.BoolVar(&o.noCache, "no-cache", false, "analyse every run again and cache nothing")
	o.registerOutput(c)
	o.rank.register(c)
	o.look.register(c)
	c.MarkFlagsMutuallyExclusive("cache", "no-cache")
	c.MarkFlagsMutuallyExclusive("within", "factor")
	c.MarkFlagsMutuallyExclusive("within", "rank")
	c.MarkFlagsMutuallyExclusive("factor", "rank")
	c.MarkFlagsMutuallyExclusive("table", "metric")
	complete(c, "direction", "a2b", "b2a")
	completeFrom(c, "table", campaign.Layouts)
	completeList(c, "metric", describedMetrics)
	completeFrom(c, "rank", describedMetrics)
	completeList(c, "series", describedLists)
	completeStart(c, "fail-on", limitStarts)
	return c
}

func (o *compareOptions) registerOutput(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.table, "table", "fi23", "which `table`: fi23 (also the rows of FED23), qoe24, rec16, aggregation (over --single), time_account (percent of the time in each state), mix or matrix (of scenarios named X/Y or X_Y)")
	f.StringSliceVar(&o.metrics, "metric", nil, "rows of the table, in place of --table: a `LIST` of metrics, metrics with a statistic (srtt.max), or names of figures with * for any text; may be repeated")
	f.StringVar(&o.reference, "reference", "", "`scenario` that the gains of --table rec16 are relative to; default: the first")
	f.StringVar(&o.json, "json", "", "write everything as JSON to `FILE`, or print it in place of the table")
	f.StringVar(&o.csv, "csv", "", "write the table as CSV to `FILE`, - to print it in place of the text")
	f.StringVar(&o.values, "values", "", "write every figure of every run as CSV to `FILE`, - to print it in place of the text: scenario, factors, labels, run, direction, path, metric, unit, value, role, end")
	f.StringVar(&o.parquet, "parquet", "", "write table.parquet and values.parquet into the directory `DIR`: the rows and columns of --csv and --values as Parquet")
	listVar(c, &o.series, "series", "none", "with --parquet: write series.parquet, too, by a second analysis of the runs: a `LIST` of metrics separated by commas, all, or none")
	f.StringVar(&o.artefact, "artefact", "", "write into the directory `DIR` what reviewers need: hashes of captures, options, tables, figures, values, and a script that makes all again and compares the bytes")
	f.StringVar(&o.markdown, "markdown", "", "write the table as Markdown to `FILE`, or print it in place of the text")
	f.StringVar(&o.latex, "latex", "", "write the table as LaTeX (booktabs) to `FILE`, or print it in place of the text")
	f.StringVar(&o.html, "html", "", "write everything as one HTML page to `FILE`, - to print it in place of the text")
	writes(c, "json", "csv", "values", "markdown", "latex", "html", "out")
	writesInto(c, "parquet", "*.parquet")
	writesInto(c, "artefact", artefactNames()...)
	for _, name := range []string{"json", "markdown", "latex"} {
		f.Lookup(name).NoOptDefVal = "-"
	}
	f.StringArrayVar(&o.failOn, "fail-on", nil, "exit with status 3 where a metric is worse than in --baseline by more than this: `METRIC>AMOUNT`, as in 'protocol_delay>5%' or 'path.LTE.srtt>3ms'; may be repeated")
	o.ci.register(c)
	f.Float64Var(&o.confidence, "confidence", campaign.Confidence, "confidence of tests and of intervals, a `part` of 1")
}

// check refuses values that make no sense, all at once.
func (o *compareOptions) check(c *cobra.Command) error {
	_, against := o.against()
	return errors.Join(
		oneOf("direction", o.direction, "", "a2b", "b2a"), oneOf("table", o.table, campaign.Layouts()...),
		o.runOptions.check(c), o.rank.check(), o.look.check(c), o.checkResults(c), o.checkArtefact(), o.checkSeries(), o.ci.check(len(o.failOn) > 0),
		refuse(!(o.confidence > 0 && o.confidence < 1), "--confidence %v: want a part of 1, as in 0.95", o.confidence),
		o.refuseNoSingle(len(o.single)+len(o.results) == 0), against,
		refuse(len(o.failOn) > 0 && len(o.baseline)+len(o.results) == 0, "--fail-on needs --baseline NAME=FILE,FILE,..., the runs to compare with, or --baseline NAME, a scenario among the runs"),
		o.checkFactors(), o.checkFamilies())
}

// refuseNoSingle refuses the table of aggregation benefits without runs over one path alone.
func (o *compareOptions) refuseNoSingle(none bool) error {
	return refuse(o.table == campaign.AggregationName && none, "--table aggregation needs --single for each path, as in --single wifi=w1.pcap,w2.pcap --single LTE=l1.pcap,l2.pcap")
}

// checkFactors refuses --within and --factor with a table that compares all scenarios with
// each other.
func (o *compareOptions) checkFactors() error {
	for flag, value := range map[string]string{"within": o.within, "factor": o.factor} {
		if value != "" && len(o.metrics) == 0 && slices.Contains([]string{"rec16", "mix", "matrix"}, o.table) {
			return fmt.Errorf("--%s %s: --table %s compares all scenarios; want fi23, qoe24 or --metric", flag, value, o.table)
		}
	}
	return nil
}

// checkFamilies refuses options that need a family of metrics that is not computed. It reads --fail-on.
func (o *compareOptions) checkFamilies() error {
	var err error
	if len(o.metrics) == 0 {
		for _, m := range campaign.LayoutMetrics(o.table) {
			err = errors.Join(err, o.families.refuseFigures("--table "+o.table, m))
		}
	}
	for _, m := range o.metrics {
		err = errors.Join(err, checkMetric("--metric", m), o.families.refuseFigures("--metric "+m, m))
	}
	if o.rank.by != "" {
		err = errors.Join(err, checkMetric("--rank", o.rank.by))
	}
	o.limits = nil
	for _, text := range o.failOn {
		l, e := campaign.ParseLimit(text)
		if e == nil {
			e = o.families.refuseFigures("--fail-on "+text, l.Metric())
		} else {
			e = fmt.Errorf("--fail-on %w", e)
		}
		o.limits, err = append(o.limits, l), errors.Join(err, e)
	}
	return err
}

// engineOptions checks the command line and turns it into the engine's options.
func (o *compareOptions) engineOptions(a *app, c *cobra.Command, args []string) (runs.Options, error) {
	if err := o.check(c); err != nil {
		return runs.Options{}, mistakes(c, err)
	}
	if len(o.results) == 0 { // results say themselves by which flags they were made
		o.mixing.note(c)
	}
	co, err := o.campaignOptions(a, c)
	if err != nil {
		return co, err
	}
	if len(o.results) > 0 {
		if len(args) > 0 {
			err = mistakes(c, fmt.Errorf("%s beside --results: want one or the other", args[0]))
		}
		if err == nil {
			co.Inputs, err = listedRuns(o.pattern, o.manifest, nil)
		}
		return co, err
	}
	if co.Inputs, err = o.inputs(args); err == nil {
		err = o.checkHashed(co.Inputs)
	}
	return co, mistakes(c, err)
}

// checkGiven refuses a label, path or factor of the command line that no run has.
func (o *compareOptions) checkGiven(set *campaign.Set, eo *engine.Options) error {
	errs := []error{o.end.checkRuns(set)}
	add := func(flag string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("--%s: %w", flag, err))
		}
	}
	for i, l := range eo.Labels {
		add("label "+o.labels[i], set.CheckAddress(l.Prefix))
	}
	r, _ := o.rank.parse() // checked
	for _, l := range r.MaxShare {
		add("max-share", set.CheckPath(l.Path))
	}
	add("baseline", set.CheckAgainst())
	add("within", set.CheckFactor(o.within))
	add("factor", set.CheckFactor(o.factor))
	if r.Steady != "" {
		add("steady", set.CheckLabel(r.Steady))
	}
	return errors.Join(errs...)
}
