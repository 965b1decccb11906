package plot

import (
	"math"

	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

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

// pairSeries are the metrics over time that take captures of both hosts, and the series of the store that have them. Times of
// delays contain the difference of the clocks.
var pairSeries = map[string]struct {
	series string
	delays bool
}{
	"owd":              {timeline.OneWayDelay, true},
	"jitter":           {timeline.Jitter, false},
	"end_to_end_delay": {timeline.EndToEnd, true},
}

// corrected converts the points of such a series to the clock of the first capture. Others it returns as they are.
func (r *Run) corrected(l *timeline.Series, xy []Coord) []Coord {
	for _, p := range pairSeries {
		if p.series == l.Name && r.Document.Clock != nil {
			return r.onFirstClock(xy, r.away(), p.delays)
		}
	}
	return xy
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

// away reports whether the sender of the data is the host of the second capture.
func (r *Run) away() bool {
	return r.connection().Away(r.Direction)
}

// ReceivingHost returns the host that receives the data of the figure, in a report on captures
// of both hosts.
func (r *Run) ReceivingHost() report.Host {
	if r.away() {
		return report.SenderHost // it sends most of the data, but not the data of this direction
	}
	return report.ReceiverHost
}

// there returns the run in the analysis of the capture at the receiving host alone, or nil.
func (r *Run) there() *Run {
	if r.Receiver == nil {
		return nil
	}
	return r.On(r.Receiver)
}

// since converts times in the report on the receiving host's capture alone to times since the run's connection began.
func (r *Run) since(there *Run, xy []Coord) []Coord {
	for k := range xy {
		xy[k].X += float64(there.connection().Start-r.connection().Start) / 1e9
	}
	return xy
}

// named returns a series of the receiving host's capture with the path that the same subflow has
// in the report on both captures. Its addresses may differ.
func (r *Run) named(there *Run, l *timeline.Series) *timeline.Series {
	named := *l
	for i := range there.connection().Subflows {
		s := &there.connection().Subflows[i]
		if s.ID != l.Subflow {
			continue
		}
		if both := r.connection().SameSubflow(s); both != nil {
			named.Path = both.Path
		}
	}
	return &named
}
