package metrics

import (
	"cmp"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
	"mpanalyze/internal/stats"
)

// regretUnit derives scheduler_regret. Only the sender's capture shows when data left
// and what was in flight then.
var regretUnit = &unit{
	key:    "regret",
	places: []Role{Sender},
	meter:  hasRegret,
	report: new(regretMeter),
	asked:  func(c *Config) bool { return c.Regret }, // not by default, because it takes up to a twelfth of all CPU time
	flag:   "--extra regret",
}

// regretMeter judges the scheduler's choices by ECF's estimates.
type regretMeter struct {
	nop
	d    *DataDir
	subs perSub[pathRoom]

	lost          stats.Dist // weighted by bytes, ms
	chunks, worse int64      // chunks with a choice of paths, and those of them that took the worse path
	worseBytes    int64
	taken, best   int64 // when all data sent so far is acknowledged: on the paths taken, and on the best paths, ns
}

// pathRoom is what a path had in flight, and what it would have in flight by the best
// schedule.
type pathRoom struct {
	most, before int64   // largest number of bytes in flight, in the open span of time and in the span before
	ends         int64   // end of the open span, ns; a span is one smoothed round-trip time
	progress     int64   // when data was acknowledged last, or when the first data in flight was sent, ns
	given        float64 // bytes in flight by the best schedule
	at           int64   // time for which given is valid, ns
}

func (x *regretMeter) renew(d *DataDir) {
	*x = regretMeter{d: d, lost: x.lost.Renewed(), subs: x.subs.renewed(func(r *pathRoom) { *r = pathRoom{} })}
}

// sent notes the bytes in flight after n bytes were sent.
func (r *pathRoom) sent(s *SubflowDir, n, now int64) {
	inFlight := s.half.InFlight()
	if inFlight <= n {
		r.progress = now
	}
	if now >= r.ends {
		span := int64(s.est.SRTT)
		if r.before = r.most; now >= r.ends+span {
			r.before = 0
		}
		r.most, r.ends = 0, now+span
	}
	r.most = max(r.most, inFlight)
}

// window returns W of the formula, bytes.
func (r *pathRoom) window(s *SubflowDir) int64 {
	mss := int64(s.half.MSS())
	if mss == 0 {
		mss = s.half.SegmentBytes()
	}
	return max(r.most, r.before, min(10*mss, max(2*mss, 14600)))
}

// ack notes an acknowledgment on a path.
func (x *regretMeter) ack(s *SubflowDir, now int64) { x.subs.of(s).progress = now }

// estimate returns E of the formula for n bytes, ns.
func (r *pathRoom) estimate(s *SubflowDir, n, now int64) float64 {
	window := float64(r.window(s))
	if r.given > 0 {
		r.given = max(0, r.given-float64(now-r.at)*window/s.est.SRTT)
	}
	r.at = now
	return s.est.SRTT * max(1, (r.given+float64(n))/window)
}

// piece takes data that is sent.
func (x *regretMeter) piece(s *SubflowDir, p *dss.Piece, now int64) {
	if len(x.d.m.Subs) == 1 {
		return
	}
	n := p.Data.Len()
	x.subs.of(s).sent(s, n, now)
	if p.Kind != dss.First || !s.HasSRTT() {
		return
	}
	if una, ok := x.d.space.SndUna(); ok && una >= p.Data.Start {
		x.taken, x.best = 0, 0
	}
	best, least, choice := x.choose(s, n, now)
	x.subs.of(best).given += float64(n)
	x.taken, x.best = max(x.taken, now+int64(s.est.SRTT)), max(x.best, now+int64(least))
	if !choice {
		return
	}
	x.chunks++
	x.lost.AddWeighted(float64(max(0, x.taken-x.best))/1e6, float64(n))
	if s.est.SRTT-least > max(s.est.RTTVar, best.est.RTTVar, leastMargin) {
		x.worse++
		x.worseBytes += n
	}
}

// leastMargin is in ns. A choice is a worse one only if the two paths differ by more.
const leastMargin = 1e6

// choose returns the path on which n bytes would be acknowledged first and the time
// until then, ns. choice says whether there was another path than s.
func (x *regretMeter) choose(s *SubflowDir, n, now int64) (best *SubflowDir, least float64, choice bool) {
	best, least = s, s.est.SRTT
	x.subs.of(s).estimate(s, n, now) // updates given
	for _, sub := range x.d.m.inUse {
		o := sub.dirs[x.d.from]
		if o == nil || o == s || !x.usable(sub, o, now) {
			continue
		}
		choice = true
		if e := x.subs.of(o).estimate(o, n, now); e < least {
			best, least = o, e
		}
	}
	return best, least, choice
}

// usable reports whether the scheduler could have taken a path.
func (x *regretMeter) usable(sub *Sub, o *SubflowDir, now int64) bool {
	if !o.HasSRTT() || sub.Sub.Done() || !sub.Sub.Established() || sub.backup() {
		return false
	}
	return o.half.InFlight() == 0 || float64(now-x.subs.of(o).progress) <= o.est.RTO()
}

func (*regretMeter) reportConnection(v *view, out *report.ConnDir) {
	switch x := cmp.Or(v.dir().regret, noDir.regret); {
	case v.role != Sender:
		v.Set("scheduler_regret", atSenderOnly)
	case v.cut != "":
		v.Set("scheduler_regret", v.cut)
	case x.chunks == 0:
		v.Set("scheduler_regret", "whenever data was sent there was no other path to choose")
	default:
		out.SchedulerRegret = &report.SchedulerRegret{
			Chunks: x.chunks, WorseChunks: x.worse, WorsePercent: 100 * float64(x.worse) / float64(x.chunks), WorseBytes: x.worseBytes,
			Lost: fill.StatOf(&x.lost, report.Inferred), Evidence: report.Inferred,
		}
	}
}
