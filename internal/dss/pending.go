package dss

import "mpanalyze/internal/seq"

// pendingRun is payload that no mapping covers yet. A mapping may come after
// the first segment that it covers (RFC 8684, Section 3.3.1).
type pendingRun struct{ Payload }

// maxPending bounds the runs of a lane that wait for a mapping. Beyond it the
// oldest are counted as unmapped and forgotten.
const maxPending = 256

// wait keeps the part r of p until a mapping covers it.
func (l *Lane) wait(p Payload, r seq.Range[seq.SSN]) {
	if len(l.pending) >= maxPending {
		l.Unmapped += l.pending[0].Len()
		l.pending = append(l.pending[:0], l.pending[1:]...)
	}
	if p.Bytes != nil {
		p.Bytes = append([]byte(nil), cut(p.Bytes, int64(r.Start-p.Start), r.Len())...)
	}
	p.Range = r
	l.pending = append(l.pending, pendingRun{p})
}

// Pending returns the payload that waits for a mapping: how many runs, and
// the packet and time of the first.
func (l *Lane) Pending() (n int, first Payload) {
	if len(l.pending) == 0 {
		return 0, Payload{}
	}
	return len(l.pending), l.pending[0].Payload
}

// Mapped reports whether any mapping was announced on the lane.
func (l *Lane) Mapped() bool { return l.mapped }

// resolve places the waiting payload that a mapping now covers.
func (sp *Space) resolve(l *Lane) {
	if len(l.pending) == 0 {
		return
	}
	waiting := l.pending
	l.pending = nil
	for _, p := range waiting {
		sp.Carry(l, p.Payload)
	}
}

// Implied maps the rest of the lane one to one from the end of its last
// mapping on: the infinite mapping that unmapped payload on the only subflow
// implies (RFC 8684, Section 3.7). Without any mapping the streams begin
// together.
func (sp *Space) Implied(l *Lane, packet uint64) {
	ssn, dsn := l.lastEnd, l.lastDSN
	if !l.mapped {
		ssn, dsn = 1, 1
		if !sp.known {
			sp.known = true
			sp.nxt, sp.ack, sp.edge = 1, 1, 1
		}
	}
	sp.Map(l, Mapping{SSN: seq.Range[seq.SSN]{Start: ssn}, DSN: dsn, Packet: packet, Infinite: true}, nil)
}

// Abandon gives up the payload that still waits for a mapping.
func (l *Lane) Abandon() {
	for _, p := range l.pending {
		l.Unmapped += p.Len()
	}
	l.pending = nil
}

// baseGuess narrows down a subflow's initial sequence number where its SYN was
// not captured. A DSS option names a position relative to it, and the payload
// beside the option lies inside the mapping, so every option bounds it from
// both sides; the bounds meet after a mapping or two.
type baseGuess struct {
	low, high int64 // what the true SSN of position 0 may be
	any, done bool
}

// Locate takes an option that maps length payload octets from the true
// subflow sequence number ssn on, beside payload at r of a lane whose origin
// was guessed. It returns the true position of the guessed origin once it is
// certain.
func (l *Lane) Locate(ssn uint32, length int64, r seq.Range[seq.SSN]) (origin int64, certain bool) {
	g := &l.base
	if g.done || r.Empty() || length < r.Len() {
		return 0, false
	}
	low := int64(ssn) - int64(r.Start)
	high := int64(ssn) + length - int64(r.End)
	if !g.any || low > g.high || high < g.low { // the first, or the earlier ones were wrong
		g.low, g.high, g.any = low, high, true
	} else {
		g.low, g.high = max(g.low, low), min(g.high, high)
	}
	g.done = g.low == g.high
	return g.low, g.done
}

// Shift moves every subflow position of the lane by delta, when the origin of
// its subflow becomes known.
func (l *Lane) Shift(delta seq.SSN) {
	for i := range l.maps.list {
		l.maps.list[i].SSN.Start += delta
		if !l.maps.list[i].Infinite {
			l.maps.list[i].SSN.End += delta
		}
	}
	for i := range l.pending {
		l.pending[i].Start += delta
		l.pending[i].End += delta
	}
	l.lastEnd += delta
}

// InfiniteAt returns the data position of p where an infinite mapping covers
// it.
func (l *Lane) InfiniteAt(p seq.SSN) (at seq.DSN, ok bool) {
	n := len(l.maps.list)
	if n == 0 || !l.maps.list[n-1].Infinite || p < l.maps.list[n-1].SSN.Start {
		return 0, false
	}
	return l.maps.list[n-1].at(p), true
}
