package pair

import (
	"math"
	"slices"
)

// leastStep is the smallest step of a clock that is reported, ms: in a series of
// delays on a real path a smaller one cannot be told from what else moves them.
const leastStep = 2.0

// steps looks for a clock that was set while the captures ran, in the hosts'
// timestamps and then in the delays, and measures the step. It returns the
// standard error of that, ms. A step that is too small when it is measured, or
// that the delays deny, is none.
func (c *Clock) steps(k *clock) (sigma float64) {
	for _, find := range []func(*clock){c.jumped, c.findStep} {
		if find(k); !c.step.there {
			continue
		}
		if sigma = c.height(k); math.Abs(c.StepMS) >= leastStep && !c.contradicted(k) {
			return sigma
		}
		c.StepMS, c.StepS, c.step = 0, 0, stepped{}
	}
	return 0
}

// findStep looks for a clock that was set while the captures ran where the
// hosts' timestamps do not tell: the least delays of both directions of a path
// jump at once, by the same amount and opposite signs. A queue or another route lengthens a direction, or both alike, and a
// drift changes every part of the time.
func (c *Clock) findStep(k *clock) {
	paths := k.order
	for _, p := range paths {
		cells := p.cells()
		if len(cells) < 2*blocks {
			continue
		}
		at, best, lead := 0, 0.0, 0.0
		for i := 4; i < len(cells)-4; i++ {
			l, r := floors(cells[:i]), floors(cells[i+1:]) // in cell i it may be so and so
			dl := r.lead() - l.lead()
			if score := math.Abs(dl) - math.Abs(r.trip()-l.trip()); score > best {
				at, best, lead = i, score, dl
			}
		}
		if best > leastStep/2+10*unrest(cells) && math.Abs(lead) > math.Abs(c.StepMS) && agreed(paths, cells[at].t, lead) {
			c.StepMS, c.StepS = lead, moment(cells, at, lead)
			c.step = stepped{there: true, at: c.origin + int64(c.StepS*1e9), about: int64(math.Abs(lead)*1e6+1e9*(cells[at+1].end-cells[at-1].t)) + about}
		}
	}
}

// moment returns when, in cell i or at one of its ends, the lead changed. Where
// it changed inside, the direction that got slower shows its least delay from
// before, the other one from after.
func moment(cells []cell, i int, lead float64) float64 {
	switch passed := cells[i].lead() - floors(cells[:i]).lead(); {
	case math.Abs(passed) < math.Abs(lead)/4:
		return cells[i+1].t
	case math.Abs(passed-lead) < math.Abs(lead)/4:
		return cells[i].t
	}
	return cells[i].end
}

// floors returns the least delays of some cells.
func floors(cells []cell) cell {
	out := cells[0]
	for _, x := range cells {
		out.forth, out.back = min(out.forth, x.forth), min(out.back, x.back)
	}
	return out
}

// unrest returns by how much the lead changes from block to block in the
// median.
func unrest(cells []cell) float64 {
	size := len(cells) / blocks
	diffs := make([]float64, blocks-1)
	for i := range diffs {
		x, y := floors(cells[i*size:(i+1)*size]), floors(cells[(i+1)*size:(i+2)*size])
		diffs[i] = math.Abs(y.lead() - x.lead())
	}
	slices.Sort(diffs)
	return diffs[len(diffs)/2]
}

// agreed reports whether every path that has delays before and after time at
// shows the step of the lead: a clock is the same for all of them.
func agreed(paths []*pathClock, at, step float64) bool {
	for _, p := range paths {
		cells := p.cells()
		i := slices.IndexFunc(cells, func(x cell) bool { return x.t >= at })
		if i < 4 || len(cells)-i < 5 {
			continue
		}
		if dl := floors(cells[i+1:]).lead() - floors(cells[:i]).lead(); math.Abs(dl-step) > math.Abs(step)/2 {
			return false
		}
	}
	return true
}

// cell is a span of time in which both directions have a least delay.
type cell struct {
	t, end      float64 // when the first, the second of them was measured, s
	forth, back float64 // ms
}

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
			out = append(out, cell{float64(min(f.t, b.t)) / 1e9, float64(max(f.t, b.t)) / 1e9, ms(f.d), ms(b.d)})
		}
	}
	return out
}
