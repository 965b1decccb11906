package symptoms

import (
	"fmt"

	"mpanalyze/internal/conn"
)

// Handover is a path that died, and the one that continued (METRICS: handover).
type Handover struct {
	From, To int         // subflows
	Gap      PacketRange // last progress on the one to the first on the other
	Since    Since       // what Gap.From is
	Reset    PacketRef   // the RST that ended the path; none where it made no progress with data outstanding
	Back     PacketRef   // its first progress after that; none where it stayed dead
	Blocked  int64       // time in which in-order delivery waited for its data meanwhile, ns

	// Payload of all paths in the second before that silence and in the second after it,
	// bytes; valid with Rated.
	Before, After int64
	Rated         bool

	blockedBefore int64
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

// EventHandover is the kind of the event that a path dies and another continues.
const EventHandover conn.EventKind = "handover"

// A path died that has data outstanding and made no progress for the longer of these
// times, of which the second is in smoothed round-trip times.
const (
	DeadAfter  = 1e9 // ns
	DeadRounds = 3
)

// maxHandovers bounds the handovers that a direction of a connection remembers.
const maxHandovers = 64

// leastRTO is Linux's least retransmission timeout, in nanoseconds.
const leastRTO = 200e6

// lostData notes away from the sender that the subflow lost data, of which a copy came
// at time at on another one, after later data had waited for it. Where the subflow had
// been idle for long before that, the hole is the first that is known of its death.
func (t *Path) lostData(at PacketRef, copied *Path) {
	t.dir.latest = nil
	if t.waiting {
		return
	}
	t.waiting, t.blockedBefore = true, t.Blocked.Total
	if hole := t.dir.blockedSince; !t.since.Seen() || hole.Time-t.since.Time > 10*cellLength {
		t.since, t.other, t.otherID = hole, at, copied.sub.Sub.ID
	}
}

// backupUsed notes away from the sender that data came on this subflow, a backup, which
// a sender uses only while no regular path works (RFC 8684, Section 3.3.8): the subflow
// that made progress last is dead if it has been quiet for longer than the least
// retransmission timeout.
func (t *Path) backupUsed(at PacketRef) {
	var last *Path
	for _, s := range t.dir.c.followed {
		if o := t.dir.Follow(s); o.Progress.Seen() && (last == nil || o.Progress.Time > last.Progress.Time) {
			last = o
		}
	}
	if last == nil || last == t || last.sub.isBackup() || last.sub.hasFIN() {
		return
	}
	if !last.waiting && at.Time-last.Progress.Time > leastRTO {
		last.waiting, last.blockedBefore = true, last.Blocked.Total
	}
}

// reset takes a RST on a subflow that carried data: a death, unless a FIN had ended it
// or the receiver has all of the data already.
func (t *Path) reset(p *conn.Packet) {
	if t.resetAt.Seen() || t.sub.hasFIN() || p.Conn.Fastclosed || t.dir.space.Delivered() {
		return
	}
	t.resetAt, t.waiting = refTo(p), true
	if !t.since.Seen() {
		t.since = refTo(p)
	}
}

// findDead begins a handover for each path that died by now: reset, or without progress
// for too long although something is outstanding, while another came on.
func (d *Direction) findDead(now int64) {
	for _, s := range d.c.followed {
		t := s.Path(d.from)
		if !t.waiting || !t.other.Seen() || t.handover > 0 || len(d.Handovers) >= maxHandovers || t.isExcused() {
			continue
		}
		limit := max(int64(DeadAfter), int64(DeadRounds*d.c.rtt.SRTT(s.Sub.ID, d.from)))
		if t.resetAt.Seen() {
			limit = 0
		}
		// The other one must have continued at the end of that time.
		other := d.Follow(d.c.followed[t.otherID])
		if now-t.since.Time > limit && other.Progress.Time-t.since.Time > limit/4 {
			t.die()
		}
	}
}

// die begins a handover.
func (t *Path) die() {
	d, id := t.dir, t.sub.Sub.ID
	d.Handovers = append(d.Handovers, Handover{
		From: id, To: t.otherID, Gap: PacketRange{t.since, t.other}, Since: t.silentSince(), Reset: t.resetAt, blockedBefore: t.blockedBefore,
	})
	t.handover = len(d.Handovers)
	d.c.conn.Note(conn.Event{
		Time: t.since.Time, Sub: t.sub.Sub, From: d.from, Packet: t.since.Packet, Kind: EventHandover,
		Detail: fmt.Sprintf("no progress after this on subflow %d; subflow %d continues after %.3f ms", id, t.otherID, float64(t.other.Time-t.since.Time)/1e6),
	})
	if t.resetAt.Seen() {
		t.waiting = false
	}
}

// silentSince returns what the silence of the path counts from.
func (t *Path) silentSince() Since {
	switch {
	case t.since == t.Progress:
		return SinceProgress
	case t.dir.atSender():
		return SinceSent
	}
	return SinceHole
}

// isExcused reports whether the silence of the path has a reason other than its death:
// it began after the DATA_FIN, and the receiver has all of the data; a FIN that was
// acknowledged ended the subflow, with nothing outstanding; or, away from the sender,
// the subflow is a backup, which is silent as long as others work.
func (t *Path) isExcused() bool {
	d := t.dir
	switch {
	case t.resetAt.Seen():
		return false
	case t.sender.InFlight() == 0 && t.sub.finAcked():
		return true
	case !d.atSender() && t.sub.isBackup():
		return true
	}
	end := d.c.conn.DataFIN[d.from]
	return end != 0 && t.since.Time >= end && d.space.Delivered()
}

// closeHandovers completes the handovers from which no path came back.
func (d *Direction) closeHandovers(at int64) {
	for _, s := range d.c.followed {
		if t := s.Path(d.from); t.handover > 0 {
			h := &d.Handovers[t.handover-1]
			h.Blocked = t.blockedUntil(at) - h.blockedBefore
		}
	}
}
