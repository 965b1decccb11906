package plot

import (
	"cmp"
	"fmt"
	"slices"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/palette"
)

// stateWidth is the part of its place that a bar of states takes.
const stateWidth = 0.7

// timeShares draws the shares of the states of several runs, stacked: a bar for each scenario, the
// mean of its runs, or a bar for each run of the only scenario.
func (m *maker) timeShares() (*Figure, error) {
	if r := m.runs[0]; r.From != 0 || r.To != 0 {
		return nil, fmt.Errorf("%w: the account of several runs is of their whole time; leave out --from and --to", ErrEmpty)
	}
	f := &Figure{Title: "Where the time went"}
	for _, r := range m.runs {
		if x := r.dir().TimeAccount; x != nil && x.Undetermined.Percent >= LeastShare {
			f.Notes = campaign.Once(f.Notes, "runs captured "+catalogue.EndWords(string(x.SeenAt))+" do not show all states; the rest of their time is undetermined")
		}
	}
	each := *m
	each.each = !m.several && len(m.runs) <= mostBars
	bars := each.pools()
	if len(bars) < len(m.runs) {
		f.explain(meansOfRuns)
	}
	p := Panel{Y: "Share of the time (%)", Names: []string{}}
	layers := make([]Layer, palette.States)
	none := Layer{Shape: Texts, Width: stateWidth}
	for _, bar := range bars {
		at := float64(len(p.Names))
		p.Names = append(p.Names, cmp.Or(bar.head, "all runs"))
		mean, have := bar.means(accountParts)
		if without := slices.IndexFunc(bar.runs, func(r *Run) bool { return r.dir().TimeAccount == nil }); without >= 0 {
			r := bar.runs[without]
			f.Missing = append(f.Missing, fmt.Sprintf("%s%d of %d runs: no %s in connection %d, %s%s",
				of(r.Scenario), len(bar.runs)-len(have), len(bar.runs), timeAccount, r.Connection, r.Direction, r.reason(timeAccount)))
		}
		if mean == nil {
			none.XY, none.Labels = append(none.XY, Coord{X: at}), append(none.Labels, "no "+timeAccount)
		}
		stack(layers, at, mean)
	}
	for i := range layers {
		for _, c := range layers[i].XY {
			layers[i].Labels = append(layers[i].Labels, fmt.Sprintf("%.0f", c.Hi-c.Lo))
		}
	}
	if p.Layers = named(layers, Tiles, stateWidth); len(p.Layers) == 0 {
		return nil, fmt.Errorf("%w; %s", ErrEmpty, f.Missing[0])
	}
	if none.XY != nil {
		p.Layers = append(p.Layers, none)
	}
	f.Panels = []Panel{p}
	return f, nil
}

// accountParts returns the share of each state in a run, percent; nil if it has no account.
func accountParts(r *Run) (out []float64) {
	if x := r.dir().TimeAccount; x != nil {
		for _, s := range x.States() {
			out = append(out, s.Percent)
		}
	}
	return out
}
