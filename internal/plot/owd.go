package plot

import (
	"fmt"
	"math"
	"slices"

	"mpanalyze/internal/timeline"
)

// owdFigure draws the one-way delay of each path, and a mark at 0 for each lost
// packet.
func owdFigure(m *maker, _ []string) (*Figure, error) {
	if slices.ContainsFunc(m.runs, func(r *Run) bool { return r.Document.Clock == nil }) {
		return nil, fmt.Errorf("%w: one-way delays take captures of both hosts (--both)", ErrEmpty)
	}
	return &Figure{Title: m.title("One-way delay"), Panels: m.perScenario("One-way delay (ms)", func(m *maker, r *Run) []Layer {
		out := m.delaysOf(r, timeline.OneWayDelay, true)
		for _, layer := range m.layers(r, seriesStyle{timeline.Lost, "lost", Dots, Cross}, 1) {
			layer.XY = r.onFirstClock(layer.XY, r.away(), false)
			out = append(out, layer)
		}
		return out
	})}, nil
}

// onFirstClock converts times to the clock of the first capture; away says that they are those of
// the second. With delays, it also corrects the values by the difference of the clocks. It leaves
// out points outside the time that is shown.
func (r *Run) onFirstClock(xy []Coord, away, delays bool) (out []Coord) {
	for _, p := range xy {
		lead := r.Document.Lead(r.connection(), p.X)
		if away {
			p.X -= lead / 1e3
			lead = -lead
		}
		if delays {
			p.Lo -= lead
			p.Hi -= lead
		}
		if t := int64(p.X * 1e9); t >= r.From && (r.To == 0 || t <= r.To) {
			out = append(out, p)
		}
	}
	return out
}

// SendingTime returns the interval of time that the figure shows, by the clock of the sending
// host. It is for a store when the captures are read again: the difference of the clocks is
// known only after the first reading, and a store must know the interval before it thins.
// [Run.Resolve] must have been called.
func (r *Run) SendingTime() (from, to int64) {
	k := r.Document.Clock
	if k == nil || !r.away() {
		return r.From, r.To
	}
	set := int64(0) // if the clock was set during the capture, two of its times are possible
	if k.Step != nil {
		set = int64(math.Abs(*k.Step) * 1e6)
	}
	if from = r.From; from != 0 {
		from = r.toOtherClock(from) - set
	}
	if to = r.To; to != 0 {
		to = r.toOtherClock(to) + set
	}
	return from, to
}

// toOtherClock converts a time by the first capture's clock to the other clock.
func (r *Run) toOtherClock(at int64) int64 {
	ahead := func(t int64) int64 {
		return at + int64(math.Round(r.Document.Lead(r.connection(), float64(t)/1e9)*1e6))
	}
	return ahead(ahead(at)) // Lead takes a time by the other clock: the first result is close enough to ask again
}
