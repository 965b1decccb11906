package account

// Subflow keeps the rules of one subflow for the data of one direction. The zero value is
// empty; [Account.Open] begins it.
type Subflow struct {
	opened

	segment  int64 // size of a full segment, bytes
	recovery recovery
	rounds   rounds
	unused   unused
	sent     int64 // segments of new data
}

// opened is what is known of a subflow wherever the capture was taken.
type opened struct {
	Times Times

	from    int64  // since when it is open
	ended   *int64 // when it ended; 0 while it is open
	flight  int64  // bytes outstanding at the latest acknowledgment or, at the sender, the latest packet
	srtt    int64  // smoothed round-trip time, ns; 0 before the first sample
	silence silence
}

// empty returns an empty one with the same memory.
func (o *opened) empty() opened { return opened{silence: silence{down: o.silence.down[:0]}} }

// end returns when the subflow ended; never while it is open.
func (o *opened) end() int64 {
	if *o.ended != 0 {
		return *o.ended
	}
	return never
}

// Reset makes s empty but keeps its memory.
func (s *Subflow) Reset() {
	*s = Subflow{
		opened: s.opened.empty(), recovery: recovery{spans: s.recovery.spans[:0]},
		rounds: rounds{slowStart: s.rounds.slowStart[:0], path: s.rounds.path[:0]}, unused: unused{spans: s.unused.spans[:0], scheduler: s.unused.scheduler[:0]},
	}
}

// known returns the time up to which all rules of the subflow are decided.
func (s *Subflow) known(now int64) int64 {
	return min(s.silence.known(now), s.rounds.known(now), s.unused.known(now, s.srtt))
}

// silence finds the time in which the path is down: data is outstanding, and nothing of the
// path answers for longer than a retransmission timeout.
type silence struct {
	down  spans
	since int64 // the latest answer, or since when data is outstanding; 0 = nothing is outstanding
	rto   int64 // ns
}

func (x *silence) sent(now int64) {
	if x.since == 0 {
		x.since = now
	}
}

// answered takes an acknowledgment; outstanding says whether data is outstanding after it.
// It reports whether the path was down.
func (x *silence) answered(now, rto int64, outstanding bool) (down bool) {
	if down = x.isDown(now); down {
		x.down.add(x.since, now)
	}
	x.rto, x.since = rto, 0
	if outstanding {
		x.since = now
	}
	return down
}

// leastTimeout is the least timeout (RFC 6298, Section 2.4), ns. Linux repeats data earlier;
// a tail of a flight that was lost once is repaired within this time, so it is no path that is
// down.
const leastTimeout = 1e9

func (x *silence) timeout() int64 { return max(x.rto, leastTimeout) }

// isDown reports whether the path has been down for long enough to be sure of it.
func (x *silence) isDown(now int64) bool { return x.since != 0 && now-x.since > x.timeout() }

func (x *silence) known(now int64) int64 { return decided(x.isDown(now), x.since, now) }

func (x *silence) cursor(now int64) cursor { return x.down.with(x.isDown(now), x.since, now) }

// recovery finds the time in which a loss is repaired.
type recovery struct {
	spans spans
	since int64 // 0 = no loss is being repaired
	until int64 // position that ends it
}

// lost takes the first sign of a loss; nxt is the end of what was sent.
func (x *recovery) lost(now, nxt int64) (begins bool) {
	if x.since != 0 {
		return false
	}
	x.since, x.until = now, nxt
	return true
}

// acked takes an acknowledgment of all below una. It reports whether the recovery ends.
func (x *recovery) acked(now, una int64) (ends bool) {
	if x.since == 0 || una < x.until {
		return false
	}
	x.spans.add(x.since, now)
	x.since = 0
	return true
}

func (x *recovery) cursor(now int64) cursor { return x.spans.with(x.since != 0, x.since, now) }

// unused finds the time in which a subflow has room: nothing in flight, or less than half of
// what it lately had, for longer than a round trip. The scheduler left it unused if new data
// left on others meanwhile.
type unused struct {
	spans     spans
	scheduler spans // of them, those in which new data left on others
	since     int64 // 0 = it is in use
	others    int64 // segments of new data that others had sent then
}

// flight takes the bytes in flight; others is how many segments of new data other subflows have
// sent so far.
func (x *unused) flight(now, n, recent, srtt, others int64) {
	switch free := 2*n < recent || n == 0; {
	case free && x.since == 0:
		x.since, x.others = now, others
	case !free && x.since != 0:
		if now-x.since > srtt {
			x.spans.add(x.since, now)
			if others > x.others {
				x.scheduler.add(x.since, now)
			}
		}
		x.since = 0
	}
}

// lasts reports whether the subflow has been unused for long enough.
func (x *unused) lasts(now, srtt int64) bool { return x.since != 0 && now-x.since > srtt }

func (x *unused) known(now, srtt int64) int64 { return decided(x.lasts(now, srtt), x.since, now) }

func (x *unused) cursor(now, srtt int64) cursor {
	return x.spans.with(x.lasts(now, srtt), x.since, now)
}

// left is the time in which the scheduler left the subflow unused; others is as in
// [unused.flight].
func (x *unused) left(now, srtt, others int64) cursor {
	return x.scheduler.with(others != x.others && x.lasts(now, srtt), x.since, now)
}
