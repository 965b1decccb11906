package symptoms

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// blockedAtSender finds out, at the sender, which subflow in-order delivery waits for.
// It is the subflow that carries the first byte without an acknowledgment, while later
// data was acknowledged on its subflow.
func (d *DataDir) blockedAtSender(p *conn.Packet, at PacketRef) {
	var head *Path
	if d.space.SubflowAckedBytes > 0 && len(d.c.followed) > 1 {
		if c := d.space.HeadOfLine(); c != nil && int(c.Sub) < len(d.c.followed) {
			head = d.Follow(d.c.followed[c.Sub])
		}
	}
	if d.blocker != nil && (p.DataAckAdvanced || head != d.blocker) {
		d.blocker.Blocked.follow(false, at)
		d.blocker = nil
	}
	if head != nil && d.blocker == nil {
		head.Blocked.since, d.blocker = at, head
	}
}

// arrived takes payload in a capture that is not at the sender. The payload fills holes
// in the data and opens others. In-order delivery waited for the subflow that fills a
// hole, unless that subflow carries a reinjected copy.
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

// fillsHole ends a time in which in-order delivery waited, because data of this subflow
// fills the hole. copied says that the data is a copy.
func (t *Path) fillsHole(copied bool, at PacketRef) {
	d, waitedFor := t.dir, t
	if copied {
		if lost := d.loserOf(d.rcvNxt, t); lost != nil && lost != t {
			waitedFor = lost
			lost.lostData(at, t)
		}
	}
	waitedFor.Blocked.add(PacketRange{d.blockedSince, at})
	d.blockedSince = PacketRef{}
}

// isCopy reports whether a packet carries a copy of data that another subflow lost. A
// scheduler gives each subflow ascending data, so lower data at a higher position of
// the subflow was sent on another subflow before. isCopy also notes how far the subflow
// has come.
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
// it. It takes, in this order: the first subflow that announced the data; a subflow
// whose stream lacks bytes between the neighbours of the data; the subflow that made
// progress last, among those that have not passed the data. It returns nil if there is
// none. filler is the subflow that filled the hole, nil for none. It may have lost the
// data itself, because a sender may reinject data onto the subflow that lost it: then
// its own stream lacks bytes between the neighbours of the data.
func (d *DataDir) loserOf(at seq.DSN, filler *Path) (lost *Path) {
	best, latest := hasPassed, int64(0)
	for _, s := range d.c.followed {
		t := d.Follow(s)
		if t != filler && (s.Sub.State == subflow.Opening || s.Sub.Refused()) {
			continue
		}
		if sure, by := t.mayLose(at, t == filler); sure > best || sure == best && by > latest {
			lost, best, latest = t, sure, by
		}
	}
	return lost
}

// certainty is how certain it is that a subflow lost some data.
type certainty uint8

const (
	hasPassed certainty = iota // it has passed the data and lacks no bytes there
	isBehind                   // it has not passed the data
	lacksSome                  // it has passed the data and lacks bytes there
	announced                  // a mapping on it announced the data
)

// mayLose returns how certain it is that the subflow lost the data at position at. Of two subflows for
// which it is equally certain, the one with the larger by lost it. filled says that the subflow filled
// the hole, so that its mapping, and how far it has come, say nothing.
func (t *Path) mayLose(at seq.DSN, filled bool) (sure certainty, by int64) {
	space := t.sub.Sub.Spaces[t.dir.from]
	packet, room := space.MappingPacket(at), space.RoomAt(at)
	if filled {
		room = space.RoomAround(at)
	}
	switch {
	case packet != 0 && !filled:
		return announced, -int64(packet)
	case !room.Empty() && t.sender.Misses(room):
		return lacksSome, t.Progress.Time
	case t.topDSN <= at && !filled:
		return isBehind, t.Progress.Time
	}
	return hasPassed, 0
}

// BlockedUntil returns how long in-order delivery has waited for data of the subflow up
// to now, ns, including a wait that is still open. If the capture is not at the sender,
// an open wait counts for the subflow that most likely lost the data; later packets may
// correct this.
func (t *Path) BlockedUntil(now int64) int64 {
	if d := t.dir; d != nil && !d.atSender && d.blockedSince.Seen() && d.loserOf(d.rcvNxt, nil) == t {
		return t.Blocked.Total + max(0, now-d.blockedSince.Time)
	}
	return t.Blocked.until(PacketRef{Time: now}).Total
}
