package plot

import (
	"slices"
	"sort"
	"strings"

	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/timeline"
)

// cdfPanel draws the distributions of a metric on these paths. Each curve is a distribution function from the lowest to the highest
// value. Runs of a scenario are pooled, each with its own weight; an area then shows between which shares the runs are.
func (m *maker) cdfPanel(name string, paths []string) Panel {
	p := Panel{X: Label(name, unitOf(name)), Y: "Share of values (%)", Fit: true}
	var areas, lines []Layer
	for _, path := range paths {
		for _, of := range m.pools() {
			if list := of.samples(name, path); len(list) > 0 {
				l := Layer{Shape: Line}
				switch {
				case m.byPath && path != "":
					l.wear(m.looks.path(path))
					l.Name = path
				case m.several:
					m.byLook(&l, of.runs[0].Scenario)
				default:
					l.wear(m.looks.scenario(of.runs[0].Scenario))
				}
				if list[0].OfData {
					p.Y = "Share of the data (%)" // as in the report
				}
				pooled := pool(list)
				l.XY = cumulative(&pooled)
				if len(list) > 1 {
					areas = append(areas, Layer{Shape: Areas, Colour: l.Colour, Pale: !m.byPath && len(m.numbers) > fewLines, XY: ranges(list, l.XY)})
				}
				if lines = append(lines, l); !m.above {
					lines = append(lines, percentiles(&pooled, &l))
				}
			}
		}
	}
	if p.Layers = append(areas, lines...); m.above {
		p.aboveEach()
	}
	return p
}

// aboveEach makes the shares above each value of the shares up to it. The highest value has none above it, and no place on a
// logarithmic axis.
func (p *Panel) aboveEach() {
	p.Y = strings.Replace(p.Y, " (%)", " above (%)", 1)
	for i := range p.Layers {
		l := &p.Layers[i]
		for k, c := range l.XY {
			l.XY[k].Lo, l.XY[k].Hi = 100-c.Hi, 100-c.Lo
		}
		l.XY = slices.DeleteFunc(l.XY, func(c Coord) bool { return c.Hi <= 0 })
	}
}

// samples returns the series of a metric on a path in the runs.
func (m *maker) samples(name, path string) (out []*timeline.Series) {
	for _, r := range m.runs {
		for _, l := range r.series(name) {
			if l.Path == path && (path == "") == (l.Subflow == report.NoSubflow) && l.Dist.N() > 0 {
				out = append(out, l)
			}
		}
	}
	return out
}

// poolSteps is the number of values that stand for those of a run with too many to keep.
const poolSteps = 2000

// pool returns the distribution of all values of the series.
func pool(list []*timeline.Series) stats.Dist {
	if len(list) == 1 {
		return list[0].Dist
	}
	var out stats.Dist
	for _, l := range list {
		if l.Dist.Exact() {
			for v := range l.Dist.ExactValues() {
				out.AddWeighted(v.Value, v.Weight)
			}
			continue
		}
		p := make([]float64, poolSteps)
		for i := range p {
			p[i] = (float64(i) + 0.5) / poolSteps
		}
		p[0], p[poolSteps-1] = 0, 1
		for _, v := range l.Dist.Quantiles(p...) {
			out.AddWeighted(v, l.Dist.Weight()/poolSteps)
		}
	}
	return out
}

// cdfSteps is the number of quantiles of a distribution function's curve.
const cdfSteps = 400

// cumulative returns the distribution function of values, from the lowest to the highest.
func cumulative(d *stats.Dist) (out []Coord) {
	p := make([]float64, cdfSteps+1)
	for i := range p {
		p[i] = float64(i) / cdfSteps
	}
	for i, v := range d.Quantiles(p...) {
		out = append(out, Coord{v, 100 * p[i], 100 * p[i]})
	}
	return out
}

// ranges returns the lowest and the highest of the runs' distribution functions at each place of a curve.
func ranges(list []*timeline.Series, curve []Coord) []Coord {
	runs := make([][]Coord, len(list))
	for i, l := range list {
		runs[i] = cumulative(&l.Dist)
	}
	out := slices.CompactFunc(slices.Clone(curve), func(a, b Coord) bool { return a.X == b.X })
	for i := range out {
		out[i].Lo, out[i].Hi = 100, 0
		for _, xy := range runs {
			share := shareBelow(xy, out[i].X)
			out[i].Lo, out[i].Hi = min(out[i].Lo, share), max(out[i].Hi, share)
		}
	}
	return out
}

// shareBelow returns the value of a distribution function at x, in percent.
func shareBelow(xy []Coord, x float64) float64 {
	i := sort.Search(len(xy), func(i int) bool { return xy[i].X > x })
	switch i {
	case 0:
		return 0
	case len(xy):
		return 100
	}
	from, to := xy[i-1], xy[i]
	return from.Lo + (x-from.X)/(to.X-from.X)*(to.Lo-from.Lo)
}

// percentiles returns bars on a curve at its 1st and 99th percentile.
func percentiles(d *stats.Dist, curve *Layer) Layer {
	const half = 2.5 // percent
	out := Layer{Shape: Spans, Colour: curve.Colour, Keys: []Key{{Name: "1st and 99th percentile", Rank: ByMark, Shape: Spans, Colour: neutral}}}
	for i, v := range d.Quantiles(0.01, 0.99) {
		share := []float64{1, 99}[i]
		out.XY = append(out.XY, Coord{v, max(0, share-half), min(100, share+half)})
	}
	return out
}
