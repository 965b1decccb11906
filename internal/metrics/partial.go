package metrics

import (
	"math"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
)

// partial measures a connection without verdicts, and of the other families
// those that are derived. There are no signs that packets could change, so that
// no train needs runs.
type partial struct{ *Connection }

// never is the end of the rounds that nobody asks for: none begins, and none
// ends.
const never = math.MaxInt64

// Packet takes one packet.
func (m partial) Packet(p *conn.Packet) {
	s, w := p.Seg, m.way(p)
	now := s.Time
	if now >= m.wake {
		m.due(p, now)
	}
	if p.FastPath && w.talks {
		t := w.talk
		t.Last = Mark{s.Num, now}
		t.Packets++
	} else {
		m.unusual(p, w)
	}
	if w.out == nil && !m.begin(p, w, now) {
		if p.HasDataAck && !m.Omits(FamilyWindows) {
			w.dataAck(p, m.dir(p.From.Other()), now)
		}
		return
	}
	if p.NewAck {
		m.answered(p, w, now)
	}
	if s.PayloadLen > 0 && !p.TCP.Sent.Stray {
		m.carried(p, w, now)
	} else if len(p.Pieces) > 0 && !m.Omits(FamilyDelays) {
		w.out.dir.placed(p, now)
	}
	if p.HasDataAck && !m.Omits(FamilyWindows) {
		w.dataAck(p, w.back.dir, now)
	}
}

// answered takes a packet that acknowledges something for the first time.
func (m partial) answered(p *conn.Packet, w *way, now int64) {
	s, a := w.back, &p.TCP.Ack
	if s.dir.role == Sender {
		if a.New {
			s.roundTrips(a, now)
		}
	} else if !m.fixed && a.New {
		w.tooEarly(a, now)
	}
	if !m.Omits(FamilyDelays) {
		m.delayed(p, w, now)
	} else if len(p.LateMapped) > 0 {
		s.dir.late(p.LateMapped, s)
	}
}

// delayed takes what such a packet means to delays.
func (partial) delayed(p *conn.Packet, w *way, now int64) {
	d := w.back.dir
	if p.DataAckAdvanced || len(p.LateMapped) > 0 {
		w.advanced(p, d, now)
	}
	if !d.queue.begun && p.TCP.Ack.Payload() {
		d.queue.covered(d, now)
	}
	d.queue.look(d, now)
}

// carried takes a packet with payload.
func (m partial) carried(p *conn.Packet, w *way, now int64) {
	s := w.out
	d := s.dir
	s.carried(p, now)
	if !m.Omits(FamilyOrder) {
		d.carried(p, s, now)
	} else if !d.rides(p, s, now) {
		d.boards(p, s, now)
	}
	if m.omit&unwatched != unwatched {
		m.watched(p, w, now)
	}
}

// unwatched are the families for which payload is watched.
const unwatched = FamilyDelays | FamilyWindows

// watched takes what a packet with payload means to delays and windows.
func (m partial) watched(p *conn.Packet, w *way, now int64) {
	s := w.out
	d := s.dir
	if !m.Omits(FamilyDelays) {
		d.placed(p, now)
	}
	if !m.Omits(FamilyWindows) && !d.elsewhere && !d.calm(s.half) {
		d.limit(now)
	}
}

// rides takes a packet if it belongs to a train of which only the amounts count:
// all of its payload passes for the first time, in the train's cell. The open cell
// of a subflow of which another capture tells is an earlier one.
func (d *Dir) rides(p *conn.Packet, s *SubDir, now int64) bool {
	t, r, n := &d.train, &s.Rate, int64(p.Seg.PayloadLen)
	if now >= t.until || now < t.latest.Time || uint64(now-r.openAt) >= r.width || !whole(p, n) {
		return false
	}
	t.latest.Time = now
	t.octets += n
	r.open += n
	r.last = max(r.last, now)
	s.first += n
	d.queue.lastData = now
	return true
}

// whole reports whether a packet's n octets of payload are data that passes for
// the first time.
func whole(p *conn.Packet, n int64) bool {
	if len(p.Pieces) != 1 {
		return false
	}
	k := &p.Pieces[0]
	return k.Kind == dss.First && k.Data.Len() == n
}

// boards takes a packet that no train takes, of which only the amounts count. One
// may begin behind it.
func (d *Dir) boards(p *conn.Packet, s *SubDir, now int64) {
	n := int64(p.Seg.PayloadLen)
	d.uncouple()
	if !d.flows(n, s, now) {
		return
	}
	for i := range p.Pieces {
		d.weigh(&p.Pieces[i], s, now)
	}
	d.queue.carried(d, now)
	until := d.Throughput.openAt + d.grid.cell
	if !d.elsewhere && whole(p, n) && d.looked.holds(until) {
		d.train.until, d.train.latest = until, markOf(p)
	}
}
