package pair

import (
	"math"
	"slices"
)

// leastStep is the smallest step of a clock that is noticed, ms.
const leastStep = 1.0

// step looks for a clock that was set while the captures ran: the delays of
// both directions of a path jump at once, by the same amount and opposite
// signs. A queue or another route lengthens a direction, or both alike.
func (c *Clock) step(paths []*pathClock) {
	for _, p := range paths {
		cells := p.cells()
		if len(cells) < 8 {
			continue
		}
		at, lead, trip := 0, 0.0, 0.0
		for i := 4; i <= len(cells)-4; i++ {
			dl := median(cells[i:], cell.lead) - median(cells[:i], cell.lead)
			if math.Abs(dl) > math.Abs(lead) {
				at, lead = i, dl
				trip = median(cells[i:], cell.trip) - median(cells[:i], cell.trip)
			}
		}
		if math.Abs(lead) < leastStep || math.Abs(lead) < 3*math.Abs(trip) {
			continue
		}
		noise := max(scatter(cells[:at]), scatter(cells[at:]))
		if math.Abs(lead) > 6*noise && math.Abs(lead) > math.Abs(c.StepMS) && agreed(paths, cells[at].t, lead) {
			c.StepMS, c.StepS = lead, cells[at].t
		}
	}
}

// agreed reports whether every path that has delays before and after time at
// shows the step of the lead: a clock is the same for all of them.
func agreed(paths []*pathClock, at, step float64) bool {
	for _, p := range paths {
		cells := p.cells()
		i := slices.IndexFunc(cells, func(x cell) bool { return x.t >= at })
		if i < 4 || len(cells)-i < 4 {
			continue
		}
		if dl := median(cells[i:], cell.lead) - median(cells[:i], cell.lead); math.Abs(dl-step) > math.Abs(step)/2 {
			return false
		}
	}
	return true
}

// cell is a span of time in which both directions have a least delay.
type cell struct{ t, forth, back float64 }

func (x cell) lead() float64 { return (x.forth - x.back) / 2 }

func (x cell) trip() float64 { return (x.forth + x.back) / 2 }

// cells brings both directions of a path on one grid.
func (p *pathClock) cells() (out []cell) {
	width := int64(firstWidth)
	for e := range p.minis {
		width = max(width, p.minis[e].width, p.datas[e].width)
	}
	var grid [2][nBins]least
	for e := range grid {
		for _, s := range []*series{&p.minis[e], &p.datas[e]} {
			for _, b := range s.bins {
				if g := &grid[e][min(b.t/width, nBins-1)]; b.ok && (!g.ok || b.d < g.d) {
					*g = b
				}
			}
		}
	}
	for i := range nBins {
		if f, b := grid[AtSender][i], grid[AtReceiver][i]; f.ok && b.ok {
			out = append(out, cell{float64(min(f.t, b.t)) / 1e9, ms(f.d), ms(b.d)})
		}
	}
	return out
}

func median(cells []cell, of func(cell) float64) float64 {
	v := make([]float64, len(cells))
	for i, x := range cells {
		v[i] = of(x)
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// scatter returns the median distance of the leads from their median.
func scatter(cells []cell) float64 {
	m := median(cells, cell.lead)
	return median(cells, func(x cell) float64 { return math.Abs(x.lead() - m) })
}
