package metrics

import (
	"fmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/seq"
)

// PathProgress is what explains the figures of one direction of one subflow.
type PathProgress struct {
	// Blocked is the time in which the in-order edge of the data waited for
	// what this subflow had to carry while later data had passed on others,
	// ns; Blocks the number of such times, Worst the longest.
	Blocked int64
	Blocks  int64
	Worst   Span

	// Of the cells in which any subflow carried payload: those in which this
	// one was established, and those of them in which it carried none and
	// had none outstanding.
	Open, Idle int64
	// Cells in which this one carried payload, and those of them in which another
	// subflow did, too.
	Carried, Beside int64

	IdleFrom int64 // start of its longest run of idle cells, ns
	IdleRun  int64 // cells of it
	run      int64 // of the open run

	Progress Mark // the latest packet that brought its data on

	cell    int64 // octets in the open cell
	waiting bool  // something is outstanding, as far as the capture shows
	since   Mark  // the latest progress, or since when something is outstanding
	other   Mark  // the first progress of another subflow after that
	rival   int   // which one; valid with other
	reset   Mark  // the RST that ended it; none where it was not reset
	grave   int   // 1 + index of its open handover; 0 = none
	before  int64 // Blocked at since

	top    seq.DSN // end of the data at topSSN
	topSSN seq.SSN // end of the highest payload seen
}

// Handover is a path that died, and what carried on (METRICS: handover).
type Handover struct {
	From, To int   // subflows
	Gap      Span  // last progress on the one to the first on the other
	Since    Since // what Gap.From is
	Reset    Mark  // the RST that ended it; none where it fell silent with data outstanding
	Back     Mark  // its first progress after that; none where it stayed dead
	Blocked  int64 // time in which in-order delivery waited for its data meanwhile, ns

	before int64
}

// Since is what the silence of a path that died counts from.
type Since uint8

// Its last progress; where it had made none for long, at the sender the first
// data that was not acknowledged, at the receiver the first arrival on another
// path that showed a hole.
const (
	SinceProgress Since = iota
	SinceSent
	SinceHole
)

// silence returns what the silence of a subflow counts from.
func (c *PathProgress) silence(role Role) Since {
	switch {
	case c.since == c.Progress:
		return SinceProgress
	case role == Sender:
		return SinceSent
	}
	return SinceHole
}

// EventHandover is the kind of the event that a path dies and another carries
// on.
const EventHandover conn.EventKind = "handover"

// maxHandovers bounds the handovers that a direction of a connection remembers.
const maxHandovers = 64

// await notes at the sender that a subflow has something outstanding, where it
// had nothing.
func (t *Trace) await(c *PathProgress, at Mark) {
	c.waiting, c.since, c.other, c.before = true, at, Mark{}, c.Blocked
	t.leader = nil
}

// missed notes at the receiver that the subflow lost data, of which a copy
// came at time at on subflow rival, after the data behind it had waited since
// hole. Where the subflow had been idle for long before that, the hole is the
// first that is known of its death.
func (c *PathProgress) missed(hole, at Mark, rival int) {
	if c.waiting {
		return
	}
	c.waiting, c.before = true, c.Blocked
	if !c.since.Seen() || hole.Time-c.since.Time > traceCell*10 {
		c.since, c.other, c.rival = hole, at, rival
	}
}

// relieved notes away from the sender that data came on a backup, which a
// sender uses only while no regular path works (RFC 8684, Section 3.3.8): the
// subflow that came on last before is gone, if it has been quiet for longer
// than the least retransmission timeout.
func (t *Trace) relieved(m *Connection, backup *Sub, from conn.Side, at Mark) {
	var last *Sub
	for _, s := range m.rivals() {
		if c := s.Progress(from); c.Progress.Seen() && (last == nil || c.Progress.Time > last.Progress(from).Progress.Time) {
			last = s
		}
	}
	if last == nil || last == backup || last.reserve() || last.closed() {
		return
	}
	if c := last.progress(from); !c.waiting && at.Time-c.Progress.Time > leastRTO {
		c.waiting, c.before = true, c.Blocked
	}
}

// leastRTO is Linux's least retransmission timeout, in nanoseconds.
const leastRTO = 200e6

// endCell judges the cell from start to end, in which so many subflows carried
// payload.
func (c *PathProgress) endCell(s *Sub, outstanding bool, carriers int, start, end int64) {
	carried := c.cell > 0
	c.cell = 0
	if carried {
		c.Carried++
		if carriers > 1 {
			c.Beside++
		}
	}
	third := s.Sub.ThirdACK
	if s.Sub.SYN != 0 && (third == 0 || third > start) || s.Sub.Done() {
		return
	}
	c.Open++
	if carried || outstanding {
		c.run = 0
		return
	}
	c.Idle++
	if c.run++; c.run > c.IdleRun {
		c.IdleRun, c.IdleFrom = c.run, end-c.run*traceCell
	}
}

// progress notes that data of a subflow came on: an acknowledgment of it at
// the sender, its arrival elsewhere.
func (t *Trace) progress(d *SubDir, at Mark, waiting bool) {
	c := d.path
	c.Progress, c.since, c.before, c.waiting = at, at, c.Blocked, waiting
	if d.dir.role == Sender && t.blockAt.Seen() && t.blocker == d.sub.Sub.ID { // of this wait only what follows counts
		c.before += at.Time - t.blockAt.Time
	}
	if d.sub != t.leader {
		t.lead(d, at)
	}
}

// lead tells the other subflows that one came on, where another did before. A
// subflow that leads lies in no grave, and no other came on since.
func (t *Trace) lead(d *SubDir, at Mark) {
	c := d.path
	if c.grave > 0 {
		h := &t.Handovers[c.grave-1]
		h.Back, h.Blocked = at, t.waited(d.dir.m, d.sub, d.from, at.Time)-h.before
		c.grave = 0
	}
	c.other = Mark{}
	for _, s := range d.dir.m.rivals() {
		if r := s.progress(d.from); s != d.sub && !r.other.Seen() {
			r.other, r.rival = at, d.sub.Sub.ID
		}
	}
	t.leader = d.sub
}

// closed reports whether a FIN of either side says that the subflow ends in order.
func (s *Sub) closed() bool {
	_, a := s.Sub.Senders[conn.A].FIN()
	_, b := s.Sub.Senders[conn.B].FIN()
	return a || b
}

// waited returns the time in which the in-order edge has waited for the data of
// a subflow by a time, the wait that is still open included, ns. Away from the
// sender an open wait is that of the subflow that most likely lost the data.
func (t *Trace) waited(m *Connection, s *Sub, from conn.Side, now int64) int64 {
	n := s.Progress(from).Blocked
	if !t.blockAt.Seen() {
		return n
	}
	blocker := t.blocker
	if m.Role(from) != Sender {
		lost := t.lost(m, nil, from, t.edge)
		if lost == nil {
			return n
		}
		blocker = lost.Sub.ID
	}
	if blocker == s.Sub.ID {
		n += now - t.blockAt.Time
	}
	return n
}

// cut takes a RST on a subflow that carried data of side from: a death where no FIN
// had ended it, and the receiver does not have all of the data already.
func (c *PathProgress) cut(sub *Sub, from conn.Side, p *conn.Packet) {
	over := sub.closed() || p.Conn.Fastclosed || p.Conn.Spaces[from].Delivered()
	if c.reset.Seen() || over {
		return
	}
	c.reset, c.waiting = markOf(p), true
	if !c.since.Seen() {
		c.since = markOf(p)
	}
}

// A subflow has died that has data outstanding and made no progress for the longer
// of these times, of which the second is in smoothed round-trip times.
const (
	deadAfter  = 1e9 // ns
	deadRounds = 3
)

// bury notes the subflows that have died: reset, or without progress for a
// second, or three smoothed round-trip times if they are longer, although something
// is outstanding, while another came on.
func (t *Trace) bury(m *Connection, from conn.Side, now int64) {
	if len(m.Subs) == 1 {
		return
	}
	for _, s := range m.rivals() {
		c := s.Progress(from)
		if !c.waiting || !c.other.Seen() || c.grave > 0 || len(t.Handovers) >= maxHandovers {
			continue
		}
		if s.excused(m, from) {
			continue
		}
		limit := int64(deadAfter)
		if d := s.Dir(from); d.HasSRTT() {
			limit = max(limit, int64(deadRounds*d.est.SRTT))
		}
		if c.reset.Seen() {
			limit = 0
		}
		// The other one must have carried on at the end of that time.
		if rival := m.Subs[c.rival].Progress(from); now-c.since.Time <= limit || rival.Progress.Time-c.since.Time <= limit/4 {
			continue
		}
		t.Handovers = append(t.Handovers, Handover{
			From: s.Sub.ID, To: c.rival, Gap: Span{c.since, c.other}, Since: c.silence(m.Role(from)), Reset: c.reset, before: c.before,
		})
		c.grave = len(t.Handovers)
		m.Conn.Note(conn.Event{
			Time: c.since.Time, Sub: s.Sub, From: from, Packet: c.since.Packet, Kind: EventHandover,
			Detail: fmt.Sprintf("no progress after this on subflow %d; subflow %d carries on after %.3f ms", s.Sub.ID, c.rival, ms(c.other.Time-c.since.Time)),
		})
		if c.reset.Seen() {
			c.waiting = false
		}
	}
}

// excused reports whether the silence of a subflow has a reason other than its
// death: it began after the DATA_FIN, and the receiver has all of the data; a FIN
// that was acknowledged ended the subflow, with nothing outstanding; or, away from
// the sender, the subflow is a backup, which is silent as long as others work.
func (s *Sub) excused(m *Connection, from conn.Side) bool {
	switch {
	case s.Progress(from).reset.Seen():
		return false
	case s.Sub.Senders[from].InFlight() == 0 && (s.Sub.Senders[from].FINAcked() || s.Sub.Senders[from.Other()].FINAcked()):
		return true
	case m.Role(from) != Sender && s.reserve():
		return true
	}
	end := m.Conn.DataFIN[from]
	return end != 0 && s.Progress(from).since.Time >= end && m.Conn.Spaces[from].Delivered()
}

// unbury completes the handovers from which no subflow came back.
func (t *Trace) unbury(m *Connection, from conn.Side, at int64) {
	for _, s := range m.rivals() {
		if c := s.Progress(from); c.grave > 0 {
			h := &t.Handovers[c.grave-1]
			h.Blocked = t.waited(m, s, from, at) - h.before
		}
	}
}
