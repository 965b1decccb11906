package campaign

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/bykey"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// Ranking says how scenarios are ordered: by a figure, the best first; scenarios that break a
// limit are excluded.
type Ranking struct {
	By                string           // metric of the connection, as in bytes
	Direction         report.Direction // direction whose metric it is
	MaxRetransmission float64          // percent of the segments; negative for no limit
	MaxShare          []PathLimit      // shares of the data
	Steady            string           // label of runs: the limits must also hold among the runs with each of its values; empty for none
	Tolerance         float64          // percentage points by which shares may differ between these groups
	Style             Style            // of the table's numbers
}

// PathLimit is the largest share of the data that a path may carry.
type PathLimit struct {
	Path    string
	Percent float64
}

// ParsePathLimit reads PATH=PERCENT.
func ParsePathLimit(text string) (PathLimit, error) {
	at := strings.LastIndexByte(text, '=')
	if at > 0 {
		if v, err := ParsePercent(text[at+1:]); err == nil {
			return PathLimit{text[:at], v}, nil
		}
	}
	return PathLimit{}, fmt.Errorf("%q: want PATH=PERCENT, as in LTE=10%%", text)
}

// ParsePercent reads a percentage, 0 to 100, with or without sign.
func ParsePercent(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(text), "%"), 64)
	if err != nil || !(v >= 0 && v <= 100) {
		return 0, fmt.Errorf("%q: want a percentage from 0%% to 100%%", text)
	}
	return v, nil
}

// Ranked is a scenario with its rank.
type Ranked struct {
	// From 1; 0 for a scenario that a limit excludes.
	Rank     int    `json:"rank"`
	Scenario string `json:"scenario"`
	Runs     int    `json:"runs"`
	// Mean over runs of the figure that scenarios are ranked by.
	Value float64 `json:"value"`
	// Cell of the sampling grid that it depends on, as in the scenarios' metrics.
	Cell string `json:"cell,omitempty"`
	// Retransmitted / sent segments over all runs and paths, percent; null where none was sent.
	Retransmission *float64 `json:"retransmission_percent"`
	// Mean share of each path, percent.
	Shares map[string]float64 `json:"shares_percent"`
	// Limits that it breaks.
	Excluded []string `json:"excluded"`
	// Mann-Whitney's probability of the pair with the scenario one rank above, corrected by Holm's method for all pairs; null where there is none above, without a rank, and where one of the two has a single run.
	PAbove *float64 `json:"p_above"`
	// Cliff's delta of that pair: positive where this scenario's values are larger; null where p_above is.
	EffectAbove *float64 `json:"effect_above"`
	// Verdict on that pair: "differs", "~" where the difference is no more than noise, or "cannot tell" where no values of so few runs could show a difference; empty where there is none above.
	Above string `json:"above"`

	// AtReceiver says that some runs were captured at the receiver alone: such captures show only those retransmissions that arrived twice.
	AtReceiver bool `json:"-"`
}

// Rank orders the scenarios: first those within the limits, the best first, then the others.
// It leaves out a scenario if no run of it has the figure. It fails if the figure describes
// the order of sending.
func (s *Set) Rank(r Ranking) ([]Ranked, error) {
	out := []Ranked{}
	name := string(r.Direction) + "." + r.By
	for _, sc := range s.Scenarios {
		x := sc.values(name)
		if len(x) == 0 {
			continue
		}
		if sc.isSendOrder(name) {
			return nil, fmt.Errorf("%s cannot be ranked by %s: its captures at the sender show the %s, not that of arrival", sc.Name, name, sendOrderWords)
		}
		e := Ranked{Scenario: sc.Name, Runs: len(sc.Runs), Value: stats.Summarize(x).Mean, Excluded: []string{}, Shares: map[string]float64{}}
		e.Retransmission, e.Cell = r.retransmission(sc.Runs), gridCell(name, sc)
		e.AtReceiver = slices.ContainsFunc(sc.Runs, func(m Member) bool { return m.atReceiver(r.Direction) })
		for _, path := range pathsOf(sc) {
			e.Shares[path] = r.share(sc.Runs, path)
		}
		e.Excluded = append(e.Excluded, r.brokenLimits(sc)...)
		out = append(out, e)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("--rank: no run has a figure %q", name)
	}
	higher := better(name) != "lower"
	slices.SortStableFunc(out, func(a, b Ranked) int {
		if c := cmp.Compare(min(1, len(a.Excluded)), min(1, len(b.Excluded))); c != 0 {
			return c
		}
		if higher {
			return cmp.Compare(b.Value, a.Value)
		}
		return cmp.Compare(a.Value, b.Value)
	})
	for i := range out {
		if len(out[i].Excluded) == 0 {
			out[i].Rank = i + 1
		}
	}
	s.compareRanks(out, name)
	return out, nil
}

// compareRanks sets whether each rank differs from the one above it.
func (s *Set) compareRanks(ranking []Ranked, figure string) {
	all := s.Compare([]string{figure})
	if len(all) == 0 {
		return
	}
	for i := range ranking {
		e := &ranking[i]
		if e.Rank < 2 {
			continue
		}
		p := all[0].pairOf(e.Scenario, ranking[i-1].Scenario)
		if p == nil {
			continue
		}
		e.PAbove, e.EffectAbove, e.Above = p.PCorrected, p.Effect, p.Verdict
		if p.B == e.Scenario && p.Effect != nil {
			e.EffectAbove = new(-*p.Effect)
		}
		if mark(p.Verdict) == "" {
			e.Above = differs
		}
	}
}

// brokenLimits lists the limits that a scenario breaks in all its runs together, or in a
// group of them.
func (r *Ranking) brokenLimits(sc *Scenario) []string {
	out := r.brokenBy(sc.Runs, "")
	if r.Steady == "" {
		return out
	}
	var groups bykey.Lists[Member]
	for _, m := range sc.Runs {
		g, ok := m.Labels[r.Steady]
		if !ok {
			return append(out, fmt.Sprintf("%s has no label %s", m.Name, r.Steady))
		}
		groups.Add(g, m)
	}
	for _, g := range groups.Keys {
		out = append(out, r.brokenBy(groups.Of[g], " in "+r.Steady+" "+g)...)
	}
	for _, l := range r.MaxShare {
		low, high := 100.0, 0.0
		for _, runs := range groups.Of {
			v := r.share(runs, l.Path)
			low, high = min(low, v), max(high, v)
		}
		if high-low > r.Tolerance {
			out = append(out, fmt.Sprintf("%s carries %.1f%% to %.1f%% by %s: not steady", l.Path, low, high, r.Steady))
		}
	}
	return out
}

func (r *Ranking) brokenBy(runs []Member, where string) (out []string) {
	if v := r.retransmission(runs); r.MaxRetransmission >= 0 && v != nil && *v > r.MaxRetransmission {
		out = append(out, fmt.Sprintf("%.2f%% retransmitted%s, more than %v%%", *v, where, r.MaxRetransmission))
	}
	for _, l := range r.MaxShare {
		if v := r.share(runs, l.Path); v > l.Percent {
			out = append(out, fmt.Sprintf("%s carries %.1f%%%s, more than %v%%", l.Path, v, where, l.Percent))
		}
	}
	return out
}

// pathsOf returns the labels of all paths of a scenario, in the order of the first connection that has each.
func pathsOf(sc *Scenario) (out []string) {
	for _, m := range sc.Runs {
		for _, p := range m.Paths {
			out = Once(out, p)
		}
	}
	return out
}

// RankTable has a row for each scenario, the best first (MIX).
func RankTable(ranking []Ranked, by Ranking) *Table {
	t := &Table{
		Corner:  []string{"rank", "scenario"},
		Columns: []Column{{"", by.By}, {"", "retransmitted %"}},
		Parts:   []string{""},
	}
	var paths []string
	for _, e := range ranking {
		paths = slices.AppendSeq(paths, maps.Keys(e.Shares))
	}
	paths = distinct(paths)
	for _, p := range paths {
		t.Columns = append(t.Columns, Column{"share %", p})
	}
	t.Columns = append(t.Columns, Column{"", "runs"}, Column{"", "p of rank above"}, Column{"", "effect"})
	for _, e := range ranking {
		row := Row{Heads: []string{strconv.Itoa(e.Rank), e.Scenario}}
		if e.Rank == 0 {
			row.Heads[0] = "-"
			t.Notes = append(t.Notes, e.Scenario+" is out: "+strings.Join(e.Excluded, "; "))
		}
		row.Cells = append(row.Cells, by.Style.cell(e.Value), by.Style.cellIf(e.Retransmission))
		for _, p := range paths {
			row.Cells = append(row.Cells, by.Style.cell(e.Shares[p]))
		}
		row.Cells = append(row.Cells, Cell{Text: strconv.Itoa(e.Runs), Numbers: []float64{float64(e.Runs)}}, e.aboveCell())
		effect := Cell{}
		if e.EffectAbove != nil {
			effect = Cell{Text: fixed(*e.EffectAbove, 2), Numbers: []float64{*e.EffectAbove}}
		}
		row.Cells = append(row.Cells, effect)
		t.Rows = append(t.Rows, row)
	}
	if slices.ContainsFunc(ranking, func(e Ranked) bool { return e.PAbove != nil }) {
		t.Notes = append(t.Notes, "p, effect: against the rank above (Mann-Whitney, Holm over all pairs; Cliff's delta)")
	}
	t.Notes = append(t.Notes, by.notes(ranking)...)
	return t
}

// aboveCell says whether a rank differs from the one above it.
func (e *Ranked) aboveCell() Cell {
	if e.PAbove == nil {
		return Cell{Text: mark(e.Above)}
	}
	text := digits(*e.PAbove)
	if *e.PAbove < 0.001 {
		text = "< 0.001"
	}
	if m := mark(e.Above); m != "" {
		text += " " + m
	}
	return Cell{Text: text, Numbers: []float64{*e.PAbove}}
}

// notes says what the values are, explains the marks of ranks, and names the scenarios whose captures
// show too few retransmissions.
func (r *Ranking) notes(ranking []Ranked) (notes []string) {
	var cells []string
	for _, e := range ranking {
		cells = append(cells, strings.Split(e.Cell, "+")...)
	}
	if cell := cellNote([]string{r.By}, []string{joinCells(cells)}); cell != "" {
		notes = append(notes, cell)
	}
	marks := map[string]bool{}
	var low []string
	for i := range ranking {
		marks[ranking[i].Above] = true
		if ranking[i].AtReceiver {
			low = append(low, ranking[i].Scenario)
		}
	}
	if len(low) > 0 {
		notes = append(notes, "retransmitted %: too low for "+strings.Join(low, ", ")+": captured at the receiver alone, which shows only copies that arrived twice; a limit needs captures at the sender or of both hosts")
	}
	if marks[noise] {
		notes = append(notes, noise+": no more than noise from the rank above (Mann-Whitney, Holm over all pairs)")
	}
	if marks[CannotTell] {
		notes = append(notes, unknown+": cannot tell from the rank above, too few runs (Mann-Whitney, Holm over all pairs)")
	}
	return notes
}
