package symptoms

import (
	"fmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/subflow"
)

// Handover is a path that died, and the path that continued. The definition of handovers in
// package metrics has the rule.
type Handover struct {
	From, To int         // subflows
	Gap      PacketRange // from the last progress on From to the first progress on To
	Since    Since       // what kind of packet Gap.From is
	Reset    PacketRef   // the RST that ended the path; none where it made no progress with data outstanding
	Idle     bool        // nothing waited for the subflow when it was reset: it is no handover, but a subflow that ended
	Stopped  bool        // it died when all subflows stopped: see [Stops]
	Back     PacketRef   // first progress of From after its death; none if it stayed dead
	// Unanswered counts the segments that From sent, or had outstanding, without an answer in its
	// silence; 0 in a capture that is not at the sender.
	Unanswered int64
	// LastLost is the last data that From sent without an answer before it came back; none where
	// the capture does not show it.
	LastLost PacketRef
	Share    float64 // part of the payload that From carried in the second before its silence; 0 = not known, or none
	// Failback is the time from Back to the first second in which From carried its share of the
	// payload again, ns; valid with FailedBack.
	Failback   int64
	FailedBack bool
	Blocked    int64 // time in which in-order delivery waited for data of From meanwhile, ns

	// Payload of all paths in the second before Gap.From and in the second after it,
	// bytes; valid with Rated.
	Before, After int64
	Rated         bool

	blockedBefore int64
	failback      failback
}

// Since says with which packet the silence of a path that died begins.
type Since uint8

// The silence begins with the last progress of the path. If nothing was outstanding then,
// it begins at the sender with the first data that was not acknowledged. At the receiver it
// begins with the first arrival on another path that showed a hole.
const (
	SinceProgress Since = iota
	SinceSent
	SinceHole
)

// EventHandover is the kind of the event that a path dies and another continues.
const EventHandover conn.EventKind = "handover"

// A path is dead if it has data outstanding and made no progress for the longer of
// these times. DeadRounds is a number of smoothed round-trip times.
const (
	DeadAfter  = 1e9 // ns
	DeadRounds = 3
)

// maxHandovers bounds the handovers that are kept of one direction of a connection.
const maxHandovers = 64

// lostData notes, in a capture that is not at the sender, that the subflow lost data. A
// copy came at time at on another subflow, and later data had waited for it. The hole is
// the first sign that something is missing: before it, the subflow may have been idle.
func (t *Path) lostData(at PacketRef, copied *Path) {
	t.dir.latest = nil
	if t.waiting {
		return
	}
	t.waiting, t.blockedBefore = true, t.Blocked.Total
	if hole := t.dir.blockedSince; !t.since.Seen() || hole.Time > t.since.Time {
		t.since, t.other, t.otherID = hole, at, copied.sub.Sub.ID
	}
}

// backupUsed notes, in a capture that is not at the sender, that data came on this
// subflow, a backup. A sender uses a backup only while no regular path works (RFC 8684,
// Section 3.3.8). So the regular subflow that made progress last is dead if it has been silent
// for longer than the least retransmission timeout.
func (t *Path) backupUsed(at PacketRef) {
	var last *Path
	for _, s := range t.dir.c.followed {
		if o := t.dir.Follow(s); o.Progress.Seen() && !o.sub.isBackup() && (last == nil || o.Progress.Time > last.Progress.Time) {
			last = o
		}
	}
	if last == nil || last.sub.HasFIN() {
		return
	}
	if !last.waiting && at.Time-last.Progress.Time > subflow.MinRTO {
		last.waiting, last.blockedBefore = true, last.Blocked.Total
	}
}

// reset takes a RST on a subflow that carried data. The path died, unless a FIN had
// ended the subflow, or the receiver has all data already. If the subflow was
// idle, nothing waited for it: it ended, and no path died. A capture that is not at
// the sender does not show data that was lost before it. There, the subflow is idle if
// it shows no hole and has been silent for longer than the least retransmission timeout.
func (t *Path) reset(p *conn.Packet) {
	if t.resetAt.Seen() || t.sub.HasFIN() || p.Conn.Fastclosed || t.dir.space.Delivered() {
		return
	}
	if t.idle = t.sender.InFlight() == 0; !t.dir.atSender {
		t.idle = !t.waiting && t.Progress.Seen() && p.Seg.Time-t.Progress.Time > subflow.MinRTO
	}
	t.resetAt, t.waiting = refTo(p), true
	t.since.First(refTo(p))
}

// findDead begins a handover for each path that has died: it was reset, or it made no
// progress for too long with data outstanding, while another path made progress.
func (d *DataDir) findDead(now int64) {
	for _, s := range d.c.followed {
		t := s.Path(d.from)
		if !t.waiting || !t.other.Seen() || t.handover > 0 || len(d.Handovers) >= maxHandovers || t.isExcused() {
			continue
		}
		limit := max(int64(DeadAfter), int64(DeadRounds*t.SRTT))
		if t.resetAt.Seen() {
			limit = 0
		}
		// The other path must have made progress after at least a quarter of that time.
		other := d.Follow(d.c.followed[t.otherID])
		if other.sub.isBackup() && !t.sub.isBackup() { // which works only while no regular path does
			limit = min(limit, subflow.MinRTO+int64(t.SRTT))
		}
		silent := now - max(t.since.Time, d.unreadAt) // nothing can be sent while unread data fills the window
		if silent > limit && other.Progress.Time-t.since.Time > limit/4 {
			t.die()
		}
	}
}

// die begins a handover from the path.
func (t *Path) die() {
	d, id := t.dir, t.sub.Sub.ID
	h := Handover{
		From: id, To: t.otherID, Gap: PacketRange{t.since, t.other}, Reset: t.resetAt, Idle: t.idle, Stopped: t.isInStop(), blockedBefore: t.blockedBefore,
		Share: t.shareBefore(t.since.Time),
	}
	switch {
	case t.since == t.Progress:
	case d.atSender:
		h.Since = SinceSent
	default:
		h.Since = SinceHole
	}
	if d.atSender {
		h.Unanswered = max(t.tries, t.sender.InFlight()/t.sender.SegmentBytes())
	}
	d.Handovers = append(d.Handovers, h)
	t.handover = len(d.Handovers)
	t.waiting = !t.resetAt.Seen()
	if !t.idle {
		d.c.conn.Note(conn.Event{
			Time: t.since.Time, Sub: t.sub.Sub, From: d.from, Packet: t.since.Packet, Kind: EventHandover,
			Detail: fmt.Sprintf("no progress after this on subflow %d; subflow %d continues after %.3f ms", id, t.otherID, float64(h.Gap.Duration())/1e6),
		})
	}
}

// isExcused reports whether the silence of the path has a reason other than its death.
// There are four such reasons: the subflow was reset because the connection was aborted; a FIN that
// was acknowledged ended the subflow, with no data outstanding; the capture is not at the sender and
// the subflow is a backup, which is silent as long as other subflows work; or the silence began after
// the DATA_FIN, and the receiver has all data.
func (t *Path) isExcused() bool {
	d, ends := t.dir, &t.sub.Sub.Senders
	switch end := d.c.conn.DataFIN[d.from]; {
	case t.resetAt.Seen():
		return d.c.conn.Fastclosed // the connection was aborted, this subflow a moment before
	case t.sender.InFlight() == 0 && (ends[conn.A].FINAcked() || ends[conn.B].FINAcked()):
		return true
	case !d.atSender && t.sub.isBackup():
		return true
	default:
		return end != 0 && t.since.Time >= end && d.space.Delivered()
	}
}

// failbackPart is the part of its former share that a path that came back carries when it is in
// use as before.
const failbackPart = 0.9

// failback is how a path that died and came back takes up its share of the payload again. It
// compares seconds of whole cells.
type failback struct {
	next      int64 // the next cell with which a second is to begin
	searching bool

	tries [2]PacketRef // the latest data on the path since it died
}

// comesBack takes the first progress of a path that had died.
func (t *Path) comesBack(at PacketRef) {
	h := &t.dir.Handovers[t.handover-1]
	h.Back, h.Blocked, t.handover = at, t.BlockedUntil(at.Time)-h.blockedBefore, 0
	h.LastLost = h.failback.tries[0]
	if h.failback.tries[1].Seen() { // this one was answered
		h.Unanswered--
	}
	h.failback.next, h.failback.searching = t.dir.cellOf(at.Time), h.Share > 0
}

// shareBefore returns the part of the payload that a path carried in the second before a time; 0
// where that is not known.
func (t *Path) shareBefore(at int64) float64 {
	from := t.dir.cellOf(at) - rateCells
	own, all := t.recent.sum(from), t.dir.recent.sum(from)
	if own < 0 || all <= 0 {
		return 0
	}
	return float64(own) / float64(all)
}

// compare sets what all paths carried before the silence of a path and after its beginning, once a
// second before and a second after are known. Then it looks for the first second after the path came
// back in which it carried its share again. That ends if the path dies again.
func (d *DataDir) compare(h *Handover) {
	f, t, at := &h.failback, d.Follow(d.c.followed[h.From]), d.cellOf(h.Gap.From.Time)
	if !h.Rated && d.cellOf(d.Data.To.Time) > at+rateCells {
		if before, after := d.recent.sum(at-rateCells), d.recent.sum(at+1); min(before, after) >= 0 {
			h.Before, h.After, h.Rated = before, after, true
		}
	}
	f.searching = f.searching && t.handover == 0
	for f.next = max(f.next, d.recent.first()); f.searching && f.next+rateCells <= d.recent.end; f.next++ {
		if own, all := float64(t.recent.sum(f.next)), float64(d.recent.sum(f.next)); all > 0 && own >= failbackPart*h.Share*all {
			h.Failback, h.FailedBack = max(0, d.Data.From.Time+f.next*cellLength-h.Back.Time), true
			f.searching = false
		}
	}
}
