package pair

import "mpanalyze/internal/conn"

// placePackets is how many packets of either capture are compared to find out
// which capture was taken at which host, if a handshake is not complete.
const placePackets = 256

// place finds out which capture was taken at the host that the sender's capture
// calls A. It reports false where it needs more packets.
func (l *subflowPair) place(last bool) (at End, ok bool) {
	s, r := l.ends[AtSender], l.ends[AtReceiver]
	if s.sub.ThirdACK != 0 && r.sub.ThirdACK != 0 {
		if at, ok = l.placeByTimes(); ok {
			return at, true
		}
		if at, ok = l.placeByHandshake(); ok {
			return at, true
		}
	}
	fewest, most := min(len(s.held), len(r.held)), max(len(s.held), len(r.held))
	if !last && fewest < placePackets && most < maxHeld {
		return at, false
	}
	for _, by := range []func() (End, bool){l.placeByTimes, l.placeByVantage, l.placeByAddress} {
		if at, ok = by(); ok {
			return at, true
		}
	}
	return l.placeByBytes(), true
}

// placeByTimes compares the times of equal packets in both captures: a packet
// that A sends is earlier in the capture at A. The difference of the clocks
// cancels out.
func (l *subflowPair) placeByTimes() (at End, ok bool) {
	both := l.timeDifferences()
	a, b := &both[conn.A], &both[conn.B]
	if a.n == 0 || b.n == 0 {
		return at, false
	}
	at = AtSender
	if a.sum/a.n < b.sum/b.n {
		at = AtReceiver
		a, b = b, a
	}
	// The difference of a packet from the sender's host is the lead plus its
	// delay, the difference of a packet to that host is the lead less its
	// delay.
	l.pair.lead = a.least + (b.most-a.least)/2
	return at, true
}

// differences are the times of packets of one direction in the receiver's
// capture less those in the sender's, ns.
type differences struct{ n, sum, least, most int64 }

func (d *differences) add(difference int64) {
	if d.n == 0 {
		d.least, d.most = difference, difference
	}
	d.n++
	d.sum += difference
	d.least, d.most = min(d.least, difference), max(d.most, difference)
}

// timeDifferences compares the times of packets that are held in both captures,
// by the side that sent them.
func (l *subflowPair) timeDifferences() (out [2]differences) {
	seen := map[[4]uint32]int64{}
	for i := range l.ends[AtSender].held {
		h := &l.ends[AtSender].held[i]
		if _, ok := seen[h.fingerprint()]; !ok {
			seen[h.fingerprint()] = h.time
		}
	}
	for i := range l.ends[AtReceiver].held {
		h := &l.ends[AtReceiver].held[i]
		if t, ok := seen[h.fingerprint()]; ok {
			delete(seen, h.fingerprint())
			out[l.side(AtReceiver, h.from)].add(h.time - t)
		}
	}
	return out
}

// placeByHandshake compares the two halves of the same handshake: the SYN/ACK
// comes late in the capture at the initiator, the third packet comes late in
// the capture at its peer. The clocks do not matter. If both captures show the
// same half late, one of them missed the third packet and took a later one for
// it: then it does not decide.
func (l *subflowPair) placeByHandshake() (at End, ok bool) {
	lateness := func(s *conn.Subflow) int64 { // of the SYN/ACK, against the third packet
		if s.SYN == 0 || s.SYNACK == 0 {
			return 0
		}
		return (s.SYNACK - s.SYN) - (s.ThirdACK - s.SYNACK)
	}
	s, r := lateness(l.ends[AtSender].sub), lateness(l.ends[AtReceiver].sub)
	if s == 0 || r == 0 || s > 0 == (r > 0) {
		return at, false
	}
	if (s < r) == (l.ends[AtSender].sub.Initiator == conn.A) {
		return AtReceiver, true
	}
	return AtSender, true
}

// placeByVantage uses the place that either capture alone shows.
func (l *subflowPair) placeByVantage() (at End, ok bool) {
	for e, f := range l.ends {
		v, _ := f.endConn.conn.Vantage()
		if v != conn.AtA && v != conn.AtB {
			continue
		}
		if l.side(End(e), conn.A) == conn.B != (v == conn.AtB) {
			return End(e).Other(), true
		}
		return End(e), true
	}
	return at, false
}

// placeByAddress looks the addresses up among those of earlier subflows.
func (l *subflowPair) placeByAddress() (at End, ok bool) {
	ends := l.ends[AtSender].sub.Ends
	a, okA := l.pair.hosts[ends[conn.A].Addr]
	b, okB := l.pair.hosts[ends[conn.B].Addr]
	switch {
	case okA && okB:
		return a, a != b
	case okB:
		return b.Other(), true
	}
	return a, okA
}

// placeByBytes takes the host that sends most data for the host of the sender's
// capture.
func (l *subflowPair) placeByBytes() End {
	s := &l.ends[AtSender].sub.Senders
	if s[conn.A].Bytes >= s[conn.B].Bytes {
		return AtSender
	}
	return AtReceiver
}

// noteHosts notes whose capture was taken at which address.
func (l *subflowPair) noteHosts() {
	for side, end := range l.ends[AtSender].sub.Ends {
		if _, ok := l.pair.hosts[end.Addr]; ok || len(l.pair.hosts) < maxHosts {
			l.pair.hosts[end.Addr] = l.At[side]
		}
	}
}
