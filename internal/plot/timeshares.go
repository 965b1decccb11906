package plot

import (
	"cmp"
	"fmt"

	"mpanalyze/internal/palette"
)

// manyAccounts is the largest number of runs whose bands the figure shows.
const manyAccounts = 6

// timeShares draws the shares of the states of many runs, stacked for each scenario: means over
// its runs.
func (m *maker) timeShares() (*Figure, error) {
	f := &Figure{Title: fmt.Sprintf("Where the time went: means of %d runs", len(m.runs))}
	p := Panel{Y: "Share of the time (%)", Names: []string{}}
	layers := make([]Layer, palette.States)
	for _, of := range m.scenarios() {
		at, lo := float64(len(p.Names)), 0.0
		mean, why := of.meanShares()
		if why != "" {
			f.Missing = append(f.Missing, why)
		}
		if mean == nil {
			continue
		}
		p.Names = append(p.Names, of.runs[0].Scenario)
		for i, v := range mean {
			if v > 0 {
				layers[i].XY = append(layers[i].XY, Coord{at, lo, lo + v})
			}
			lo += v
		}
	}
	p.Layers = named(layers, Bars, 0.7)
	if len(p.Layers) == 0 {
		return nil, fmt.Errorf("%w; %s", ErrEmpty, f.Missing[0])
	}
	if len(p.Names) == 1 && p.Names[0] == "" {
		p.Names[0] = "all runs"
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
