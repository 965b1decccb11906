package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// train is a run of packets of one subflow, each of which carries the next
// octets of the data and of the subflow, as many as the one before, above all
// other data or in a gap below. As long as it lasts the receive window has room,
// or is used up, and nothing begins or ends that is a sign. All of its packets
// change rates, bursts, order and signs in the same way, so that it is enough to
// count them; what they change is entered when another packet comes, a cell of
// the rates ends, or before something else changes the same. What differs is
// how late they are.
type train struct {
	on      *SubDir // that carries it; nil for none
	end     seq.DSN // of its data
	ssn     seq.SSN // end of its payload on the subflow
	size    int64   // octets of each packet
	until   int64   // end of the open cell of the rates, ns
	room    seq.DSN // no packet reaches beyond this: the receive window is calm up to there
	latest  Mark    // packet
	packets int64   // that wait to be entered
}

// takes takes a packet if it belongs to the train.
func (t *train) takes(p *conn.Packet, s *SubDir, now int64) bool {
	if s != t.on || now >= t.until || now < t.latest.Time || len(p.Pieces) != 1 || int64(p.Seg.PayloadLen) != t.size {
		return false
	}
	k := &p.Pieces[0]
	end := t.end + seq.DSN(t.size)
	if k.Data.Start != t.end || k.Data.End != end || k.SSN != t.ssn || k.Kind != dss.First || end > t.room {
		return false
	}
	t.end, t.ssn, t.latest = end, t.ssn+seq.SSN(t.size), markOf(p)
	t.packets++
	return true
}

// couple begins a train with a packet that was taken otherwise, if another one
// may follow. Where series are wanted each value is told.
func (d *Dir) couple(p *conn.Packet, w *way, now int64) {
	if len(p.Pieces) != 1 || d.series || w.out.elsewhere {
		return
	}
	k, t, until := &p.Pieces[0], &d.train, d.Throughput.openAt+d.grid.cell
	size := k.Data.Len()
	if k.Kind != dss.First || size != int64(p.Seg.PayloadLen) || !d.Order.filling && k.Data.End != d.Order.next ||
		now < d.Throughput.openAt || !d.looked.holds(until) || d.Window.calm.length == 0 || !d.trace.rests(w.out, k) {
		return
	}
	t.end, t.ssn, t.size = k.Data.End, k.SSN+seq.SSN(size), size
	t.on, t.until, t.latest = w.out, until, markOf(p)
	if t.room = unread; d.Window.calm.from > 0 {
		t.room = d.Window.edge - seq.DSN(roomy.from)
	}
}

// uncouple ends the train.
func (d *Dir) uncouple() {
	t := &d.train
	if t.packets > 0 {
		n, at := t.packets*t.size, t.latest.Time
		d.Throughput.add(at, n)
		t.on.Rate.add(at, n)
		d.first(t.on, n, at)
		d.burst.end, d.burst.last = t.end, at
		d.Order.follow(t.packets, t.size, t.end)
		d.trace.passed(t)
		t.packets = 0
	}
	t.on = nil
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
		(sp.Edge() == k.Data.End && sp.Next() == k.Data.End || t.blockAt.Seen() && sp.Edge() < k.Data.Start)
}

// passed takes the packets of a train at once.
func (t *Trace) passed(r *train) {
	t.Data.To = r.latest
	c := r.on.course
	c.cell += r.packets * r.size
	if r.on.dir.role != Sender {
		c.top, c.topSSN = r.end, r.ssn
		t.progress(r.on, r.latest, false)
	}
}
