package dss

import "mpanalyze/internal/seq"

// HeadOfLine returns the chunk that data behind it waits for: the one with the
// first octet which neither a DATA_ACK nor, on any subflow, an acknowledgment
// covers while some octet above it is acknowledged. It is nil where nothing
// waits, or where that octet was not captured, and valid until the next packet.
func (sp *Space) HeadOfLine() *Chunk {
	at, above := sp.ack, sp.held.Len()
	if above == 0 {
		return nil
	}
	if !sp.acked {
		at = 1
	}
	if first := sp.held.First(); first.Start <= at {
		at = first.End
		above--
	}
	if above == 0 {
		return nil
	}
	if l := sp.headLane; l != nil { // as a rule it is where it was at the latest call
		if c := l.unacked(at); c != nil {
			return c
		}
	}
	for _, l := range sp.working {
		if c := l.unacked(at); c != nil {
			sp.headLane = l
			return c
		}
	}
	return nil
}

// unacked returns the lane's chunk of the data at p, nil where it has none that
// waits for a DATA_ACK.
func (l *SubflowSpace) unacked(p seq.DSN) *Chunk {
	c := l.chunks.At(l.nextAcked)
	if c != nil && c.Data.End <= p {
		c = l.chunks.At(l.search(p))
	}
	if c == nil || c.Data.Start > p || c.DataAcked != 0 {
		return nil
	}
	return c
}
