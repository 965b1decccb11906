package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// train is a run of packets of one subflow, each of which carries the next
// octets of the data, as many as the one before, above all other data or in a
// gap below. All of them change rates, bursts and order in the same way, so that
// it is enough to count them; what they change is entered when another packet
// comes, or a cell of the rates ends. What differs is how late they are.
type train struct {
	on      *SubDir // that carries it; nil for none
	end     seq.DSN // of its data
	size    int64   // octets of each packet
	packets int64   // that wait to be entered
	last    int64   // time of the latest packet, ns
	until   int64   // end of the open cell of the rates, ns
}

// takes takes a packet if it belongs to the train.
func (t *train) takes(p *conn.Packet, s *SubDir, now int64) bool {
	if s != t.on || now >= t.until || now < t.last || len(p.Pieces) != 1 || int64(p.Seg.PayloadLen) != t.size {
		return false
	}
	k := &p.Pieces[0]
	end := t.end + seq.DSN(t.size)
	if k.Data.Start != t.end || k.Data.End != end || k.Kind != dss.First {
		return false
	}
	t.end, t.last = end, now
	t.packets++
	return true
}

// couple begins a train with a packet that was taken otherwise, if another one
// may follow. Where series are wanted each value is told.
func (d *Dir) couple(p *conn.Packet, s *SubDir, now int64) {
	if len(p.Pieces) != 1 || d.series || d.elsewhere || s.elsewhere {
		return
	}
	k, until := &p.Pieces[0], d.Throughput.openAt+d.grid.cell
	if k.Kind == dss.First && k.Data.Len() == int64(p.Seg.PayloadLen) && (d.Order.filling || k.Data.End == d.Order.next) &&
		now >= d.Throughput.openAt && d.looked.holds(until) {
		d.train = train{on: s, end: k.Data.End, size: k.Data.Len(), last: now, until: until}
	}
}

// uncouple ends the train.
func (d *Dir) uncouple() {
	t := &d.train
	if t.packets > 0 {
		n := t.packets * t.size
		d.Throughput.add(t.last, n)
		t.on.Rate.add(t.last, n)
		d.first(t.on, n, t.last)
		d.burst.end, d.burst.last = t.end, t.last
		d.Order.follow(t.packets, t.size, t.end)
		t.packets = 0
	}
	t.on = nil
}
