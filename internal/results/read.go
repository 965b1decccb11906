package results

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/bykey"
	"mpanalyze/internal/campaign"
)

// Merged is a campaign put together of its results, in the order of its list.
type Merged struct {
	Inputs   []campaign.Input
	Outcomes []campaign.Outcome
	// Unlike says in which flags or builds the results differ, a line for each.
	Unlike []string
	// Flags are the flags of the results, those of several results once: see [Result].
	Flags []map[string]string
}

// Options says what [Read] accepts.
type Options struct {
	// Incomplete accepts a list with missing runs, which then count as skipped.
	Incomplete bool
	// Only are the runs that are taken, in their order; nil for all.
	Only []campaign.Input
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
		return nil, noResults(names)
	}
	if o.Only != nil {
		all, err = only(all, o.Only)
	}
	if err = errors.Join(err, oneList(all)); err != nil {
		return nil, err
	}
	m := &Merged{}
	m.noteMaking(all)
	if all, err = once(all); err != nil {
		return nil, err
	}
	if len(all) < all[0].Of {
		if !o.Incomplete {
			return nil, missing(all)
		}
		if n := all[0].Of - len(all); n > mostMissing {
			return nil, fmt.Errorf("%d of %d runs have no result, as %s says; with --allow incomplete at most %d may be missing: wait for more results, or run mpanalyze task with a shorter list", n, all[0].Of, all[0].from, mostMissing)
		}
		all = fill(all)
	}
	for _, r := range all {
		out := campaign.Outcome{Run: r.Run}
		if r.Run == nil {
			out.Err = errors.New(r.Skipped)
		}
		m.Inputs, m.Outcomes = append(m.Inputs, r.Input), append(m.Outcomes, out)
	}
	return m, nil
}

func noResults(names []string) error {
	return fmt.Errorf("%s: holds no results; mpanalyze task --output writes them", strings.Join(names, ", "))
}

func readAll(ctx context.Context, names []string, o Options) ([]*Result, error) {
	list, err := Files(names)
	if err != nil {
		return nil, err
	}
	k := NewReader()
	parts, errs := make([][]*Result, len(list)), make([]error, len(list))
	o.Each(ctx, len(list), func(i int) {
		errs[i] = k.file(list[i], func(r *Result, _ []byte) error {
			parts[i] = append(parts[i], r)
			return ctx.Err()
		})
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return slices.Concat(parts...), firstErrors(errs)
}

// only returns the results of the runs of a list, as results of that list.
func only(all []*Result, inputs []campaign.Input) (kept []*Result, err error) {
	places := map[string]int{}
	for i := range inputs {
		text := runText(&inputs[i])
		if other, found := places[text]; found {
			return nil, fmt.Errorf("%s stands twice in the list, as number %d and number %d: give each run a name of its own", runName(&inputs[i]), other+1, i+1)
		}
		places[text] = i
	}
	list := ListOf(inputs)
	for _, r := range all {
		if place, found := places[runText(&r.Input)]; found {
			r.List, r.Index, r.Of = list, place, len(inputs)
			kept = append(kept, r)
		}
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("none of the %d results is of a run in the list", len(all))
	}
	return kept, nil
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
	return fmt.Errorf("the results are of different lists of runs: %s; run mpanalyze task with one list into this directory, which repeats no analysis; then name the list beside --results (--manifest, --pattern) to leave out all other runs", strings.Join(parts, ", "))
}

// once sorts the results by the list, and keeps one of several equal results. It refuses two different
// results of one run.
func once(all []*Result) (out []*Result, err error) {
	slices.SortStableFunc(all, func(a, b *Result) int { return a.Index - b.Index })
	for _, r := range all {
		switch n := len(out); {
		case n == 0 || out[n-1].Index != r.Index:
			out = append(out, r)
		case !out[n-1].says(r):
			return nil, fmt.Errorf("there are two different results of %s: in %s and in %s; remove one", runName(&r.Input), out[n-1].from, r.from)
		}
	}
	return out, nil
}

// says reports whether two results say the same of a run.
func (r *Result) says(other *Result) bool {
	if r.Key != other.Key || r.Skipped != other.Skipped || r.Run == nil || other.Run == nil {
		return r.Key == other.Key && r.Skipped == other.Skipped && r.Run == other.Run
	}
	return slices.Equal(r.Run.Names, other.Run.Names) && slices.Equal(r.Run.Values, other.Run.Values)
}

func runName(in *campaign.Input) string {
	return strings.TrimSpace(in.Scenario + ", run " + in.Name)
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
	return fmt.Errorf("%d of %d runs have no result: number %s of the list; run mpanalyze task again, which repeats none that is done, or state --allow incomplete to compare what there is",
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

// noteMaking notes in which builds and flags results differ, and the flags.
func (m *Merged) noteMaking(all []*Result) {
	names := map[string]bool{}
	known := map[string]bool{}
	for _, r := range all {
		if text, _ := json.Marshal(r.Flags); !known[string(text)] { // of texts
			known[string(text)] = true
			m.Flags = append(m.Flags, r.Flags)
		}
		for name := range r.Flags {
			names[name] = true
		}
	}
	m.differ(all, "build of the program", func(r *Result) string { return r.Program })
	for _, name := range slices.Sorted(maps.Keys(names)) {
		m.differ(all, "--"+name, func(r *Result) string { return cmp.Or(r.Flags[name], "its default") })
	}
}

// differ adds a line to Unlike if a property is not the same in all results.
func (m *Merged) differ(all []*Result, name string, of func(*Result) string) {
	parts := variants(all, of, func(v string, n int, example string) string {
		return fmt.Sprintf("%s (%d results as %s)", v, n, example)
	})
	if len(parts) > 1 {
		m.Unlike = append(m.Unlike, fmt.Sprintf("results differ in %s: %s", name, strings.Join(parts, " and ")))
	}
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
