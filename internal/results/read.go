package results

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/bykey"
	"mpanalyze/internal/campaign"
	"mpanalyze/internal/report"
)

// Merged is a campaign put together of its results, in the order of its list.
type Merged struct {
	Inputs   []campaign.Input
	Outcomes []campaign.Outcome
	// Unlike says in which options or builds the results differ, where the figures' own
	// reports do not say it; a line for each.
	Unlike []string
}

// Options says what [Read] accepts.
type Options struct {
	// Incomplete accepts a list with missing runs, which then count as skipped.
	Incomplete bool
	// Each runs work for every i below n, several at once.
	Each func(ctx context.Context, n int, work func(i int))
}

// Read reads the results in files and directories. It refuses results of different lists of
// runs, different results of one run and, without [Options.Incomplete], a list with missing runs.
func Read(ctx context.Context, names []string, o Options) (*Merged, error) {
	all, err := readAll(ctx, names, o)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: holds no results; mpanalyze task --output writes them", strings.Join(names, ", "))
	}
	if err := oneList(all); err != nil {
		return nil, err
	}
	m := &Merged{Unlike: unlike(all)}
	if all, err = once(all); err != nil {
		return nil, err
	}
	if all[0].List != "" && len(all) < all[0].Of {
		if !o.Incomplete {
			return nil, missing(all)
		}
		if n := all[0].Of - len(all); n > mostMissing {
			return nil, fmt.Errorf("%d of %d runs have no result, as %s says; with --incomplete at most %d may be missing: wait for more results, or run mpanalyze task with a shorter list", n, all[0].Of, all[0].from, mostMissing)
		}
		all = fill(all)
	}
	shareMaking(all)
	for _, r := range all {
		out := campaign.Outcome{Run: r.Run}
		if r.Run == nil {
			out.Err = errors.New(r.Skipped)
		}
		m.Inputs, m.Outcomes = append(m.Inputs, r.Input), append(m.Outcomes, out)
	}
	return m, nil
}

func readAll(ctx context.Context, names []string, o Options) ([]*Result, error) {
	list, err := Files(names)
	if err != nil {
		return nil, err
	}
	k := &reading{names: map[[sha256.Size]byte][]string{}}
	parts, errs := make([][]*Result, len(list)), make([]error, len(list))
	o.Each(ctx, len(list), func(i int) { parts[i], errs[i] = k.file(list[i]) })
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return slices.Concat(parts...), firstErrors(errs)
}

// mostMissing is the largest number of missing runs. It bounds memory: each takes 2 kB.
const mostMissing = 100_000

// mostErrors is the largest number of unreadable files that an error names.
const mostErrors = 5

func firstErrors(errs []error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if n := len(errs); n > mostErrors {
		errs = append(errs[:mostErrors:mostErrors], fmt.Errorf("and %d more files cannot be read", n-mostErrors))
	}
	return errors.Join(errs...)
}

// oneList refuses results of different lists of runs.
func oneList(all []*Result) error {
	parts := variants(all,
		func(r *Result) string { return r.List + " " + strconv.Itoa(r.Of) },
		func(_ string, n int, example string) string { return fmt.Sprintf("%d results as %s", n, example) })
	if len(parts) < 2 {
		return nil
	}
	return fmt.Errorf("the results are of different lists of runs: %s; run mpanalyze task with one list into this directory, which repeats no analysis, and remove the results of runs that are not in it", strings.Join(parts, ", "))
}

// once sorts the results, and keeps one of several equal results. If the results belong to a
// list, it refuses two different results of one run. Without a list, these are two runs.
func once(all []*Result) ([]*Result, error) {
	slices.SortStableFunc(all, func(a, b *Result) int {
		if a.List == "" {
			return cmp.Or(
				campaign.CompareNames(a.Input.Scenario, b.Input.Scenario),
				campaign.CompareNames(a.Input.Name, b.Input.Name),
				strings.Compare(a.Content, b.Content))
		}
		return a.Index - b.Index
	})
	var out []*Result
	for _, r := range all {
		if len(out) == 0 || !sameRun(out[len(out)-1], r) {
			out = append(out, r)
			continue
		}
		if first := out[len(out)-1]; first.Key != r.Key || first.Skipped != r.Skipped {
			return nil, fmt.Errorf("there are two different results of %s: in %s and in %s; remove one", runName(r), first.from, r.from)
		}
	}
	return out, nil
}

// sameRun reports whether two results that stand beside each other are of one run.
func sameRun(a, b *Result) bool {
	if a.List != "" {
		return a.Index == b.Index
	}
	return a.Input.Scenario == b.Input.Scenario && a.Input.Name == b.Input.Name && a.Content == b.Content
}

func runName(r *Result) string {
	return strings.TrimSpace(r.Input.Scenario + ", run " + r.Input.Name)
}

// span is numbers in a row, both ends included.
type span struct{ first, last int }

// gaps returns the places of the list that have no result, counted from 1. There is at most one
// gap more than there are results, so memory does not depend on the length that the list states.
func gaps(all []*Result) (out []span) {
	next := 0
	to := func(index int) {
		if next < index {
			out = append(out, span{next + 1, index})
		}
		next = index + 1
	}
	for _, r := range all {
		to(r.Index)
	}
	to(all[0].Of)
	return out
}

// missing says which runs have no result.
func missing(all []*Result) error {
	return fmt.Errorf("%d of %d runs have no result: number %s of the list; run mpanalyze task again, which repeats none that is done, or state --incomplete to compare what there is",
		all[0].Of-len(all), all[0].Of, spans(gaps(all)))
}

// mostSpans is how many spans of numbers a message names.
const mostSpans = 8

// spans writes spans, as in 3, 7-12.
func spans(list []span) string {
	var parts []string
	for _, s := range list {
		if len(parts) == mostSpans {
			parts = append(parts, "and more")
			break
		}
		text := strconv.Itoa(s.first)
		if s.last > s.first {
			text += "-" + strconv.Itoa(s.last)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// fill adds a skipped result at each place of the list that has no result.
func fill(all []*Result) []*Result {
	out := slices.Clone(all)
	for _, s := range gaps(all) {
		for n := s.first; n <= s.last; n++ {
			out = append(out, &Result{
				List: all[0].List, Index: n - 1, Of: all[0].Of, Skipped: "has no result yet",
				Input: campaign.Input{Scenario: fmt.Sprintf("number %d of the %d runs", n, all[0].Of), Problem: "has no result yet"},
			})
		}
	}
	slices.SortFunc(out, func(a, b *Result) int { return a.Index - b.Index })
	return out
}

// unlike lists the differences between results that the reports of their runs do not show.
func unlike(all []*Result) (lines []string) {
	for _, property := range []struct {
		name string
		of   func(*Result) string
	}{
		{"build of the program", func(r *Result) string { return r.Program }},
		{"connection", func(r *Result) string {
			if r.Selection == campaign.AnyConnection {
				return "the one with the most data"
			}
			return strconv.Itoa(r.Selection)
		}},
		{"max-memory", func(r *Result) string { return strconv.FormatInt(r.MaxMemory, 10) }},
	} {
		if line := differ(all, property.name, property.of); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		if line := differ(all, "options", func(r *Result) string { return r.Options }); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// differ returns a line if a property is not the same in all results, else "".
func differ(all []*Result, name string, of func(*Result) string) string {
	parts := variants(all, of, func(v string, n int, example string) string {
		if name == "options" { // a hash
			v = "some"
		}
		return fmt.Sprintf("%s (%d results as %s)", v, n, example)
	})
	if len(parts) < 2 {
		return ""
	}
	return fmt.Sprintf("results differ in %s: %s", name, strings.Join(parts, " and "))
}

// variants says for each value of a property how many results have it, and where the first of these
// was read from.
func variants(all []*Result, of func(*Result) string, say func(value string, n int, example string) string) (parts []string) {
	var results bykey.Lists[*Result]
	for _, r := range all {
		results.Add(of(r), r)
	}
	for _, v := range slices.Sorted(slices.Values(results.Keys)) {
		parts = append(parts, say(v, len(results.Of[v]), results.Of[v][0].from))
	}
	return parts
}

// shareMaking lets results share memory where their descriptions of how figures were made are
// equal.
func shareMaking(all []*Result) {
	known := map[string]*report.MadeBy{}
	for _, r := range all {
		if r.Run == nil || r.Run.MadeBy == nil {
			continue
		}
		text, _ := json.Marshal(r.Run.MadeBy) // of texts and numbers
		if known[string(text)] == nil {
			known[string(text)] = r.Run.MadeBy
		}
		r.Run.MadeBy = known[string(text)]
	}
}
