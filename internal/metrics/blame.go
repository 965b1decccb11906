package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// blockedAtSender finds out at the sender which subflow the receiver's
// in-order edge waits for: the one that carries the first octet of which no
// acknowledgment is known, while later data was acknowledged on its subflow.
func (t *Trace) blockedAtSender(d *SubDir, p *conn.Packet, at Mark) {
	head, blocked := 0, false
	if sp := d.dir.space; sp.SubflowAckedBytes > 0 && len(d.dir.m.Subs) > 1 {
		if c := sp.HeadOfLine(); c != nil {
			head, blocked = int(c.Sub), true
		}
	}
	if t.blockAt.Seen() && (p.DataAckAdvanced || !blocked || head != t.blocker) {
		t.charge(d.dir.m, d.from, t.blocker, at)
	}
	if blocked && !t.blockAt.Seen() {
		t.blocker, t.blockAt = head, at
	}
}

// charge books the time since blockAt on a subflow.
func (t *Trace) charge(m *Connection, from conn.Side, sub int, at Mark) {
	if sub < len(m.rivals()) {
		c, s := m.Subs[sub].progress(from), Span{t.blockAt, at}
		c.Blocked += s.Length()
		c.Blocks++
		c.Worst = c.Worst.longer(s)
	}
	t.blockAt = Mark{}
}

// arrived takes payload away from the sender: it closes holes in the order of
// the data, and opens others. The subflow that fills a hole is the one that
// was waited for, unless it brings a reinjected copy.
func (t *Trace) arrived(d *SubDir, p *conn.Packet, at Mark) {
	copied := d.path.place(p)
	sp := d.dir.space
	edge := sp.RcvNxt()
	if t.blockAt.Seen() && edge > t.edge {
		t.filled(d, copied, at)
	}
	if !t.blockAt.Seen() && edge < sp.SndNxt() && len(d.dir.m.Subs) > 1 {
		t.blockAt = at
	}
	t.edge = edge
	if !p.TCP.Sent.HasNew() {
		return
	}
	if d.sub.reserve() {
		t.relieved(d.dir.m, d.sub, d.from, at)
	}
	t.progress(d, at, false)
}

// filled books the time since blockAt on the subflow that was waited for:
// that of d fills the hole, perhaps with a copy.
func (t *Trace) filled(d *SubDir, copied bool, at Mark) {
	blamed := d.sub.Sub.ID
	if copied {
		if lost := t.lost(d.dir.m, d.sub, d.from, t.edge); lost != nil && lost != d.sub {
			blamed = lost.Sub.ID
			lost.progress(d.from).missed(t.blockAt, at, d.sub.Sub.ID)
			t.leader = nil
		}
	}
	t.charge(d.dir.m, d.from, blamed, at)
}

// skipped takes a DATA_ACK of data that was not captured: nobody knows who was
// waited for if that was it.
func (t *Trace) skipped(d *Dir, p *conn.Packet) {
	if !t.Skipped.Seen() {
		t.Skipped = markOf(p)
	}
	if edge := d.space.RcvNxt(); d.role != Sender && edge > t.edge {
		t.blockAt, t.edge = Mark{}, edge
	}
}

// place notes where the packet's data stands on its subflow, and reports
// whether it is a copy of data that another subflow lost: a scheduler gives
// each subflow ascending data, so that lower data at a higher position was
// sent elsewhere before.
func (c *PathProgress) place(p *conn.Packet) (copied bool) {
	for i := range p.Pieces {
		q := &p.Pieces[i]
		end := q.SSN + seq.SSN(q.Data.Len())
		if end <= c.topSSN {
			continue
		}
		copied = copied || q.Kind == dss.First && q.Data.Start < c.top
		c.topSSN, c.top = end, max(c.top, q.Data.End)
	}
	return copied
}

// lost returns the subflow that most likely carried the data at position at
// and lost it: the first that announced it, else one that lacks what it carried
// between its neighbours, else, of those that have not passed it, the one that
// came on last. It is nil where none is left. The filler lost it itself where its
// own stream lacks something between the neighbours of the data: a sender may
// reinject data onto the subflow that had lost it.
func (t *Trace) lost(m *Connection, filler *Sub, from conn.Side, at seq.DSN) *Sub {
	var best *Sub
	first, surest := uint64(0), doubtful
	if filler != nil {
		best, surest = filler.losesOwn(from, at)
	}
	for _, s := range m.rivals() {
		if s == filler || s.Sub.State == subflow.Opening || s.Sub.Refused() {
			continue
		}
		c, packet := s.Progress(from), s.Sub.Spaces[from].MappingPacket(at)
		sure := c.lacks(s, from, at, packet)
		switch {
		case sure < surest || sure == doubtful:
			continue
		case sure > surest, sure == announced && packet < first, sure < announced && c.Progress.Time > best.Progress(from).Progress.Time:
			best, first, surest = s, packet, sure
		}
	}
	return best
}

// losesOwn returns s where its stream lacks something between the neighbours of
// the data at position at, which it carries; nil where it does not.
func (s *Sub) losesOwn(from conn.Side, at seq.DSN) (*Sub, certainty) {
	if room := s.Sub.Spaces[from].RoomAround(at); !room.Empty() && s.Sub.Senders[from].Misses(room) {
		return s, holed
	}
	return nil, doubtful
}

// certainty is how much speaks for it that a subflow lost some data.
type certainty uint8

const (
	doubtful  certainty = iota // it has passed the data
	behind                     // it has not
	holed                      // it has, and lacks something before what it carried next
	announced                  // a mapping says so
)

// lacks returns what speaks for it that subflow s, whose course is c, lost the
// data at position at, which a packet announced for it unless that is 0.
func (c *PathProgress) lacks(s *Sub, from conn.Side, at seq.DSN, packet uint64) certainty {
	switch room := s.Sub.Spaces[from].RoomAt(at); {
	case packet != 0:
		return announced
	case !room.Empty() && s.Sub.Senders[from].Misses(room):
		return holed
	case c.top <= at:
		return behind
	}
	return doubtful
}
