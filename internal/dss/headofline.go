package dss

import "mpanalyze/internal/seq"

// HeadOfLine returns the chunk that blocks data above it: no DATA_ACK covers its first
// byte and no subflow acknowledged it, although a subflow acknowledged some byte above.
// It returns nil where no data is blocked or that byte was not captured. The chunk is
// valid until the next packet.
func (sp *Space) HeadOfLine() *Chunk {
	at, above := sp.sndUna, sp.subflowAcked.Len()
	if above == 0 {
		return nil
	}
	if !sp.hasDataAck {
		at = 1
	}
	if first := sp.subflowAcked.First(); first.Start <= at {
		at = first.End
		above--
	}
	if above == 0 {
		return nil
	}
	if sub := sp.headSubflow; sub != nil { // usually the same subflow as in the last call
		if c := sub.unacked(at); c != nil {
			return c
		}
	}
	for _, sub := range sp.active {
		if c := sub.unacked(at); c != nil {
			sp.headSubflow = sub
			return c
		}
	}
	return nil
}

// unacked returns the chunk of sub that holds the data at p and waits for a DATA_ACK;
// nil where there is none.
func (sub *SubflowSpace) unacked(p seq.DSN) *Chunk {
	c := sub.chunks.At(sub.firstNotDataAcked)
	if c != nil && c.Data.End <= p {
		c = sub.chunks.At(sub.findChunk(p))
	}
	if c == nil || c.Data.Start > p || c.DataAcked != 0 {
		return nil
	}
	return c
}

// FirstOutstanding returns the subflow that carries the lowest data without a DATA_ACK; -1
// where nothing is outstanding.
func (sp *Space) FirstOutstanding() (id int) {
	id = -1
	first := seq.DSN(0)
	for _, sub := range sp.active {
		if c := sub.chunks.At(sub.firstNotDataAcked); c != nil && (id < 0 || c.Data.Start < first) {
			id, first = sub.ID, c.Data.Start
		}
	}
	return id
}
