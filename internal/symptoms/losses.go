package symptoms

import (
	"math"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// Losses keeps what shows why a path loses segments: the delays of its segments, and
// those around its losses.
//
// The delay of a segment is its round trip in a capture at the sender. In a capture at
// the receiver it is the time of its arrival less its timestamp: the one-way delay plus a
// constant. Between the hosts no delay is known.
type Losses struct {
	// Copies counts the segments that were sent again, or whose hole was filled late. Down
	// counts those of them that were lost in times in which nothing of the path came
	// through.
	Copies, Down int64

	// TooLarge counts what [subflow.Sender.Oversized] counts when a packet, TooLargeAt, carries the first
	// segment that waits for the third time. LeastTooLarge is the size of the least of them, bytes.
	TooLarge, LeastTooLarge int64
	TooLargeAt              PacketRef
	SmallerPassed           bool // a smaller segment that was sent after them was SACKed then

	delays thinned[DelaySample]
	rounds thinned[*LossRound]

	open          []openRound        // rounds whose holes are not filled; bounded by maxOpenRounds
	latest        DelaySample        // of the latest segment
	own           int32              // its own delay, µs
	repeats       int32              // copies of the first outstanding segment since the latest progress
	bytes         int64              // that were acknowledged until then
	clock         senderClock        // at the receiver
	top           seq.SSN            // end of what came through; 0 = nothing yet
	counted       int64              // value of the tracker's counter of copies
	since         int64              // copies since the latest progress
	lastAt        int64              // time of the latest progress, ns
	downEnd       seq.SSN            // end of what was sent in the latest time in which the path was down
	resumed       seq.SSN            // end of what came in order until the latest silence, and of one segment after it
	noProbe       bool               // no probe of a tail loss came in that silence, at the receiver
	beforeTimeout seq.Range[seq.SSN] // hole of a silence that a queue explains, too, if it was sent at once; the latest
	tailEnd       seq.SSN            // end of what was sent when a loss without a hole was seen
}

// DelaySample is the delay around a segment: the larger of its own and that of the
// segment before, because of two neighbours of a lost segment the one nearer to it in
// time is not known.
type DelaySample struct {
	At     int64  // ns
	Delay  int32  // µs
	Amount uint32 // of the path that was acknowledged until then, in units of AmountUnit, modulo 2^32
}

// AmountUnit is the unit of amounts in samples, bytes.
const AmountUnit = 64

// LossRound is what was lost within one round trip.
type LossRound struct {
	At    int64 // when the first hole was seen, ns
	Delay int32 // mean of the delays around the holes, µs
	Bytes int64 // of the path that were acknowledged until then
	// Runs is the number of holes: runs of consecutive lost segments.
	Runs, Segments int64
}

// openRound is a round of holes.
type openRound struct {
	seq.Range[seq.SSN]
	LossRound
	sum  int64      // of the delays around the holes, µs
	lost *LossRound // what is kept of it; nil before a copy shows that a hole is a loss, and not reordering
}

// Bounds of what a path keeps.
const (
	maxSamples    = 128 // of a series
	maxOpenRounds = 8
)

// DownSegments is the least number of segments in a row that were lost while a path was down.
//
// A path was down if nothing came through until a timeout, and then all segments in flight were lost. After a timeout a
// sender repeats one segment (RFC 5681, Section 3.1), and then sends new ones. So the hole begins at the end of that
// segment, or with it if it was lost, too.
//
// A burst that finds a queue full leaves the same hole. At the sender: a queue delivers what stands in it, so a link that
// is up carries segments while the lost ones are sent. At the receiver: a probe of a tail loss comes two round trips
// after the burst (RFC 8985, Section 7), and arrives, because the queue is empty by then.
const DownSegments = 8

// probeRounds are the round trips in which a probe of a tail loss comes, and its answer.
const probeRounds = 3

// timeout returns the least retransmission timeout of a path, ns.
func timeout(srtt float64) float64 { return srtt + subflow.MinRTO }

// Delays returns samples of the delays of the path, evenly spaced among its segments, in
// their order; none where they are not known.
func (l *Losses) Delays() []DelaySample {
	if !l.clock.isKnown() {
		return nil
	}
	return l.delays.kept
}

// Rounds returns the round trips in which segments were lost, in their order, or an even
// selection of them.
func (l *Losses) Rounds() []LossRound {
	out := make([]LossRound, len(l.rounds.kept))
	for i, r := range l.rounds.kept {
		out[i] = *r
	}
	return out
}

// LostWhileDown returns how many segments were lost while nothing of the path came through,
// those of a time that never ended included.
func (l *Losses) LostWhileDown() int64 {
	if l.repeats >= 2 {
		return l.Down + l.since
	}
	return l.Down
}

// longestDelay bounds delays, µs, so that the difference of two is an int32.
const longestDelay = math.MaxInt32 / 2

// sample takes the delay of a segment, ns; bytes were acknowledged until then.
func (l *Losses) sample(at, delay, bytes int64) {
	own := int32(max(-longestDelay, min(delay/1e3, longestDelay)))
	around := own
	if len(l.delays.kept) > 0 {
		around = max(own, l.own)
	}
	l.latest, l.own, l.bytes = DelaySample{at, around, uint32(bytes / AmountUnit)}, own, bytes
	l.delays.add(l.latest, maxSamples)
}

// came takes a part of the stream that came through at a time. srtt is the smoothed
// round trip, ns, and unit the size of a segment.
func (l *Losses) came(r seq.Range[seq.SSN], at int64, srtt float64, unit int64, atSender bool) {
	if silent := float64(at - l.lastAt); l.lastAt > 0 && silent >= timeout(srtt) {
		l.resumed, l.noProbe = l.top, !atSender && silent >= probeRounds*srtt
		if r.Start <= l.top && (atSender || r.Len() <= unit) {
			l.resumed = max(l.top, r.End)
		}
	}
	l.lastAt = at
	if l.top > 0 && r.Start > l.top {
		l.hole(seq.Range[seq.SSN]{Start: l.top, End: r.Start}, at, srtt, unit)
	}
	l.top = max(l.top, r.End)
}

// hole takes a part of the stream that did not come through although a later one did.
func (l *Losses) hole(r seq.Range[seq.SSN], at int64, srtt float64, unit int64) {
	if r.Start == l.resumed && r.Len() >= DownSegments*unit {
		if l.noProbe {
			l.downEnd = r.End
			return
		}
		l.beforeTimeout = r
	}
	if n := len(l.open); n > 0 && (float64(at-l.open[n-1].At) < srtt || n >= maxOpenRounds) {
		o := &l.open[n-1]
		o.End = r.End
		o.sum += int64(l.latest.Delay)
		o.Runs++
		return
	}
	l.open = append(l.open, openRound{Range: r, LossRound: LossRound{At: at, Bytes: l.bytes, Runs: 1}, sum: int64(l.latest.Delay)})
}

// MaybeDown reports whether segments were lost before a timeout, and nothing shows whether the path was down.
func (l *Losses) MaybeDown() bool { return l.beforeTimeout.Len() > 0 }

// judgeTimeout decides at the sender whether the path was down where segments were lost before a timeout.
func (t *Path) judgeTimeout() {
	l := &t.Losses
	if rate, _ := t.Delivered.Most(); rate.Mbps()*float64(t.sender.SentOver(l.beforeTimeout)) >= 8e3*float64(DownSegments*t.sender.SegmentBytes()) {
		l.downEnd = l.beforeTimeout.End
		l.forget(l.downEnd)
	}
	l.beforeTimeout = seq.Range[seq.SSN]{}
}

// forget drops the holes below p.
func (l *Losses) forget(p seq.SSN) {
	if len(l.open) > 0 && l.open[0].End <= p { // they ascend
		l.open = slices.DeleteFunc(l.open, func(o openRound) bool { return o.End <= p })
	}
}

// copied takes copies of n segments that begin at r; next is SND.NXT.
func (l *Losses) copied(r seq.Range[seq.SSN], n int64, at int64, next seq.SSN) {
	l.Copies += n
	if r.Start < l.downEnd {
		l.Down += n
		return
	}
	l.since += n
	for i := range l.open {
		o := &l.open[i]
		if !o.Overlaps(r) {
			continue
		}
		o.Segments += n
		o.Delay = int32(o.sum / o.Runs)
		if o.lost == nil {
			o.lost = new(LossRound)
			l.rounds.add(o.lost, maxSamples)
		}
		*o.lost = o.LossRound
		return
	}
	if r.Start < l.tailEnd { // the loss is counted
		return
	}
	l.tailEnd = next
	l.rounds.add(&LossRound{at, l.latest.Delay, l.bytes, 1, n}, maxSamples)
}

// progress notes that something of the path came through; una is SND.UNA and
// next SND.NXT.
func (l *Losses) progress(una, next seq.SSN) {
	if l.repeats >= 2 && l.since > 0 {
		l.Down += l.since
		l.downEnd = next
	}
	l.repeats, l.since = 0, 0
	l.forget(una)
}

// loses takes a packet with payload in a capture at an end. At the sender a copy shows a loss. At the receiver
// it is what fills a hole so late that it was not reordered.
func (t *Path) loses(p *conn.Packet) {
	l, snd, s, r := &t.Losses, t.sender, p.Seg, p.TCP.Sent.Range
	atSender, n := t.dir.atSender, snd.HoleFills
	if atSender {
		n += snd.RexmitSegments
	}
	if n > l.counted {
		if atSender && r.Start == snd.SndUna() {
			if l.repeats++; l.repeats == 2 && l.TooLarge == 0 {
				l.TooLarge, l.LeastTooLarge, l.SmallerPassed = snd.Oversized()
				l.TooLargeAt = refTo(p)
			}
		}
		l.copied(r, n-l.counted, s.Time, snd.SndNxt())
		l.counted = n
	}
	if atSender {
		return
	}
	if r.End > l.top && s.Have&packet.HasTimestamps != 0 {
		l.sample(s.Time, l.clock.delay(s.Time, s.TSVal), t.Delivered.last.bytes)
	}
	l.came(r, s.Time, t.SRTT, snd.SegmentBytes(), false)
	l.forget(snd.SndUna())
}

// thinned keeps values of a series, evenly spaced, of which there are at most limit: at the
// limit it drops every second one, and keeps half as many of those that follow.
type thinned[T any] struct {
	kept  []T
	every int64 // one of so many is kept, a power of two; 0 before the first
	n     int64 // values so far
}

// add takes the next value. limit is even.
func (s *thinned[T]) add(x T, limit int) {
	s.every = max(1, s.every)
	if s.n++; (s.n-1)&(s.every-1) != 0 {
		return
	}
	if len(s.kept) >= limit {
		for i := range limit / 2 {
			s.kept[i] = s.kept[2*i]
		}
		s.kept, s.every = s.kept[:limit/2], 2*s.every
	}
	s.kept = append(s.kept, x)
}

// senderClock is the clock that the timestamps of a sender show, as the receiver sees it.
type senderClock struct {
	seen              bool
	firstVal, lastVal uint32
	first, last       int64 // ns
}

// tick is the unit of the timestamps by which delays are measured, ns: that of Linux.
const tick = 1e6

// otherTicks are other units that hosts use, ns.
var otherTicks = [...]float64{1e3, 4e6, 10e6, 100e6}

// delay returns the one-way delay of a segment that arrived at a time, less that of the
// first segment, ns.
func (k *senderClock) delay(at int64, val uint32) int64 {
	if !k.seen {
		*k = senderClock{true, val, val, at, at}
	}
	k.lastVal, k.last = val, at
	return at - k.first - int64(int32(val-k.firstVal))*tick
}

// isKnown reports whether the timestamps count in ticks: no other unit fits the time that
// passed better. Without any timestamp there is nothing to be wrong.
func (k *senderClock) isKnown() bool {
	passed, ticks := float64(k.last-k.first), float64(k.lastVal-k.firstVal)
	off := func(unit float64) float64 { return max(passed-ticks*unit, ticks*unit-passed) }
	return !slices.ContainsFunc(otherTicks[:], func(unit float64) bool { return off(unit) < off(tick) })
}
