package symptoms

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// blockedAtSender finds out at the sender which subflow in-order delivery waits for:
// the one that carries the first byte of which no acknowledgment is known, while later
// data was acknowledged on its subflow.
func (d *Direction) blockedAtSender(p *conn.Packet, at PacketRef) {
	head, blocked := 0, false
	if d.space.SubflowAckedBytes > 0 && len(d.c.followed) > 1 {
		if c := d.space.HeadOfLine(); c != nil {
			head, blocked = int(c.Sub), true
		}
	}
	if d.blockedSince.Seen() && (p.DataAckAdvanced || !blocked || head != d.blocker) {
		d.unblocked(d.blocker, at)
	}
	if blocked && !d.blockedSince.Seen() {
		d.blocker, d.blockedSince = head, at
	}
}

// unblocked ends a time in which in-order delivery waited for a subflow.
func (d *Direction) unblocked(sub int, at PacketRef) {
	if sub < len(d.c.followed) {
		d.Follow(d.c.followed[sub]).Blocked.add(PacketRange{d.blockedSince, at})
	}
	d.blockedSince = PacketRef{}
}

// arrived takes payload away from the sender: it fills holes in the order of the data,
// and opens others. The subflow that fills a hole is the one that was waited for,
// unless it brings a reinjected copy.
func (t *Path) arrived(p *conn.Packet, at PacketRef) {
	d, copied := t.dir, t.isCopy(p)
	next := d.space.RcvNxt()
	if d.blockedSince.Seen() && next > d.rcvNxt {
		t.fillsHole(copied, at)
	}
	if !d.blockedSince.Seen() && next < d.space.SndNxt() && len(d.c.followed) > 1 {
		d.blockedSince = at
	}
	d.rcvNxt = next
	if !p.TCP.Sent.HasNew() {
		return
	}
	if t.sub.isBackup() {
		t.backupUsed(at)
	}
	t.progress(at, false)
}

// fillsHole ends a time in which in-order delivery waited, as data of this subflow
// fills the hole, perhaps a copy.
func (t *Path) fillsHole(copied bool, at PacketRef) {
	d, waitedFor := t.dir, t.sub.Sub.ID
	if copied {
		if lost := d.loserOf(d.rcvNxt, t); lost != nil && lost != t {
			waitedFor = lost.sub.Sub.ID
			lost.lostData(at, t)
		}
	}
	d.unblocked(waitedFor, at)
}

// ackOfUncaptured takes a DATA_ACK of data that was not captured: nobody knows which
// subflow was waited for if it was that data.
func (d *Direction) ackOfUncaptured(p *conn.Packet) {
	if !d.FirstUncaptured.Seen() {
		d.FirstUncaptured = refTo(p)
	}
	if next := d.space.RcvNxt(); !d.atSender() && next > d.rcvNxt {
		d.blockedSince, d.rcvNxt = PacketRef{}, next
	}
}

// isCopy reports whether a packet carries a copy of data that another subflow lost: a
// scheduler gives each subflow ascending data, so that lower data at a higher position
// was sent elsewhere before. It notes how far the subflow has come.
func (t *Path) isCopy(p *conn.Packet) (copied bool) {
	for i := range p.Pieces {
		q := &p.Pieces[i]
		end := q.SSN + seq.SSN(q.Data.Len())
		if end <= t.topSSN {
			continue
		}
		copied = copied || q.Kind == dss.First && q.Data.Start < t.topDSN
		t.topSSN, t.topDSN = end, max(t.topDSN, q.Data.End)
	}
	return copied
}

// loserOf returns the subflow that most likely carried the data at position at and lost
// it: the first that announced it, else one that lacks what it carried between its
// neighbours, else, of those that have not passed it, the one that made progress last.
// It is nil where none is left. The subflow that filled the hole, nil where none did,
// lost it itself where its own stream lacks something between the neighbours of the
// data: a sender may reinject data onto the subflow that had lost it.
func (d *Direction) loserOf(at seq.DSN, filler *Path) *Path {
	var best *Path
	first, surest := uint64(0), hasPassed
	if filler != nil && filler.lacksAround(at) {
		best, surest = filler, lacksSome
	}
	for _, s := range d.c.followed {
		t := d.Follow(s)
		if t == filler || s.Sub.State == subflow.Opening || s.Sub.Refused() {
			continue
		}
		packet := s.Sub.Spaces[d.from].MappingPacket(at)
		sure := t.certaintyOf(at, packet)
		switch {
		case sure < surest || sure == hasPassed:
			continue
		case sure > surest, sure == announced && packet < first, sure < announced && t.Progress.Time > best.Progress.Time:
			best, first, surest = t, packet, sure
		}
	}
	return best
}

// lacksAround reports whether the stream of the subflow lacks something between the
// neighbours of the data at position at, which it carries.
func (t *Path) lacksAround(at seq.DSN) bool {
	room := t.sub.Sub.Spaces[t.dir.from].RoomAround(at)
	return !room.Empty() && t.sender.Misses(room)
}

// certainty is how much speaks for it that a subflow lost some data.
type certainty uint8

const (
	hasPassed certainty = iota // it has passed the data, and lacks nothing
	isBehind                   // it has not
	lacksSome                  // it has, and lacks something before what it carried next
	announced                  // a mapping says so
)

// certaintyOf returns how much speaks for it that the subflow lost the data at position
// at, which a packet announced for it unless that is 0.
func (t *Path) certaintyOf(at seq.DSN, packet uint64) certainty {
	switch room := t.sub.Sub.Spaces[t.dir.from].RoomAt(at); {
	case packet != 0:
		return announced
	case !room.Empty() && t.sender.Misses(room):
		return lacksSome
	case t.topDSN <= at:
		return isBehind
	}
	return hasPassed
}

// blockedUntil returns the time in which in-order delivery has waited for data of the
// subflow up to now, the wait that is still open included, ns. Away from the sender an
// open wait is that of the subflow that most likely lost the data.
func (t *Path) blockedUntil(now int64) int64 {
	d, n := t.dir, t.Blocked.Total
	if !d.blockedSince.Seen() {
		return n
	}
	waitsForMe := d.blocker == t.sub.Sub.ID
	if !d.atSender() {
		waitsForMe = d.loserOf(d.rcvNxt, nil) == t
	}
	if waitsForMe {
		n += now - d.blockedSince.Time
	}
	return n
}
