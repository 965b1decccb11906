package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/export"
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
	co.Done = new(atomic.Int64)
	stop := a.showRuns(co.Done, len(co.Inputs))
	outcomes, err := engine.Runs(c.Context(), co)
	stop()
	if err != nil {
		return err
	}
	set := campaign.Group(co.Inputs, outcomes, o.mix)
	a.sayWarnings(skipLines(set.Skipped, len(co.Inputs)))
	if set.Runs() == 0 {
		return &statusError{ExitFailed, "no run is left to compare"}
	}
	study, err := a.study(o, set)
	if err != nil {
		return &usageError{c.CommandPath(), err}
	}
	a.sayWarnings(study.result.Warnings)
	if err := a.writeStudy(o, study); err != nil {
		return err
	}
	return verdict(set, study.result.Changes, limits)
}

// study is what a campaign led to.
type study struct {
	result *campaign.Result
	table  *campaign.Table
}

func (a *app) study(o *compareOptions, set *campaign.Set) (*study, error) {
	d := report.Direction(o.direction)
	if d == "" {
		d = set.Bulk()
	}
	figures, err := o.figures(set, d)
	if err != nil {
		return nil, err
	}
	r := &campaign.Result{
		Skipped:     append([]campaign.Skip{}, set.Skipped...),
		Warnings:    append([]string{}, set.Residue(o.rank.steadyLabel())...),
		Comparisons: set.Compare(figures),
		Changes:     set.Changes(o.watched(set, figures, d), o.confidence),
		Ranking:     []campaign.Ranked{},
		Runs:        set.List(),
	}
	r.Scenarios = make([]campaign.Summary, len(set.Scenarios))
	engine.Each(noContext, max(1, o.jobs, cores()), len(set.Scenarios), func(i int) {
		r.Scenarios[i] = set.Scenarios[i].Summarize()
	})
	s := &study{result: r}
	if o.rank.wanted(o.table) {
		r.Ranking, err = set.Rank(o.rank.ranking(set, d))
		if err != nil {
			return nil, err
		}
	}
	s.table, err = o.layout(set, r, figures, d)
	return s, err
}

// figures are those of the table's rows.
func (o *compareOptions) figures(set *campaign.Set, d report.Direction) (out []string, err error) {
	if len(o.metrics) == 0 {
		return set.Figures(o.table, d), nil
	}
	for _, m := range o.metrics {
		found := set.Match(m, d)
		if len(found) == 0 {
			return nil, fmt.Errorf("--metric %s: no run has such a figure; mpanalyze explain lists the metrics", m)
		}
		out = append(out, found...)
	}
	return out, nil
}

// writeStudy puts the table and the JSON where the flags want them.
func (a *app) writeStudy(o *compareOptions, s *study) error {
	outputs := []struct {
		to    string
		write func(io.Writer) error
	}{
		{o.csv, s.table.WriteCSV},
		{o.markdown, s.table.WriteMarkdown},
		{o.latex, s.table.WriteLaTeX},
		{o.json, s.result.WriteJSON},
	}
	printed := false
	for _, out := range outputs {
		switch out.to {
		case "":
		case "-":
			printed = true
			if err := out.write(a.Out); err != nil {
				return err
			}
		default:
			if err := writeFile(out.to, out.write); err != nil {
				return err
			}
		}
	}
	if printed {
		return nil
	}
	return a.writeText(s)
}

func (a *app) writeText(s *study) error {
	if err := s.table.WriteText(a.Out, export.Clean); err != nil {
		return err
	}
	if len(s.result.Changes) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(a.Out); err != nil {
		return err
	}
	return campaign.ChangeTable(s.result.Changes).WriteText(a.Out, export.Clean)
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	err = write(f)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
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
		fmt.Fprintf(a.Err, "mpanalyze: %s\n", export.Clean(l))
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
			if !contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// verdict is the exit status that the outcome stands for.
func verdict(set *campaign.Set, changes []campaign.Change, limits []campaign.Limit) error {
	var worse []string
	for i := range limits {
		covered := false
		for k := range changes {
			c := &changes[k]
			if !limits[i].Covers(c.Metric) {
				continue
			}
			covered = true
			if limits[i].Exceeded(c) {
				worse = append(worse, fmt.Sprintf("%s got worse than %s allows: %s", c.Scenario, limits[i].Text, c.Line()))
			}
		}
		if !covered {
			return fmt.Errorf("--fail-on %s: no run and its baseline have such a figure", limits[i].Text)
		}
	}
	switch {
	case len(worse) > 0:
		return &statusError{ExitWorse, strings.Join(worse, "\n")}
	case len(set.Skipped) > 0:
		return &statusError{ExitDamaged, ""}
	}
	return nil
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
