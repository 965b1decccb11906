package metrics

import "mpanalyze/internal/stats"

// QoE holds the parameters of the throughput-based congestion control of QoE24
// (eq. 2).
type QoE struct {
	Alpha float64 // segments that a decrease takes away
	Beta  float64 // segments that an increase adds
	Gamma float64 // how far the estimate may differ from its running mean before the window changes, as a part of that mean
}

// DefaultQoE has the steps of the example in QoE24. The tolerance of a tenth is
// a choice of this program.
var DefaultQoE = QoE{Alpha: 1, Beta: 5, Gamma: 0.1}

// QoE returns the parameters that the connection's decisions were made with.
func (m *Connection) QoE() QoE { return m.k.cfg.QoE }

// Decisions are what eq. 2 of QoE24 would have done. There is one for each round of
// congestion avoidance with a throughput estimate, from the second such round on.
type Decisions struct {
	Decrease, Increase, Hold int64
	Next                     stats.Dist // the window that it would have set, in MSS units

	avoiding bool    // whether congestion avoidance has begun
	n        int64   // estimates since then
	sum      float64 // sum of these estimates, Mbit/s
}

// take takes the window of a round, in MSS units, and its throughput estimate, in
// Mbit/s. It compares the estimate with the mean of the estimates before it, and returns the window that it would have set, in MSS
// units; ok is false before the second estimate of congestion avoidance.
func (c *Decisions) take(q *QoE, segments, estimate float64) (next float64, ok bool) {
	if !c.avoiding {
		return 0, false
	}
	if ok = c.n > 0; ok {
		next = c.decide(q, segments, estimate, c.sum/float64(c.n))
	}
	c.sum += estimate
	c.n++
	return next, ok
}

// decide applies eq. 2 to a window and the throughput that it gives: above the
// mean of the estimates before it the window shrinks, below it grows. A
// decrease leaves at least one segment.
func (c *Decisions) decide(q *QoE, segments, estimate, mean float64) (next float64) {
	switch {
	case estimate > mean*(1+q.Gamma):
		c.Decrease++
		segments = max(min(segments, 1), segments-q.Alpha)
	case estimate < mean*(1-q.Gamma):
		c.Increase++
		segments += q.Beta
	default:
		c.Hold++
	}
	c.Next.Add(segments)
	return segments
}
