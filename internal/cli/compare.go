package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/runs"
)

// compareOptions is the command line of compare.
type compareOptions struct {
	runOptions
	results    []string
	incomplete bool
	direction  string
	mixing     mixing
	within     string
	factor     string
	noCache    bool
	table      string
	metrics    []string
	json       string
	csv        string
	values     string
	parquet    string // directory
	artefact   string // directory
	latex      string
	output     []string // files; their endings say what is in them
	failOn     []string
	limits     []campaign.Limit // of failOn
	confidence float64
	rank       rankOptions
	look       tableOptions
}

func newCompare(a *app) *cobra.Command {
	o := &compareOptions{}
	c := command("compare", nil, withOptions(a.compare, o))
	o.runOptions.register(c)
	f := c.Flags()
	f.StringArrayVar(&o.results, "results", nil, "read results of mpanalyze task from a `DIR`ectory or file, in place of captures; may be repeated; with --manifest or --pattern only those of the runs in that list")
	choose(f, &o.direction, "direction", "", "`direction` of the tables: a2b or b2a; default: that of most data", "a2b", "b2a")
	reads(c, "results")
	o.mixing.register(c).BoolVar(&o.incomplete, "incomplete", false, "with --results: results of some runs alone, as the others have none yet")
	f.StringVar(&o.within, "within", "", "compare only scenarios that have this `FACTOR` in common, as in scheduler")
	f.StringVar(&o.factor, "factor", "", "show main effects: a column for each value of this `FACTOR`, medians over the other factors")
	f.BoolVar(&o.noCache, "no-cache", false, "analyse every run again and cache nothing; default: figures are cached in mpanalyze/figures below XDG_CACHE_HOME or the user's cache directory")
	o.registerOutput(c)
	o.rank.register(c)
	o.look.register(c)
	c.MarkFlagsMutuallyExclusive("within", "factor", "rank")
	c.MarkFlagsMutuallyExclusive("table", "metric")
	complete(c, "metric", noSpace, describedMetrics)
	complete(c, "rank", noFile, describedMetrics)
	complete(c, "fail-on", noSpace, limitStarts)
	return c
}

func (o *compareOptions) registerOutput(c *cobra.Command) {
	f := c.Flags()
	choose(f, &o.table, "table", "fi23", "which `table`: fi23 (also the rows of FED23), qoe24, rec16, aggregation (over --single), time_account (percent of the time in each state), mix or matrix (of scenarios named X/Y or X_Y)", campaign.Layouts()...)
	f.StringSliceVar(&o.metrics, "metric", nil, "rows of the table, in place of --table: a `LIST` of metrics, metrics with a statistic (srtt.max), or names of figures with * for any text; may be repeated")
	f.StringVar(&o.json, "json", "", "write everything as JSON to `FILE`, or print it in place of the table")
	f.StringVar(&o.csv, "csv", "", "write the table as CSV to `FILE`, - to print it in place of the text")
	f.StringVar(&o.values, "values", "", "write every figure of every run as CSV to `FILE`, - to print it in place of the text: scenario, factors, labels, run, direction, path, metric, unit, value, role, end")
	f.StringVar(&o.parquet, "parquet", "", "write table.parquet and values.parquet into the directory `DIR`: the rows and columns of --csv and --values as Parquet")
	f.StringVar(&o.artefact, "artefact", "", "write into the directory `DIR` what reviewers need: hashes of captures, options, tables, figures, values, and a script that makes all again and compares the bytes")
	f.StringVar(&o.latex, "latex", "", "write the table as LaTeX (booktabs) to `FILE`, or print it in place of the text")
	f.StringArrayVarP(&o.output, "output", "o", nil, "`FILE` to write: .html for a page of everything, .md for the table as Markdown, -.html or -.md to print that in place of the text; may be repeated")
	writes(c, "json", "csv", "values", "latex", "output")
	writesInto(c, "parquet", "table.parquet", "values.parquet")
	writesInto(c, "artefact", artefactNames()...)
	for _, name := range []string{"json", "latex"} {
		f.Lookup(name).NoOptDefVal = "-"
	}
	f.StringArrayVar(&o.failOn, "fail-on", nil, "exit with status 3 where a metric is worse than in --baseline by more than this: `METRIC>AMOUNT`, as in 'protocol_delay>5%' or 'path.LTE.srtt>3ms'; may be repeated")
	registerForms(c)
	f.Float64Var(&o.confidence, "confidence", campaign.Confidence, "confidence of tests and of intervals, a `part` of 1")
}

// check refuses values that make no sense, all at once.
func (o *compareOptions) check(c *cobra.Command) error {
	_, against := o.against()
	return errors.Join(
		o.runOptions.check(c), o.rank.check(), o.checkResults(c),
		refuse(o.artefact != "" && len(o.results) > 0, "--artefact beside --results: name the captures, so that they can be analysed again"),
		refuse(!(o.confidence > 0 && o.confidence < 1), "--confidence %v: want a part of 1, as in 0.95", o.confidence),
		refuse(o.look.digits < 0 || o.look.digits > 6, "--style digits=%d: want 0 to 6", o.look.digits),
		refuse(o.look.symbols && (o.table != "fi23" || len(o.metrics) > 0), "--style symbols: is for --table fi23, whose paper has symbols"),
		o.refuseNoSingle(len(o.single)+len(o.results) == 0), against,
		refuse(len(o.failOn) > 0 && len(o.baseline)+len(o.results) == 0, "--fail-on needs --baseline NAME=FILE,FILE,..., the runs to compare with, or --baseline NAME, a scenario among the runs"),
		refuse(o.within+o.factor != "" && len(o.metrics) == 0 && slices.Contains([]string{"rec16", "mix", "matrix"}, o.table), "--within and --factor: --table %s compares all scenarios; want fi23, qoe24 or --metric", o.table),
		o.checkMetrics())
}

// refuseNoSingle refuses the table of aggregation benefits without runs over one path alone.
func (o *compareOptions) refuseNoSingle(none bool) error {
	return refuse(o.table == campaign.AggregationName && none, "--table aggregation needs --single for each path, as in --single wifi=w1.pcap,w2.pcap --single LTE=l1.pcap,l2.pcap")
}

// checkMetrics refuses metrics that there are none of, and outputs of no form. It reads --fail-on.
func (o *compareOptions) checkMetrics() (err error) {
	for _, m := range o.metrics {
		err = errors.Join(err, checkMetric("--metric", m))
	}
	if o.rank.by != "" {
		err = errors.Join(err, checkMetric("--rank", o.rank.by))
	}
	for _, name := range o.output {
		err = errors.Join(err, refuse(ending(name) != ".html" && ending(name) != ".md", "--output %s: want a name that ends in .html or .md; --csv, --json and --latex write other forms", name))
	}
	o.limits = nil
	for _, text := range o.failOn {
		l, e := campaign.ParseLimit(text)
		o.limits, err = append(o.limits, l), errors.Join(err, flagError("fail-on", e))
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
		err = refuse(len(args) > 0, "%s beside --results: want one or the other", strings.Join(args, " "))
		if err == nil {
			co.Inputs, err = listedRuns(o.pattern, o.manifest, nil)
		}
	} else if co.Inputs, err = o.inputs(args); err == nil {
		err = o.checkHashed(co.Inputs)
	}
	return co, mistakes(c, err)
}

// checkGiven refuses a path, factor or label of a run that no run has.
func (o *compareOptions) checkGiven(set *campaign.Set) error {
	r := o.rank.parsed
	err := errors.Join(o.end.checkRuns(set), flagError("baseline:", set.CheckAgainst()), flagError("within:", set.CheckFactor(o.within)), flagError("factor:", set.CheckFactor(o.factor)))
	for _, l := range r.MaxShare {
		err = errors.Join(err, flagError("limit:", set.CheckPath(l.Path)))
	}
	return errors.Join(err, flagError("steady:", set.CheckLabel(r.Steady)))
}
