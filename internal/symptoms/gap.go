package symptoms

import "mpanalyze/internal/conn"

// showsGap reports whether a packet acknowledges data that was not captured: packets before it
// are missing from the capture.
func showsGap(p *conn.Packet) bool { return p.Uncaptured || len(p.TCP.Ack.Gaps) > 0 }

// gap takes a packet that shows a gap of the capture. What happened in the gap is not
// known, so all waits begin anew: nothing is measured across it.
func (d *DataDir) gap(at PacketRef) {
	if d.idleSince.Seen() {
		d.idleSince = at
	} else {
		d.advanceAt = at
	}
	for _, since := range [...]*PacketRef{&d.full.since, &d.blockedSince, &d.shut.Zero.since, &d.shut.Shrinks.since} {
		since.restart(at)
	}
	d.latest, d.cameAt = nil, at
	for _, s := range d.c.followed {
		if t := s.Path(d.from); t.since.Seen() {
			t.since, t.other, t.blockedBefore = at, PacketRef{}, t.Blocked.Total
			t.falls.restart()
		}
	}
}
