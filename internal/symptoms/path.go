package symptoms

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// Path keeps what explains the figures of one direction of one subflow.
type Path struct {
	// What each payload reads or changes comes first, so that it shares cache lines.

	// Progress is the latest packet that made progress with its data: an acknowledgment
	// in a capture at the sender, otherwise an arrival.
	Progress PacketRef
	LastData PacketRef // the latest payload

	// SRTT is the smoothed round-trip time, ns; 0 before the first sample. The owner sets it.
	SRTT float64

	dir    *DataDir
	sub    *Subflow
	sender *subflow.Sender

	topDSN    seq.DSN // highest end of data seen
	topSSN    seq.SSN // highest end of payload with a mapping seen
	cellBytes int64   // payload in the open cell

	since         PacketRef // the latest progress, or since when data is outstanding
	other         PacketRef // the first progress of another subflow after that
	otherID       int       // ID of that subflow; valid with other
	blockedBefore int64     // part of Blocked that lies before since, ns
	tries         int64     // packets with payload since the latest progress, at the sender
	handover      int       // 1 + index of its open handover; 0 = none
	waiting       bool      // data is outstanding, as far as the capture shows
	silent        awaits    // in the latest silence of all subflows
	idle          bool      // it was reset with nothing outstanding
	resetAt       PacketRef // the RST that ended it; none where it was not reset

	// Blocked are the times in which in-order delivery waited for data of this subflow,
	// while later data had passed on other subflows.
	Blocked Periods

	// Delivered is the rate at which its data was acknowledged. [Path.DeliveredRate] says
	// whether it is known.
	Delivered Delivered

	// Losses are its losses, and the delays around them.
	Losses Losses

	falls RateFalls

	// OpenCells counts the cells in which any subflow carried payload and this one was
	// established. IdleCells counts those of them in which this one carried no payload
	// and had none outstanding.
	OpenCells, IdleCells int64
	LongestIdle          int64 // most idle cells in a row
	IdleRun              int64 // idle cells in a row up to the latest open cell
	OpenUntil            int64 // when that cell ended, ns
	// BusyCells counts the cells in which this one carried payload. SharedCells counts
	// those of them in which another subflow did, too.
	BusyCells, SharedCells int64

	recent recentCells // from its first payload beside another subflow on
}

// Payload takes a packet with payload. free is the unused part of the receive window,
// as for [DataDir.DataAck].
func (t *Path) Payload(p *conn.Packet, free int64) {
	if !follows(p) {
		return
	}
	d, at := t.dir, refTo(p)
	if d.atReceiver {
		d.goesOn(p, at)
	}
	d.data(at)
	t.LastData = at
	t.cellBytes += int64(p.Seg.PayloadLen)
	if d.atSender || d.atReceiver {
		t.loses(p)
	}
	if d.atSender {
		t.sent(at)
	} else {
		t.arrived(p, at)
	}
	if d.offer.taken {
		d.beyond(p)
	}
	d.room(p, free)
}

// sent takes payload at the sender.
func (t *Path) sent(at PacketRef) {
	d := t.dir
	if d.idleSince.Seen() && d.space.OutstandingBytes > 0 { // otherwise it is a copy of data that the peer has
		if !d.full.since.Seen() {
			d.AppLimited += at.Time - d.idleSince.Time
			d.Awaited += max(0, d.c.Dir(d.from.Other()).Data.To.Time-d.idleSince.Time)
		}
		d.idleSince, d.advanceAt = PacketRef{}, at
	}
	if !t.waiting { // the subflow begins to have data outstanding
		t.waiting, t.since, t.other, t.blockedBefore = true, at, PacketRef{}, t.Blocked.Total
		d.latest = nil
	}
	if t.tries++; t.handover > 0 {
		h := &d.Handovers[t.handover-1]
		h.failback.tries = [2]PacketRef{h.failback.tries[1], at}
		h.Unanswered++
	}
}

// Ack takes a packet of the receiver that acknowledges data for the first time, on the
// subflow or at the data level.
func (t *Path) Ack(p *conn.Packet) {
	d := t.dir
	if showsGap(p) {
		d.gap(refTo(p))
	}
	if p.Uncaptured { // if in-order delivery waited for that data, it is not known which subflow it waited for
		d.FirstUncaptured.First(refTo(p))
		if next := d.space.RcvNxt(); !d.atSender && next > d.rcvNxt {
			d.blockedSince, d.rcvNxt = PacketRef{}, next
		}
	}
	if p.Seg.Flags&packet.RST != 0 || !follows(p) {
		return
	}
	covered := p.TCP.Ack.Payload()
	if covered && p.Seg.Flags&packet.SYN == 0 && p.Seg.Have&packet.Untimed == 0 {
		t.delivers(p)
	}
	if !d.atSender {
		return
	}
	at := refTo(p)
	if covered {
		d.goesOn(p, at)
	}
	if p.DataAckAdvanced && d.begun() {
		d.advance(at)
	}
	if p.DataAckAdvanced || covered {
		d.blockedAtSender(p, at)
	}
	if covered {
		t.progress(at, t.sender.InFlight() > 0)
	}
}

// delivers takes what a packet of the receiver acknowledges on the subflow.
func (t *Path) delivers(p *conn.Packet) {
	a, bytes := &p.TCP.Ack, int64(0)
	for _, r := range a.NewlyAcked {
		bytes += r.Len()
	}
	d := t.dir
	if t.Delivered.ack(a, bytes, p.Seg.Time, t.SRTT); len(d.c.followed) > 1 {
		made(&d.together).ack(a, bytes, p.Seg.Time, t.SRTT)
	}
	if !d.atSender {
		return
	}
	l := &t.Losses
	if a.New && a.NewestRTT > 0 {
		l.sample(p.Seg.Time, a.NewestRTT, t.Delivered.last.bytes)
	}
	for _, r := range a.NewlyAcked {
		l.came(r, p.Seg.Time, t.SRTT, t.sender.SegmentBytes(), true)
	}
	if l.MaybeDown() {
		t.judgeTimeout()
	}
	l.progress(t.sender.SndUna(), t.sender.SndNxt())
	if !t.lacksSACK() { // else an acknowledgment may cover what arrived long before
		t.falls.ack(a, bytes, refTo(p), t.sender.InFlight() > 0, t.sender.RTT.Min, t.SRTT, &t.Delivered.Best)
	}
}

// DeliveredRate returns the highest rate at which the receiver acknowledged data of the
// path over a second or longer. Without SACK an acknowledgment may cover data that
// arrived long before, so that nothing is known.
func (t *Path) DeliveredRate() (mbps float64, ok bool) {
	if t.sender == nil || t.lacksSACK() {
		return 0, false
	}
	r, ok := t.Delivered.Most()
	return r.Mbps(), ok
}

// lacksSACK reports whether the receiver does not use SACK.
func (t *Path) lacksSACK() bool {
	return t.sub.Sub.Senders[t.dir.from.Other()].RefusesSACK()
}

// progress notes that the subflow made progress. waiting says whether more data is
// outstanding on it.
func (t *Path) progress(at PacketRef, waiting bool) {
	d := t.dir
	if t.resetAt.Seen() && t.sub.Sub.Done() { // nothing of a subflow counts after its RST
		return
	}
	t.Progress, t.since, t.blockedBefore, t.waiting, t.tries = at, at, t.Blocked.Total, waiting, 0
	if since := t.Blocked.since; since.Seen() { // only the rest of this wait counts after the progress
		t.blockedBefore += at.Time - since.Time
	}
	if t != d.latest {
		t.tellOthers(at)
	}
}

// tellOthers tells the other subflows that this one made progress. The caller checks that
// another one made the latest progress. If that one told all others, it alone does not
// know yet.
func (t *Path) tellOthers(at PacketRef) {
	d := t.dir
	if t.handover > 0 {
		t.comesBack(at)
	}
	t.other = PacketRef{}
	if d.latest != nil {
		d.latest.noteProgress(at, t)
	} else {
		for _, s := range d.c.followed {
			if o := d.Follow(s); o != t {
				o.noteProgress(at, t)
			}
		}
	}
	d.latest = t
}

// noteProgress notes that another subflow, by, made progress.
func (t *Path) noteProgress(at PacketRef, by *Path) {
	if !t.other.Seen() {
		t.other, t.otherID = at, by.sub.Sub.ID
	}
}
