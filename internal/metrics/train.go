package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// train is the data of one cell of the rates that passes for the first time, a
// piece in each packet, while the receive window has room or is used up. What it
// adds to the rates of the connection is entered at once, at the end of the cell
// or before something else changes them.
//
// It is made of runs: packets of one subflow, each of which carries the next
// octets of the data and of the subflow, as many as the one before, above all
// other data or in a gap below. In a run nothing begins or ends that is a sign.
// All of its packets change the subflow's rate, bursts, order and signs in the
// same way, so that it is enough to count them, and to enter them when the next
// run begins. What differs is how late they are.
type train struct {
	until  int64   // end of the cell, ns; 0 = no train
	room   seq.DSN // no packet reaches beyond this: the receive window is calm up to there
	latest Mark    // packet
	octets int64   // of the train that are not entered yet

	on   *SubDir // that carries the run
	end  seq.DSN // of its data; unread where no packet continues it as if nothing was
	ssn  seq.SSN // end of its payload on the subflow
	size int64   // octets of each packet
	own  int64   // octets of its first packet; 0 once that is entered
	more int64   // packets behind its first one that are not entered
}

// continues takes a packet if it continues the run.
func (d *Dir) continues(p *conn.Packet, s *SubDir, now int64) bool {
	t := &d.train
	if s != t.on || now >= t.until || now < t.latest.Time || len(p.Pieces) != 1 || int64(p.Seg.PayloadLen) != t.size {
		return false
	}
	k := &p.Pieces[0]
	end := t.end + seq.DSN(t.size)
	if k.Data.Start != t.end || k.Data.End != end || k.SSN != t.ssn || k.Kind != dss.First || end > t.room && !d.fits(s, end) {
		return false
	}
	t.end, t.ssn, t.latest = end, t.ssn+seq.SSN(t.size), markOf(p)
	t.more++
	return true
}

// fits reports whether the use of the receive window stays what it is with a
// packet on subflow s that reaches up to end. Its right edge may have moved on.
func (d *Dir) fits(s *SubDir, end seq.DSN) bool {
	if d.Window.calm.from > 0 {
		d.train.room = d.Window.edge - seq.DSN(roomy.from)
	}
	return end <= d.train.room || d.calm(s.half)
}

// switches takes a packet that belongs to the train if it begins another run.
func (d *Dir) switches(p *conn.Packet, s *SubDir, now int64) bool {
	t := &d.train
	if now >= t.until || now < t.latest.Time || len(p.Pieces) != 1 || s.Rate.width == 0 || s.elsewhere || p.Sub.ID >= maxRivals {
		return false
	}
	k := &p.Pieces[0]
	size := int64(p.Seg.PayloadLen)
	if k.Kind != dss.First || k.Data.Len() != size || k.Data.End > t.room && !d.fits(s, k.Data.End) {
		return false
	}
	d.unload()
	at := markOf(p)
	d.burst.take(k, s, now)
	d.Order.take(d, p.Pieces, now)
	d.trace.passes(s, p, at)
	t.latest = at
	t.octets += size
	t.own = size
	d.begin(s, k, size)
	return true
}

// couple begins a train behind a packet that was taken otherwise, if another one
// may follow.
func (d *Dir) couple(p *conn.Packet, w *way, now int64) {
	if len(p.Pieces) != 1 || w.out.elsewhere {
		return
	}
	k, t, until := &p.Pieces[0], &d.train, d.Throughput.openAt+d.grid.cell
	size := k.Data.Len()
	if k.Kind != dss.First || size != int64(p.Seg.PayloadLen) || now < d.Throughput.openAt || !d.looked.holds(until) || d.Window.calm.length == 0 {
		return
	}
	t.until, t.latest = until, markOf(p)
	if t.room = unread; d.Window.calm.from > 0 {
		t.room = d.Window.edge - seq.DSN(roomy.from)
	}
	d.begin(w.out, k, size)
}

// begin begins a run behind its first packet, of size octets.
func (d *Dir) begin(s *SubDir, k *dss.Piece, size int64) {
	t := &d.train
	t.on, t.end, t.ssn, t.size = s, k.Data.End, k.SSN+seq.SSN(size), size
	if !d.Order.filling && t.end != d.Order.next || !d.trace.rests(s, k) {
		t.end = unread
	}
}

// uncouple ends the train.
func (d *Dir) uncouple() {
	t := &d.train
	if t.until == 0 {
		return
	}
	d.unload()
	if t.octets > 0 {
		d.Throughput.add(t.latest.Time, t.octets)
		d.Goodput.add(t.latest.Time, t.octets)
		d.trace.Data.To = t.latest
		t.octets = 0
	}
	t.on, t.until = nil, 0
}

// interrupt ends the run: signs may change with the next packet.
func (d *Dir) interrupt() {
	d.unload()
	d.train.end = unread
}

// unload enters the run.
func (d *Dir) unload() {
	t := &d.train
	octets := t.own + t.more*t.size
	if octets == 0 {
		return
	}
	t.on.Rate.add(t.latest.Time, octets)
	t.on.first += octets
	t.on.course.cell += octets
	t.own = 0
	if t.more > 0 {
		d.burst.end, d.burst.last = t.end, t.latest.Time
		t.octets += t.more * t.size
		d.Order.follow(t.more, t.size, t.end)
		d.trace.passed(t)
		t.more = 0
	}
}

// rests reports whether packets that go on on subflow d, behind piece k of the
// latest one, leave all signs as they are but for the time of the latest. At the
// sender something is outstanding already. Elsewhere they open no hole and close
// none: all data is in order, or the hole below lasts.
func (t *Trace) rests(d *SubDir, k *dss.Piece) bool {
	c, sp := d.course, d.dir.space
	if d.dir.role == Sender {
		return c.waiting && !t.quietAt.Seen()
	}
	return c.top == k.Data.End && c.topSSN == k.SSN+seq.SSN(k.Data.Len()) && t.leader == d.sub && c.grave == 0 && !d.sub.reserve() &&
		(sp.RcvNxt() == k.Data.End && sp.SndNxt() == k.Data.End || t.blockAt.Seen() && sp.RcvNxt() < k.Data.Start)
}

// passed takes the packets of a run behind its first one.
func (t *Trace) passed(r *train) {
	if c := r.on.course; r.on.dir.role != Sender {
		c.top, c.topSSN = r.end, r.ssn
		t.progress(r.on, r.latest, false)
	}
}
