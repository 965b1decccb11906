package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
)

// A statusError ends the program with a status of its own.
type statusError struct {
	code ExitCode
	text string // empty where everything was said
}

func (e *statusError) Error() string { return e.text }

func (a *app) compare(c *cobra.Command, o *compareOptions, args []string) error {
	co, err := o.engineOptions(a, c, args)
	if err != nil {
		return err
	}
	limits, err := o.limits(c)
	if err != nil {
		return err
	}
	if err := a.keepApart(c, o.files(co.Inputs), outputs{files: []string{o.json, o.csv, o.markdown, o.latex, o.html}}); err != nil {
		return err
	}
	key := co.StudyKey(c.Context(), fmt.Sprintf("%+v", *o))
	if text := co.Cache.Kept(key); text != nil {
		if said, err := readOutput(text); err == nil {
			return a.writeOutput(said)
		}
	}
	said, err := a.runCampaign(c, o, co, limits)
	if err != nil {
		return err
	}
	if text, err := said.marshal(); err == nil {
		co.Cache.Keep(key, text)
	}
	return a.writeOutput(said)
}

// files returns every file that the command reads.
func (o *compareOptions) files(inputs []campaign.Input) (names []string) {
	for i := range inputs {
		names = append(names, inputs[i].Files...)
	}
	if o.manifest != "" {
		names = append(names, o.manifest)
	}
	return names
}

// runCampaign analyses the runs and makes everything that is to be said of
// them.
func (a *app) runCampaign(c *cobra.Command, o *compareOptions, co engine.CampaignOptions, limits []campaign.Limit) (*comparisonOutput, error) {
	co.Done = new(atomic.Int64)
	stop := a.showRuns(co.Done, len(co.Inputs))
	outcomes, err := engine.Runs(c.Context(), co)
	stop()
	if err != nil {
		return nil, err
	}
	set := campaign.Group(co.Inputs, outcomes, o.mix)
	said := &comparisonOutput{Talk: skipLines(set.Skipped, len(co.Inputs))}
	if set.Runs() == 0 {
		a.sayWarnings(said.Talk)
		return nil, &statusError{ExitFailed, "no run is left to compare"}
	}
	study, err := a.study(c, o, set)
	if stopped := c.Context().Err(); stopped != nil {
		return nil, stopped // scenarios may lack their summaries
	}
	if err != nil {
		a.sayWarnings(said.Talk)
		return nil, &usageError{c.CommandPath(), err}
	}
	said.Talk = append(said.Talk, study.result.Warnings...)
	if err := said.render(o, study); err != nil {
		return nil, err
	}
	return said, said.judge(set, study.result.Changes, limits)
}

// study is what a campaign led to.
type study struct {
	result *campaign.Result
	table  *campaign.Table
}

func (a *app) study(c *cobra.Command, o *compareOptions, set *campaign.Set) (*study, error) {
	d := report.Direction(o.direction)
	if d == "" {
		d = set.Bulk()
	}
	rows, err := o.rows(set, d)
	if err != nil {
		return nil, err
	}
	r := &campaign.Result{
		Skipped:     append([]campaign.Skip{}, set.Skipped...),
		Warnings:    append([]string{}, set.Residue(o.rank.steadyLabel())...),
		Comparisons: set.Compare(rows.Figures),
		Changes:     set.Changes(o.watched(set, rows.Figures, d), o.confidence),
		Ranking:     []campaign.Ranked{},
		Notes:       append([]string{}, rows.Notes...),
		Runs:        set.List(),
	}
	r.Scenarios = make([]campaign.Summary, len(set.Scenarios))
	engine.Each(c.Context(), cores(), len(set.Scenarios), func(i int) {
		r.Scenarios[i] = set.Scenarios[i].Summarize()
	})
	s := &study{result: r}
	if o.rank.wanted(o.table) {
		r.Ranking, err = set.Rank(o.rank.ranking(set, d))
		if err != nil {
			return nil, err
		}
	}
	s.table, err = o.layout(set, r, rows, d)
	return s, err
}

// rows are those of the table.
func (o *compareOptions) rows(set *campaign.Set, d report.Direction) (*campaign.Layout, error) {
	if len(o.metrics) == 0 {
		return set.Paper(o.table, d), nil
	}
	var out []string
	for _, m := range o.metrics {
		found := set.Match(m, d)
		if len(found) == 0 {
			return nil, fmt.Errorf("--metric %s: no run has such a figure; mpanalyze explain lists the metrics", m)
		}
		out = append(out, found...)
	}
	return set.Rows(out), nil
}

// skipLines says which runs were left out.
func skipLines(skipped []campaign.Skip, of int) (lines []string) {
	if len(skipped) == 0 {
		return nil
	}
	lines = append(lines, fmt.Sprintf("skipped %d of %d runs:", len(skipped), of))
	for _, s := range skipped {
		reason := strings.ReplaceAll(s.Reason, "\n", "; ")
		lines = append(lines, fmt.Sprintf("  %s, run %s: %s", s.Scenario, s.Run, reason))
	}
	return lines
}

func (a *app) sayWarnings(lines []string) {
	for _, l := range lines {
		fmt.Fprintf(a.Err, "mpanalyze: %s\n", plaintext.Clean(l))
	}
}

// limits reads --fail-on.
func (o *compareOptions) limits(c *cobra.Command) (out []campaign.Limit, err error) {
	for _, text := range o.failOn {
		l, err := campaign.ParseLimit(text)
		if err != nil {
			return nil, &usageError{c.CommandPath(), fmt.Errorf("--fail-on %w", err)}
		}
		out = append(out, l)
	}
	return out, nil
}

// watched adds the figures that limits are about to those of the table.
func (o *compareOptions) watched(set *campaign.Set, figures []string, d report.Direction) []string {
	out := append([]string{}, figures...)
	for _, text := range o.failOn {
		metric, _, _ := strings.Cut(text, ">")
		for _, f := range set.Match(strings.TrimSpace(metric), d) {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// runCache is where the figures of runs are kept; nil for nowhere.
func (a *app) runCache(o *compareOptions) *engine.Cache {
	if o.noCache {
		return nil
	}
	dir := o.cache
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil // no home: a convenience less, no failure
		}
		dir = filepath.Join(base, "mpanalyze", "runs")
	}
	return &engine.Cache{Dir: dir, Version: a.buildIdentity()}
}
