package dss

import (
	"math"

	"mpanalyze/internal/seq"
)

// heard is the DATA_ACK that was read last. Most packets repeat it.
type heard struct {
	wire    uint64
	octets8 bool
	any     bool
	at      seq.DSN
}

// AckPosition is [Space.Position] for the number of a DATA_ACK.
func (sp *Space) AckPosition(wire uint64, octets8 bool) (p seq.DSN, ok bool) {
	if h := &sp.heard; wire == h.wire && octets8 == h.octets8 && h.any {
		return h.at, true
	}
	if p, ok = sp.Position(wire, octets8); ok {
		sp.heard = heard{wire, octets8, true, p}
	}
	return p, ok
}

// floor returns the position below which everything was DATA_ACKed.
func (sp *Space) floor() seq.DSN {
	if !sp.acked {
		return math.MinInt64 / 2 // below any position, and safe to subtract from
	}
	return sp.ack
}

// DataAck takes a DATA_ACK up to position p at time now, and returns the
// chunks that it covers for the first time; they are valid until the next
// packet.
func (sp *Space) DataAck(p seq.DSN, now int64) (advanced bool, covered []*Chunk) {
	if sp.acked && p <= sp.ack {
		return false, nil
	}
	passed := seq.Range[seq.DSN]{Start: sp.floor(), End: p}
	sp.WaitingBytes -= sp.seen.Overlap(passed)
	sp.AckedBytes -= sp.held.Overlap(passed)
	sp.held.DropBelow(p)
	sp.ack, sp.acked = p, true
	sp.covered = sp.covered[:0]
	for _, l := range sp.lanes {
		sp.cover(l, now)
	}
	sp.accepted(sp.dataEnd(p), now)
	return true, sp.covered
}

// cover marks the chunks of l that the DATA_ACK covers.
func (sp *Space) cover(l *Lane, now int64) {
	from := l.nextAcked
	i, covered := from, sp.covered
	for ; i < len(l.chunks) && l.chunks[i].Data.End <= sp.ack; i++ {
		c := &l.chunks[i]
		c.DataAcked = now
		sp.leave(c)
		covered = append(covered, c)
	}
	if i > from {
		l.nextAcked, sp.covered, sp.ended = i, covered, true
	}
}

// leave counts c out of the segments that wait for a DATA_ACK.
func (sp *Space) leave(c *Chunk) {
	sp.WaitingUnits -= int64(c.Units)
	if c.Acked != 0 {
		sp.AckedUnits -= int64(c.Units)
	}
}

// accepted notes that the receiver has all data below p. What of it was not
// captured delays nothing any more: the chunks that waited for it are in
// order, but since when is not known.
func (sp *Space) accepted(p seq.DSN, now int64) {
	if p > sp.nxt {
		sp.AckedUnseen += int64(p - sp.nxt)
		sp.nxt = p
	}
	if p <= sp.edge {
		return
	}
	sp.edge = sp.seen.FirstGap(p)
	for _, l := range sp.lanes {
		sp.passed = sp.order(l, now, sp.passed[:0])
	}
}

// dataEnd returns p less the DATA_FIN that it may acknowledge.
func (sp *Space) dataEnd(p seq.DSN) seq.DSN {
	if sp.finSeen && p > sp.fin {
		return sp.fin
	}
	return p
}
