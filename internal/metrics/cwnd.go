package metrics

import (
	"cmp"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// cwndUnit derives cwnd_estimate, throughput_estimate and cwnd_decisions. Only
// the sender's capture shows them.
var cwndUnit = &unit{
	key:    "cwnd",
	series: []*Series{seriesCwndEstimate, seriesThroughputEstimate, seriesDecisions},
	family: catalogue.FamilyWindows,
	places: []Role{Sender},
	meter:  hasCwnd,
	report: new(cwndMeter),
}

var (
	seriesCwndEstimate       = &Series{name: "cwnd_estimate"}
	seriesThroughputEstimate = &Series{name: "throughput_estimate"}
	seriesDecisions          = &Series{name: "cwnd_decisions"} // the window that follows, MSS
)

type cwndMeter struct {
	nop
	d    *DataDir
	subs perSub[Cwnd]
}

func (x *cwndMeter) renew(d *DataDir) { *x = cwndMeter{d: d, subs: x.subs.renewed((*Cwnd).reset)} }

func (w *Cwnd) reset() {
	*w = Cwnd{Bytes: w.Bytes.Renewed(), Segments: w.Segments.Renewed(), Throughput: w.Throughput.Renewed(), Decisions: Decisions{Next: w.Decisions.Next.Renewed()}}
}

func (x *cwndMeter) payload(s *SubflowDir, now int64) {
	x.subs.of(s).sent(s, s.half.InFlight(), now)
}

func (x *cwndMeter) close(int64) {
	for id, w := range x.subs.all() {
		w.close(x.d.m.Subs[id].dirs[x.d.from])
	}
}

// Cwnd returns the estimate of the subflow's congestion window.
func (s *SubflowDir) Cwnd() *Cwnd { return cmp.Or(s.dir.cwnd, noDir.cwnd).subs.at(s.id) }

// Cwnd estimates the congestion window of a sender from the bytes in flight, in rounds
// of one smoothed round-trip time. It also derives from it the figures of QoE24. A
// round begins with a data packet; time in which nothing is sent belongs to no round.
type Cwnd struct {
	Bytes      stats.Dist // largest number of bytes in flight, per round
	Segments   stats.Dist // the same in MSS units
	Throughput stats.Dist // QoE24 eq. 1, Mbit/s, per round with a round-trip sample
	Decisions  Decisions

	end     int64 // of the open round, ns; 0 before the first
	most    int64 // largest number of bytes in flight in the open round
	before  int64 // the same for the round before; 0 in the first
	lost    bool  // whether a loss has shown up to the latest data packet
	trips   int64 // round-trip samples before the open round
	tripSum int64 // of these samples, ns
}

// sent takes the bytes in flight after a data packet.
func (w *Cwnd) sent(d *SubflowDir, inFlight, now int64) {
	if now >= w.end {
		w.roll(d, now)
	}
	w.most = max(w.most, inFlight)
	w.lost = d.half.RexmitSegments+d.half.HoleFills > 0
}

// roll ends the open round and begins the next. There is no round before the first
// smoothed round-trip time.
func (w *Cwnd) roll(d *SubflowDir, now int64) {
	if !d.HasSRTT() {
		return
	}
	if w.end != 0 {
		w.finish(d)
	}
	e := &d.est
	w.end, w.most = now+max(minRound, int64(e.SRTT)), 0
	w.trips, w.tripSum = e.Samples, d.sum
}

// finish ends the open round.
func (w *Cwnd) finish(d *SubflowDir) {
	segments := float64(w.most) / float64(d.half.SegmentBytes())
	w.Bytes.Add(float64(w.most))
	w.Segments.Add(segments)
	d.out.emit(seriesCwndEstimate, w.end, float64(w.most))
	if w.avoids() {
		w.Decisions.avoiding = true
	}
	w.before = w.most
	if n := d.est.Samples - w.trips; n > 0 {
		estimate := rate(w.most, max(minRound, (d.sum-w.tripSum)/n))
		w.Throughput.Add(estimate)
		d.out.emit(seriesThroughputEstimate, w.end, estimate)
		if next, ok := w.Decisions.take(&d.dir.m.k.cfg.QoE, segments, estimate); ok {
			d.out.emit(seriesDecisions, w.end, next)
		}
	}
}

// avoids reports whether congestion avoidance has begun by the end of the open
// round: slow start ends with the first loss (RFC 5681, Section 3.1), and
// before that it doubles the window in each round.
func (w *Cwnd) avoids() bool {
	return w.lost || w.before > 0 && 2*w.most < 3*w.before
}

// close ends the last round. That round counts only if the subflow lasted to its end,
// because in a part of a round the bytes in flight may not have reached their maximum.
func (w *Cwnd) close(d *SubflowDir) {
	if w.end != 0 && w.end <= d.sub.Sub.Last() {
		w.finish(d)
	}
}

func (*cwndMeter) reportSubflow(v *view, out *report.SubDir) {
	w, why := v.sub.Dir(v.from).Cwnd(), atSender(v, "no round of a smoothed round-trip time began and ended within the capture", atSenderOnly)
	out.CwndEstimate = v.Stat("cwnd_estimate_bytes", &w.Bytes, report.Inferred, why)
	out.CwndEstimateMSS = v.Stat("cwnd_estimate_mss", &w.Segments, report.Inferred, why)
	if w.Bytes.N() > 0 {
		why = "no ACK gave a round-trip sample in any round"
	}
	out.ThroughputEstimate = v.Stat("throughput_estimate_mbps", &w.Throughput, report.Inferred, why)
	if w.Throughput.N() == 0 {
		v.Set("cwnd_decisions", why)
		return
	}
	c, q := &w.Decisions, &v.m.k.cfg.QoE
	out.CwndDecisions = v.Mem.Decisions.Of(report.CwndDecisions{
		Decrease: c.Decrease, Increase: c.Increase, Hold: c.Hold,
		NextMSS: v.Stat("cwnd_decisions.next_mss", &c.Next, report.Inferred, "fewer than two rounds of congestion avoidance have a throughput estimate"),
		Alpha:   q.Alpha, Beta: q.Beta, Gamma: q.Gamma, Evidence: report.Inferred,
	})
}
