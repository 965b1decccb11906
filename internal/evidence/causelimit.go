package evidence

import (
	"cmp"
	"fmt"
	"slices"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// The bounds between the causes, from sessions with known causes. What lies between them proves
// none.
const (
	leastRows     = 8    // rows in which data was sent
	mostWritten   = 0.3  // part of the rows with data not sent: above, the window or pacing limits
	fewWritten    = 0.2  // below, nothing waits in the subflow
	atWindow      = 0.8  // part of the rows at the congestion window: from here on it limits
	belowWindow   = 0.05 // up to here it does not
	littleMemory  = 0.4  // memory in use / limit: below, the application offers no more
	muchMemory    = 1.5  // above, the buffer limits
	nearlySame    = 1.1  // largest / least limit of a buffer that is constant
	manyUnread    = 0.5  // unread bytes / limit: above, the application reads too slowly
	fewUnread     = 0.1  // below, it reads at once
	leastPaced    = 0.5  // part of the rows at the pacing rate
	queueDelay    = 5.0  // ms that a queue of the host adds to the round trip
	queueDelayPer = 0.1  // the same as a part of the round trip
)

// total adds up the rows of the subflows that a side sends on.
func (s *causeFinder) total(side int) (t sending, paced bool) {
	for i := range s.conn.Subflows {
		x := &s.conn.Subflows[i]
		a := s.lookup(x.A, x.B, x.ReceiverA, x.ReceiverB, s.start+int64(x.StartS*1e9))[side]
		if a == nil || a.disproved&(1<<sentBytes|1<<ackedBytes) != 0 {
			continue
		}
		one := &a.socket.sending
		if t.rows == 0 || one.rows > 0 && t.first.at.File == nil {
			t.first, t.lastTime, t.cwnd = one.first, one.lastTime, one.cwnd
		}
		if one.rows > 0 {
			t.lastTime = max(t.lastTime, one.lastTime)
			t.cwnd = [2]float64{min(t.cwnd[0], one.cwnd[0]), max(t.cwnd[1], one.cwnd[1])}
		}
		t.rows, t.written, t.atWindow, t.paced = t.rows+one.rows, t.written+one.written, t.atWindow+one.atWindow, t.paced+one.paced
		t.room, t.quiet, t.quietRoom = t.room+one.room, t.quiet+one.quiet, t.quietRoom+one.quietRoom
		t.lost = t.lost || one.lost
		for _, name := range a.socket.controls {
			paced = paced || len(name) >= 3 && name[:3] == "bbr"
		}
	}
	return t, paced
}

// part returns n of the rows.
func (t *sending) part(n int64) float64 { return float64(n) / float64(t.rows) }

// sender returns what limits a side that sends.
func (s *causeFinder) sender(side int) *finding {
	if s.hosts[side] == nil || s.of == nil {
		return nil
	}
	t, paced := s.total(side)
	if t.rows < leastRows {
		return nil
	}
	name := sideName(side)
	switch written, at := t.part(t.written), t.part(t.atWindow); {
	case written >= 1-mostWritten && at >= atWindow:
		return s.window(side, &t)
	case written >= 1-mostWritten && at <= mostWritten && t.part(t.paced) >= leastPaced && paced && !s.queued(side):
		return s.sampled(report.CausePacing, side, t.first, "notsent", float64(t.written), "count",
			"the kernel of %s paces: data waited in %d of %d samples below the congestion window, at the pacing rate", name, t.written, t.rows)
	case written <= fewWritten && at <= belowWindow:
		return s.buffer(side, &t)
	}
	return nil
}

// window returns that the congestion window limits, or a limit on it.
func (s *causeFinder) window(side int, t *sending) *finding {
	name := sideName(side)
	if t.cwnd[0] == t.cwnd[1] && !t.lost && len(s.conn.Subflows) == 1 {
		return s.sampled(report.CauseCwndClamp, side, t.first, "cwnd", t.cwnd[1], "segments",
			"the congestion window of %s stayed at %.0f segments without a loss, and was used up in %d of %d samples", name, t.cwnd[0], t.atWindow, t.rows)
	}
	return s.sampled(report.CauseCwnd, side, t.first, "cwnd", t.cwnd[1], "segments",
		"the congestion window of %s was used up in %d of %d samples, with data waiting", name, t.atWindow, t.rows)
}

// buffer returns that the application of a side, or its send buffer, limits.
func (s *causeFinder) buffer(side int, t *sending) *finding {
	m := s.of.mptcp[side]
	if m == nil || m.buffers.send.N() < leastRows {
		return nil
	}
	b, name := &m.buffers, sideName(side)
	switch use := median(&b.send); {
	case use <= littleMemory:
		f := s.sampled(report.CauseApplication, side, t.first, "notsent", 0, "bytes",
			"the application on %s offers no more: nothing waited in %d of %d samples, and the send buffer was used to %.0f %%", name, t.rows-t.written, t.rows, 100*use)
		f.lines = append(f.lines, s.line(side, b.sendFirst, "skmem w/tb", use, "ratio", "memory in use / limit, the median"))
		return f
	case use >= muchMemory && b.sendLimit[1] <= nearlySame*b.sendLimit[0]:
		return s.sampled(report.CauseSendBuffer, side, b.sendFirst, "skmem tb", b.sendLimit[1], "bytes",
			"the send buffer of %s is full: its limit is %.0f bytes, and %.1f times as much was in use, while nothing waited in the subflows", name, b.sendLimit[1], use)
	}
	return nil
}

// receiver returns why the window of a side that receives is closed.
func (s *causeFinder) receiver(side int, d report.Direction) *finding {
	if s.hosts[side] == nil || s.of == nil || s.of.mptcp[side] == nil {
		return nil
	}
	b, name := &s.of.mptcp[side].buffers, sideName(side)
	if b.receive.N() < leastRows {
		return nil
	}
	unread, n := median(&b.receive), b.receive.N()
	switch {
	case unread >= manyUnread && !s.outOfOrder(d, b):
		return s.sampled(report.CauseApplication, side, b.fullFirst, "Recv-Q", b.fullLeast, "bytes",
			"the application on %s reads too slowly: its socket held %.0f bytes or more unread, of a buffer of %.0f, in %d of %d samples", name, b.fullLeast, b.readLimit[1], b.full, n)
	case b.receive.Quantiles(0.8)[0] <= fewUnread && b.readLimit[1] <= nearlySame*b.readLimit[0]:
		return s.sampled(report.CauseReceiveBuffer, side, b.readFirst, "skmem rb", b.readLimit[1], "bytes",
			"the receive buffer of %s stays at %.0f bytes, and the application reads at once", name, b.readLimit[1])
	}
	return nil
}

// outOfOrder reports whether unread bytes may be data out of order, which counts as unread.
func (s *causeFinder) outOfOrder(d report.Direction, b *buffers) bool {
	dir := s.conn.Dir(d)
	return dir == nil || dir.HoLQueueBytes == nil || dir.HoLQueueBytes.Avg > b.fullLeast/4
}

// limits adds a verdict where records prove what limits a side that sends and no verdict says it.
func (s *causeFinder) limits() {
	for _, d := range report.Directions {
		side := sideOf(d)
		if s.limited(d) {
			continue
		}
		f := s.sender(side)
		if f == nil {
			continue
		}
		v := report.Verdict{
			Code: report.VerdictSenderLimited, Severity: report.Minor, Certainty: report.Likely, Direction: &d, Form: "records",
			Parameters: []report.Parameter{word("advice", string(f.code))},
		}
		f.name(&v)
		s.explained(&v)
		s.add(v)
	}
}

// add adds a verdict behind those that are as severe.
func (s *causeFinder) add(v report.Verdict) {
	at := len(*s.verdicts)
	for at > 0 && (*s.verdicts)[at-1].Severity.Rank() > v.Severity.Rank() {
		at--
	}
	*s.verdicts = slices.Insert(*s.verdicts, at, v)
}

// limited reports whether a verdict already says what limits a direction.
func (s *causeFinder) limited(d report.Direction) bool {
	for i := range *s.verdicts {
		v := &(*s.verdicts)[i]
		switch v.Code {
		case report.VerdictApplication, report.VerdictSenderLimited, report.VerdictWindowClosed:
			if v.Direction == nil || *v.Direction == d {
				return true
			}
		}
	}
	return false
}

// queued reports whether a queue of a side delays or drops packets.
func (s *causeFinder) queued(side int) bool {
	for i := range s.conn.Subflows {
		if f, _ := s.queue(i, side); f != nil {
			return true
		}
	}
	return false
}

// queue returns that a queue of the sending side drops or delays the packets of a subflow, and
// whether it drops.
func (s *causeFinder) queue(sub, side int) (f *finding, drops bool) {
	if s.hosts[side] == nil {
		return nil, false
	}
	name := sideName(side)
	if dev := s.device(sub, side); dev != nil && dev.QueueAfter != nil {
		q := dev.QueueAfter
		before := cmp.Or(dev.QueueBefore, q) // what was dropped since the start of the device proves nothing
		dropped, over := q.Dropped-before.Dropped, q.Overlimits-before.Overlimits
		if dropped > 0 || over > 0 {
			field, count, did := "dropped", dropped, fmt.Sprintf("dropped %d packets", dropped)
			switch {
			case dropped <= 0:
				field, count, did = "overlimits", over, fmt.Sprintf("held packets back %d times", over)
			case over > 0:
				did += fmt.Sprintf(", and held packets back %d times", over)
			}
			return s.proved(report.CauseQueue, side, hosts.Ref{File: q.File, Line: q.CountLine}, field, count, "the queue of %s on %s (%s) %s", name, dev.Dev, q.Qdisc, did), dropped > 0
		}
	}
	x := &s.conn.Subflows[sub]
	a := s.lookup(x.A, x.B, x.ReceiverA, x.ReceiverB, s.start+int64(x.StartS*1e9))[side]
	if a == nil || !a.here || a.disproved&(1<<roundTrip) != 0 || a.socket.sending.rows < leastRows {
		return nil, false
	}
	rtt := a.agreement().SRTT
	if d := rtt.KernelMinusPackets; d != nil && *d > max(queueDelay, queueDelayPer*median(&a.socket.figs[figSRTT])) {
		return s.sampled(report.CauseQueue, side, a.socket.sending.first, "rtt", *d, "ms",
			"the round trips that the kernel of %s measures are %.1f ms longer than those of the packets, which were captured behind its queue", name, *d), false
	}
	return nil, false
}
