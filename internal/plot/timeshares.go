package plot

import (
	"cmp"
	"fmt"

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
	for _, of := range bars {
		at := float64(len(p.Names))
		p.Names = append(p.Names, cmp.Or(of.head, "all runs"))
		mean, why := of.meanShares()
		if why != "" {
			f.Missing = append(f.Missing, why)
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

// meanShares returns the mean share of each state over the runs that have an account, nil if none
// has one. It says how many have none, and why.
func (m *maker) meanShares() (mean []float64, why string) {
	mean = make([]float64, palette.States)
	n := 0
	var without *Run // the first one without an account
	for _, r := range m.runs {
		x := r.dir().TimeAccount
		if x == nil {
			without = cmp.Or(without, r)
			continue
		}
		n++
		for i, s := range x.States() {
			mean[i] += s.Percent
		}
	}
	if r := without; r != nil {
		why = fmt.Sprintf("%s%d of %d runs: no %s in connection %d, %s%s",
			of(r.Scenario), len(m.runs)-n, len(m.runs), timeAccount, r.Connection, r.Direction, r.reason(timeAccount))
	}
	if n == 0 {
		return nil, why
	}
	for i := range mean {
		mean[i] /= float64(n)
	}
	return mean, why
}
