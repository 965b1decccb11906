package clock

import (
	"math"
	"slices"
)

// edgeCells is how many cells must lie on either side of a step.
const edgeCells = 4

// cell is a span of time in which both directions of a path have a least delay.
type cell struct {
	first, second float64 // when the earlier and the later of the two was measured, s
	forth, back   float64 // to the receiver's capture, from it, ms
}

// lead is how far the receiver's clock is ahead if both directions take the same
// time, ms.
func (x cell) lead() float64 { return (x.forth - x.back) / 2 }

// halfTrip is half of the round trip, ms.
func (x cell) halfTrip() float64 { return (x.forth + x.back) / 2 }

// least returns the least delays among some cells, by direction.
func least(cells []cell) cell {
	out := cells[0]
	for _, x := range cells {
		out.forth, out.back = min(out.forth, x.forth), min(out.back, x.back)
	}
	return out
}

// stepInDelays looks for a step in the delays, for hosts whose TCP timestamps
// do not show it: at a step the least delays of the two directions of a path
// change at once, by the same amount, one up and one down. A queue or another
// route makes one direction longer, or both; a drift changes the delays all the
// time.
func (e *Estimator) stepInDelays() step {
	st := step{roughLead: e.roughLead}
	for _, p := range e.paths {
		cells := p.cells()
		if len(cells) < 2*blocks {
			continue
		}
		at, best, lead := 0, 0.0, 0.0
		for i := edgeCells; i < len(cells)-edgeCells; i++ {
			before, after := least(cells[:i]), least(cells[i+1:]) // cell i may contain delays from before and from after the step
			change := after.lead() - before.lead()
			if score := math.Abs(change) - math.Abs(after.halfTrip()-before.halfTrip()); score > best {
				at, best, lead = i, score, change
			}
		}
		if best > leastStep/2+10*medianChange(cells) && math.Abs(lead) > math.Abs(st.size) && e.agree(cells[at].first, lead) {
			st.found, st.size, st.sinceOrigin = true, lead, stepTime(cells, at, lead)
			st.time = e.origin + int64(st.sinceOrigin*1e9)
			st.margin = int64(math.Abs(lead)*1e6+1e9*(cells[at+1].second-cells[at-1].first)) + aboutStep
		}
	}
	return st
}

// stepTime returns when the lead changed: in cell i, or at one of its ends. If
// the lead changed inside the cell, the direction that became slower has its
// least delay before the step, and the other one after it.
func stepTime(cells []cell, i int, lead float64) float64 {
	switch changed := cells[i].lead() - least(cells[:i]).lead(); {
	case math.Abs(changed) < math.Abs(lead)/4:
		return cells[i+1].first
	case math.Abs(changed-lead) < math.Abs(lead)/4:
		return cells[i].first
	}
	return cells[i].second
}

// medianChange returns the median change of the lead from block to block.
func medianChange(cells []cell) float64 {
	size := len(cells) / blocks
	changes := make([]float64, blocks-1)
	for i := range changes {
		x, y := least(cells[i*size:(i+1)*size]), least(cells[(i+1)*size:(i+2)*size])
		changes[i] = math.Abs(y.lead() - x.lead())
	}
	slices.Sort(changes)
	return changes[len(changes)/2]
}

// agree reports whether every path that has delays before and after a time
// shows the step of the lead: all paths use the same two clocks.
func (e *Estimator) agree(at, lead float64) bool {
	for _, p := range e.paths {
		cells := p.cells()
		i := slices.IndexFunc(cells, func(x cell) bool { return x.first >= at })
		if i < edgeCells || len(cells)-i <= edgeCells {
			continue
		}
		if change := least(cells[i+1:]).lead() - least(cells[:i]).lead(); math.Abs(change-lead) > math.Abs(lead)/2 {
			return false
		}
	}
	return true
}

// cells puts the least delays of both directions of a path into the same spans
// of time.
func (p *Path) cells() (out []cell) {
	width := int64(firstWidth)
	for from := range p.dirs {
		for _, m := range p.dirs[from].bins() {
			width = max(width, m.width)
		}
	}
	var grid [2][nBins]bin
	for from := range grid {
		for _, m := range p.dirs[from].bins() {
			for _, b := range m.bins {
				if g := &grid[from][min(b.time/width, nBins-1)]; b.ok && (!g.ok || b.delay < g.delay) {
					*g = b
				}
			}
		}
	}
	for i := range nBins {
		if f, b := grid[AtSender][i], grid[AtReceiver][i]; f.ok && b.ok {
			out = append(out, cell{float64(min(f.time, b.time)) / 1e9, float64(max(f.time, b.time)) / 1e9, ms(f.delay), ms(b.delay)})
		}
	}
	return out
}
