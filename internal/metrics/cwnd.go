package metrics

import "mpanalyze/internal/stats"

// QoE holds the parameters of the throughput-based congestion control of QoE24
// (eq. 2, reconstructed).
type QoE struct {
	Alpha float64 // part of the window that a decrease takes away, 0 to 1
	Beta  float64 // segments that an increase adds
	Gamma float64 // how far the estimate may leave its running mean before anything is done, as a part of that mean
}

// DefaultQoE is what Reno does (RFC 5681, Sections 3.1 and 3.2: one segment up
// per round trip, half the window down), with a tolerance of a tenth.
var DefaultQoE = QoE{Alpha: 0.5, Beta: 1, Gamma: 0.1}

// QoE returns the parameters that the connection's decisions were made with.
func (m *Connection) QoE() QoE { return m.k.cfg.QoE }

// Cwnd estimates the congestion window of a sender from what is in flight, in
// rounds of one smoothed round-trip time, and what follows from it in QoE24. A
// round begins with a data packet; time in which nothing is sent is in none.
type Cwnd struct {
	Bytes      stats.Dist // largest number of octets in flight, per round
	Segments   stats.Dist // the same in MSS units
	Throughput stats.Dist // QoE24 eq. 1, Mbit/s
	Decisions  Decisions

	end    int64 // of the open round, ns; 0 before the first
	most   int64 // octets in flight in it, at most
	rounds int64
	sum    float64 // of the estimates, Mbit/s; their distribution has the mean, too, but not at hand
}

// Decisions are what eq. 2 of QoE24 would have done, once per round from the
// second on.
type Decisions struct {
	Decrease, Increase, Hold int64
	Next                     stats.Dist // the window that it would have set, in MSS units
}

// sent takes what is in flight, in octets, after a data packet.
func (w *Cwnd) sent(d *SubDir, inFlight, now int64) {
	if now >= w.end {
		w.roll(d, now)
	}
	w.most = max(w.most, inFlight)
}

// roll ends the open round and begins the next. Before the first smoothed
// round-trip time there is none.
func (w *Cwnd) roll(d *SubDir, now int64) {
	if !d.HasSRTT() {
		return
	}
	if w.end != 0 {
		w.finish(d, w.end)
	}
	w.end, w.most = now+max(minRound, int64(d.estimate().SRTT)), 0
}

// finish ends the open round at time at.
func (w *Cwnd) finish(d *SubDir, at int64) {
	segments := float64(w.most) / float64(d.half.Unit())
	estimate := rate(w.most, max(minRound, int64(d.estimate().SRTT)))
	if w.rounds > 0 {
		w.Decisions.decide(&d.m.k.cfg.QoE, segments, estimate, w.sum/float64(w.rounds))
	}
	w.sum += estimate
	w.rounds++
	w.Bytes.Add(float64(w.most))
	w.Segments.Add(segments)
	w.Throughput.Add(estimate)
	d.out.emit(SeriesCwndEstimate, at, float64(w.most))
	d.out.emit(SeriesThroughputEstimate, at, estimate)
}

// decide applies eq. 2 to a window and the throughput that it gives, against
// the mean of the estimates before it.
func (c *Decisions) decide(q *QoE, segments, estimate, mean float64) {
	switch {
	case estimate < mean*(1-q.Gamma):
		c.Decrease++
		segments = max(1, segments*(1-q.Alpha))
	case estimate > mean*(1+q.Gamma):
		c.Increase++
		segments += q.Beta
	default:
		c.Hold++
	}
	c.Next.Add(segments)
}

// close ends the last round where the subflow did.
func (w *Cwnd) close(d *SubDir) {
	if w.end != 0 && w.end != never {
		w.finish(d, min(w.end, d.sub.Sub.Last()))
	}
}
