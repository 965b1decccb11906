package account

// Subflow keeps the rules of one subflow for the data of one direction. The zero value is
// empty; Open begins it.
type Subflow struct {
	Times Times
	Room  int64 // time in which it had room, and the next data in order waited for another subflow, ns; at the sender

	id             int
	from           int64  // since when it is open
	ended          *int64 // when it ended; 0 while it is open
	before, behind State  // of the connection if the next data waits for it then
	swept          int64  // time up to which the times are complete
	heads          spans  // the times in which the next data in order waits for it

	segment int64 // size of a full segment, bytes
	flight  int64 // bytes outstanding at the latest acknowledgment or, at the sender, the latest packet
	srtt    int64 // smoothed round-trip time, ns; 0 before the first sample

	silence silence
	repair  repair
	sender  sender
	away    away

	inferred inferred
}

// sender is what is known of a subflow in a capture at the sender.
type sender struct {
	rounds    rounds
	pauses    pauses
	busy      holding       // it has no pause, repairs no loss, and its path is not down
	scheduler spans         // parts of pauses that it takes
	held      [States]spans // what the rest of each pause went to

	heldUntil int64 // end of the latest pause, if that went to Window; else 0
	heldRTT   int64 // the round trip then, ns
}

// away is what is known of a subflow in a capture away from the sender.
type away struct {
	hole     bool  // data of it is known to be missing
	dataEnd  int64 // end of the highest data that it carried
	leastRTT int64 // ns
	queue    queue
}

// lists returns the times that the rules of the subflow keep for the account.
func (s *Subflow) lists() [14]*spans {
	x := &s.sender
	return [...]*spans{
		&s.heads, &s.silence.spans, &s.repair.spans, &x.scheduler, &x.held[Recovery], &x.held[Application], &x.held[Window], &x.held[Undetermined],
		&x.rounds.plateau.spans, &x.rounds.slowStart, &x.rounds.path, &x.rounds.filled.spans, &x.rounds.filled.deep, &s.away.queue.spans,
	}
}

// Reset makes s empty but keeps its memory.
func (s *Subflow) Reset() {
	lists, rounds, busy := s.lists(), s.sender.rounds.plateau.rounds[:0], s.sender.busy.spans[:0]
	inferred := inferred{ends: s.inferred.ends.empty(), replies: s.inferred.replies.empty()}
	var kept [len(lists)]spans
	for i, l := range lists {
		kept[i] = (*l)[:0]
	}
	*s = Subflow{}
	for i, l := range lists {
		*l = kept[i]
	}
	s.sender.rounds.plateau.rounds, s.sender.busy.spans, s.inferred = rounds, busy, inferred
}

// end returns when the subflow ended; never while it is open.
func (s *Subflow) end() int64 {
	if s.ended == nil || *s.ended == 0 {
		return never
	}
	return *s.ended
}

// silence finds the time in which the path is down: data is outstanding, and nothing of the
// path answers for longer than a retransmission timeout.
type silence struct {
	holding       // its since is the latest answer, or since when data is outstanding
	rto     int64 // ns
}

// answered takes an acknowledgment; outstanding says whether data is outstanding after it.
// It reports whether the path was down.
func (x *silence) answered(now, rto int64, outstanding bool) (down bool) {
	if down = x.isDown(now); down {
		x.spans.add(x.since, now)
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

func (x *silence) cursor(now int64) cursor { return x.spans.with(x.isDown(now), x.since, now) }

// repair finds the time in which a loss is repaired: from the first SACK above a hole, or the first
// copy, until all that had been seen then is acknowledged. Away from the sender a copy, also one that
// fills a hole, shows that it was a loss, and so does a hole that stays open for a retransmission
// timeout. Any other one was reordering, or the capture missed a packet.
type repair struct {
	holding       // its since is the first sign
	until   int64 // position that ends it
	copies  int64
	proved  bool
}

// lost takes the first sign of a loss; nxt is the end of what was seen.
func (x *repair) lost(now, nxt int64, proved bool) (begins bool) {
	if x.since != 0 {
		return false
	}
	x.since, x.until, x.proved = now, nxt, proved
	return true
}

// copied takes payload away from the sender. It reports whether a loss shows.
func (x *repair) copied(now int64, p *Data) (begins bool) {
	if p.Copies == x.copies {
		return false
	}
	x.copies, x.proved = p.Copies, true
	return x.lost(now, p.Nxt, true)
}

// acked takes an acknowledgment of all below una. It reports whether the repair ends.
func (x *repair) acked(now, una, timeout int64) (ends bool) {
	if x.since == 0 || una < x.until {
		return false
	}
	if x.isLoss(now, timeout) {
		x.spans.add(x.since, now)
	}
	x.since = 0
	return true
}

// isLoss reports whether a loss is being repaired for sure.
func (x *repair) isLoss(now, timeout int64) bool {
	return x.since != 0 && (x.proved || now-x.since > timeout)
}

func (x *repair) known(now, timeout int64) int64 {
	return decided(x.isLoss(now, timeout), x.since, now)
}

func (x *repair) cursor(now, timeout int64) cursor {
	return x.spans.with(x.isLoss(now, timeout), x.since, now)
}
