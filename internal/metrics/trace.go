package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// traceCell is the cell of the grid on which the use of paths is compared, in
// nanoseconds.
const traceCell = 100e6

// Trace is what explains the figures of one direction of a connection.
type Trace struct {
	Data  Span  // first and last payload
	Cells int64 // cells of 100 ms in which any subflow carried payload

	// Stall is the longest time in which data waited and no DATA_ACK
	// advanced; sender vantage only.
	Stall Span
	// Quiet is the time between first and last data in which nothing waited
	// for a DATA_ACK and the receive window had room, so that the application
	// had nothing to send, ns; sender vantage only.
	Quiet int64

	// Full is the time between first and last payload in which less than a segment
	// of the receive window was left, ns; Longest the longest such time, Fulls their
	// number. Behind the last payload nothing waits for room.
	Full    int64
	Fulls   int64
	Longest Span
	// Zeros are the packets that advertise a window of 0.
	Zeros     int64
	FirstZero Mark

	Skipped Mark // the first DATA_ACK that passed data which was not captured

	Handovers []Handover // bounded by maxHandovers

	begun   bool
	tickAt  int64
	newsAt  Mark      // latest advance of the DATA_ACK, or since when data waits
	quietAt Mark      // since when nothing waits; none where something does
	fullAt  Mark      // since when the window has no room for a segment; none where it has
	opened  *openings // made when the window first has no room

	blocker int     // subflow that the in-order edge waits for; valid with blockAt
	blockAt Mark    // since when it does
	edge    seq.DSN // at the latest look

	leader *Sub // the one that came on last, if all others know that one came on after they did
}

// openings are the times without room that ended since the latest payload: they count
// as Full if payload follows.
type openings struct {
	first, longest Span
	total, n       int64
}

// sent takes a packet with payload, of which d is the direction.
func (t *Trace) sent(d *SubDir, p *conn.Packet) {
	at := markOf(p)
	if !t.begun {
		t.begun, t.tickAt, t.Data.From, t.newsAt = true, at.Time+traceCell, at, at
		d.dir.m.tickAt = min(d.dir.m.tickAt, t.tickAt)
		d.dir.m.wakeAt(t.tickAt)
	}
	if t.opened != nil && t.opened.n > 0 {
		t.countFull()
	}
	t.Data.To = at
	d.path.cell += int64(p.Seg.PayloadLen)
	t.passes(d, p, at)
	t.window(d.dir, d.half, at)
}

// passes takes what a packet with payload means to the data and its subflow.
func (t *Trace) passes(d *SubDir, p *conn.Packet, at Mark) {
	if d.dir.role != Sender {
		t.arrived(d, p, at)
		return
	}
	if t.quietAt.Seen() && d.dir.space.OutstandingBytes > 0 { // else it is a copy of what the peer has
		t.begins(at)
	}
	if !d.path.waiting {
		t.await(d.path, at)
	}
}

// shut takes a packet that advertises a window of 0.
func (t *Trace) shut(p *conn.Packet) {
	if p.Seg.Flags&(packet.SYN|packet.RST) != 0 {
		return
	}
	if t.Zeros++; t.Zeros == 1 {
		t.FirstZero = markOf(p)
	}
}

// begins notes at the sender that data waits for a DATA_ACK, where none did.
func (t *Trace) begins(at Mark) {
	if !t.fullAt.Seen() {
		t.Quiet += at.Time - t.quietAt.Time
	}
	t.quietAt, t.newsAt = Mark{}, at
}

// acknowledged takes at the sender an acknowledgment that brings something
// new, on the subflow or at the data level.
func (t *Trace) acknowledged(d *SubDir, p *conn.Packet) {
	at := markOf(p)
	if p.DataAckAdvanced && t.begun {
		if at.Time-t.newsAt.Time > t.Stall.Length() {
			t.Stall = Span{t.newsAt, at}
		}
		t.newsAt = at
		if d.dir.space.OutstandingBytes <= 0 && !t.quietAt.Seen() {
			t.quietAt = at
		}
	}
	covered := len(p.TCP.Ack.NewlyAcked) > 0
	if p.DataAckAdvanced || covered {
		t.blockedAtSender(d, p, at)
	}
	if covered {
		t.progress(d, at, d.half.InFlight() > 0)
	}
}

// window follows the time in which the receive window has no room for a segment of
// a subflow.
func (t *Trace) window(d *Dir, half *subflow.Sender, at Mark) {
	// After a fallback there is no DATA_ACK any more that could open it.
	full := d.free() < half.SegmentBytes() && d.m.Conn.Fallback == ""
	switch {
	case full && !t.fullAt.Seen():
		t.fullAt = at
	case !full && t.fullAt.Seen():
		t.reopen(at)
	}
}

// reopen ends a time in which the window had no room.
func (t *Trace) reopen(at Mark) {
	if t.opened == nil {
		t.opened = &openings{}
	}
	s, o := Span{t.fullAt, at}, t.opened
	if o.n++; o.n == 1 {
		o.first = s
	}
	o.total += s.Length()
	o.longest = o.longest.longer(s)
	t.fullAt = Mark{}
	if t.quietAt.Seen() { // until now there was no room for anything
		t.quietAt = at
	}
}

// countFull counts the times in which the window had no room, as payload follows them.
func (t *Trace) countFull() {
	o := t.opened
	t.Full += o.total
	t.Fulls += o.n
	t.Longest = t.Longest.longer(o.longest)
	*o = openings{}
}

// countPart counts what lies before the last payload of a time without room that goes
// on behind it: only the first one since then can.
func (t *Trace) countPart() {
	s := Span{t.fullAt, t.Data.To}
	if t.opened != nil && t.opened.n > 0 {
		s.From = t.opened.first.From
	}
	if s.From.Seen() && s.Length() > 0 {
		t.Full += s.Length()
		t.Fulls++
		t.Longest = t.Longest.longer(s)
	}
}

// tick ends the cell of the grid that now lies beyond. A pause of several
// cells has payload in its first one at most.
func (t *Trace) tick(m *Connection, from conn.Side, now int64) {
	carriers := 0 // subflows that carried payload
	for _, s := range m.rivals() {
		if s.Progress(from).cell > 0 {
			carriers++
		}
	}
	if carriers > 0 {
		t.Cells++
		for _, s := range m.rivals() {
			s.progress(from).endCell(s, m.Role(from) == Sender && s.Sub.Senders[from].InFlight() > 0, carriers, t.tickAt-traceCell, t.tickAt)
		}
	}
	t.tickAt += (now - t.tickAt + traceCell) / traceCell * traceCell
	t.bury(m, from, now)
}

// close ends the observation.
func (t *Trace) close(m *Connection, from conn.Side, at int64) {
	if !t.begun {
		return
	}
	t.tick(m, from, max(at, t.tickAt))
	t.unbury(m, from, at)
	end := Mark{t.Data.To.Packet, at}
	t.countPart()
	if sp := &m.Conn.Spaces[from]; m.Role(from) == Sender && sp.OutstandingBytes > 0 && !t.quietAt.Seen() {
		t.Stall = t.Stall.longer(Span{t.newsAt, end})
	}
}
