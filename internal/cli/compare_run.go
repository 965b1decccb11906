package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/output"
	"mpanalyze/internal/report"
	"mpanalyze/internal/results"
	"mpanalyze/internal/runs"
)

func (a *app) compare(c *cobra.Command, o *compareOptions, args []string) error {
	co, err := o.engineOptions(a, c, args)
	if err != nil {
		return err
	}
	if err := a.keepApart(c, func() []string { return filesRead(co.Inputs, o.records) }); err != nil {
		return err
	}
	outcomes, unlike, err := a.outcomes(c, o, &co)
	if err != nil {
		return err
	}
	s, err := a.comparison(c, o, &co, outcomes, unlike)
	if err != nil {
		return err
	}
	failed, err := a.judgeChanges(s, skipLines(s.set.Skipped, len(co.Inputs)))
	if err != nil {
		return err
	}
	a.sayWarnings(s.result.Warnings)
	if o.parquet != "" {
		err = output.WriteDir(o.parquet, s.parquetTables)
	}
	if err == nil && o.artefact != "" {
		x := &artefact{app: a, c: c, args: args, inputs: co.Inputs, options: &co.Options, study: s, status: exitCode(failed)}
		err = x.write()
	}
	if err != nil {
		return err
	}
	return errors.Join(s.write(a), failed)
}

// outcomes analyses the runs, or reads what tasks made of them. unlike lists differences between
// the runs that their reports do not show.
func (a *app) outcomes(c *cobra.Command, o *compareOptions, co *runs.Options) (all []campaign.Outcome, unlike []string, err error) {
	if len(o.results) > 0 {
		m, err := a.readResults(c.Context(), o, co.Inputs)
		if err != nil {
			return nil, nil, err
		}
		co.Inputs = m.Inputs
		return m.Outcomes, append(m.Unlike, unlikeResults(c, m)...), nil
	}
	co.Cache = a.runCache(c.Context(), o)
	co.Done = new(atomic.Int64)
	if o.artefact != "" { // its hashes must be those of what is analysed here
		co.Files = &o.opened
	}
	defer a.showRuns(co.Done, len(co.Inputs))()
	all, err = runs.Analyze(c.Context(), *co)
	return all, nil, err
}

// comparison compares analysed runs.
func (a *app) comparison(c *cobra.Command, o *compareOptions, co *runs.Options, outcomes []campaign.Outcome, unlike []string) (*study, error) {
	set := campaign.Group(co.Inputs, outcomes, o.mixing.vantages)
	set.Confidence = o.confidence
	skipped := skipLines(set.Skipped, len(co.Inputs))
	if set.Runs() == 0 {
		return nil, &statusError{ExitFailed, strings.Join(append(skipped, "no run is left to compare"), "\n")}
	}
	s, err := a.study(c, o, set, &co.Options, unlike)
	if stopped := c.Context().Err(); stopped != nil {
		return nil, stopped // scenarios may lack their summaries
	}
	if err != nil {
		a.sayWarnings(skipped)
		return nil, mistakes(c, err)
	}
	for i := range co.Inputs {
		a.suite.File = cmp.Or(append([]string{a.suite.File}, co.Inputs[i].AllFiles()...)...)
	}
	return s, nil
}

// study is the outcome of a comparison.
type study struct {
	*compareOptions
	set     *campaign.Set
	result  *campaign.Result
	rows    *campaign.Layout
	shown   *campaign.Table // what the flags ask for
	columns int             // of the terminal that it goes to; 0 for none
}

// unusedLabels returns a sentence for each label that fits no address of any run.
func unusedLabels(set *campaign.Set, labels []engine.Label) (said []string) {
	for _, l := range labels {
		if err := set.CheckAddress(l.Prefix); err != nil {
			said = append(said, fmt.Sprintf("not used: %v: %v", l, err))
		}
	}
	return said
}

func (a *app) study(c *cobra.Command, o *compareOptions, set *campaign.Set, eo *engine.Options, more []string) (*study, error) {
	unlike, err := o.mixing.check(set, eo, more...)
	set.Within, set.Factor = o.within, o.factor
	set.Against, _ = o.against() // checked
	if o.table == "rec16" && len(o.metrics) == 0 && set.Against == "" && len(set.Scenarios) > 0 {
		set.Reference = set.Scenarios[0].Name
	}
	if err = errors.Join(err, o.checkGiven(set)); err != nil {
		return nil, err
	}
	d := report.Direction(o.direction)
	if d == "" {
		d = set.Bulk()
	}
	var effects []campaign.Effect
	rows, err := o.rows(set, d)
	if err != nil {
		return nil, err
	}
	rows.Style = o.look.style()
	rank := o.rank.ranking(set, d, rows.Style)
	if o.factor != "" {
		effects = set.Effects(o.factor, rows.Figures)
	}
	r := &campaign.Result{
		Schema:      "mpanalyze.compare/1",
		Effects:     effects,
		Skipped:     append([]campaign.Skip{}, set.Skipped...),
		Warnings:    append([]string{}, slices.Concat(unlike, unusedLabels(set, eo.Labels), set.Warnings(rank.Steady))...),
		Comparisons: set.Compare(rows.Figures),
		Changes:     set.Changes(o.watched(set, rows.Figures, d)),
		Ranking:     []campaign.Ranked{},
		Notes:       append([]string{}, rows.Notes...),
	}
	r.ListRuns(set)
	if err := o.refuseNoSingle(len(set.Single) == 0); err != nil {
		return nil, err
	}
	r.Scenarios = make([]campaign.Summary, len(set.Scenarios))
	figures := rows.Figures
	page := o.artefact != "" || o.writes(".html")
	if o.json != "" || page {
		figures = nil // these show all
	}
	runs.Each(c.Context(), cores(), len(set.Scenarios), func(i int) {
		r.Scenarios[i] = set.Scenarios[i].Summarize(figures)
	})
	if page { // the page lists the runs without their figures
		for run := range set.EachRun {
			run.Metrics = nil
			r.Runs = append(r.Runs, run)
		}
	}
	s := &study{compareOptions: o, set: set, result: r, rows: rows, columns: a.OutWidth}
	if r.Aggregation, err = set.Aggregate(d); err != nil {
		return nil, err
	}
	if o.rank.wanted(o.table) {
		if r.Ranking, err = set.Rank(rank); err != nil {
			return nil, err
		}
	}
	s.shown, err = o.layout(r, rows, rank)
	return s, err
}

// rows returns the rows of the table.
func (o *compareOptions) rows(set *campaign.Set, d report.Direction) (*campaign.Layout, error) {
	if len(o.metrics) == 0 {
		return set.Paper(o.table, d), nil
	}
	var out []string
	for _, m := range o.metrics {
		found := set.Match(m, d)
		if len(found) == 0 {
			return nil, fmt.Errorf("--metric %s: no run has such a figure; %s", m, howDerived(set, m))
		}
		out = append(out, found...)
	}
	return set.Rows(out), nil
}

// maxSkipped is the largest number of skipped runs that messages name.
const maxSkipped = 100

// skipLines says which runs were left out.
func skipLines(skipped []campaign.Skip, of int) (lines []string) {
	if len(skipped) == 0 {
		return nil
	}
	lines = append(lines, fmt.Sprintf("skipped %d of %d runs:", len(skipped), of))
	for i, s := range skipped {
		if i == maxSkipped {
			return append(lines, fmt.Sprintf("  and %d more; compare --json names all", len(skipped)-i))
		}
		reason := strings.ReplaceAll(s.Reason, "\n", "; ")
		name := s.Scenario
		switch {
		case name == "":
			name = s.Run
		case s.Run != "":
			name += ", run " + s.Run
		}
		lines = append(lines, fmt.Sprintf("  %s: %s", name, reason))
	}
	return lines
}

// watched adds the figures of the limits to the figures of the table.
func (o *compareOptions) watched(set *campaign.Set, figures []string, d report.Direction) []string {
	out := slices.Clone(figures)
	for i := range o.limits {
		for _, f := range o.limits[i].Figures(set, d) {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// runCache returns the cache of the figures of runs, or nil if there is none. It says why if the
// directory is not safe.
func (a *app) runCache(ctx context.Context, o *compareOptions) *runs.Cache {
	base, err := os.UserCacheDir()
	if err != nil || o.noCache {
		return nil // without a home directory, compare works without a cache
	}
	cache, err := runs.OpenCache(filepath.Join(base, "mpanalyze", "figures"), a.programIdentity(ctx))
	if err != nil {
		a.sayWarnings([]string{err.Error()})
	}
	return cache
}

// checkResults refuses flags that cannot be used together with --results.
func (o *compareOptions) checkResults(c *cobra.Command) (err error) {
	if len(o.results) == 0 {
		return refuse(o.incomplete, "--allow incomplete: is for --results")
	}
	for _, flag := range []string{"baseline", "single", "evidence"} {
		if name, _ := o.against(); flag == "baseline" && name != "" {
			continue
		}
		if c.Flags().Changed(flag) {
			err = errors.Join(err, errors.New("--"+flag+" beside --results: give it to mpanalyze task, which makes the results"))
		}
	}
	return err
}

// readResults reads runs that tasks have analysed; only those of a list, if there is one.
func (a *app) readResults(ctx context.Context, o *compareOptions, only []campaign.Input) (*results.Merged, error) {
	if a.engine.SaveMemory != nil {
		a.engine.SaveMemory()
	}
	return results.Read(ctx, o.results, results.Options{
		Incomplete: o.incomplete, Only: only,
		Each: func(ctx context.Context, n int, work func(int)) { runs.Each(ctx, cores(), n, work) },
	})
}
