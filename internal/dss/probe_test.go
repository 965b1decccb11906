package dss

import "mpanalyze/internal/seq"

// probe is a space with what it finds.
type probe struct {
	Space
	Result
}

func (sp *probe) Map(l *SubflowSpace, m Mapping, want *Checksum) (v Verdict, checking bool) {
	return sp.Space.AddMapping(l, m, want, &sp.Result)
}

func (sp *probe) Implied(l *SubflowSpace, packet uint64) {
	sp.Space.AddImpliedMapping(l, packet, &sp.Result)
}

func (sp *probe) Carry(l *SubflowSpace, p *Payload) (covered bool) {
	return sp.Space.AddPayload(l, p, &sp.Result)
}

// InOrder returns what was found to be in order since it was called last.
func (sp *probe) InOrder(l *SubflowSpace, now int64) []*Chunk {
	sp.Space.InOrder(l, now, &sp.Result)
	in := sp.Result.InOrder
	sp.Result.InOrder = in[:0]
	return in
}

func (sp *probe) DataAck(p seq.DSN, now int64) (advanced bool, covered []*Chunk) {
	sp.DataAcked = sp.DataAcked[:0]
	advanced = sp.Space.DataAck(p, now, &sp.Result)
	return advanced, sp.DataAcked
}

func (sp *probe) Pieces() []Piece { return sp.Result.Pieces }

func (sp *probe) Checks() []Check { return sp.Result.Checks }

// reserve gives an empty lane room for n chunks, as later data finds it.
func reserve(l *SubflowSpace, n int) {
	for range n {
		l.chunks.Push()
	}
	l.pop(n)
}

// chunksOf returns the chunks of a lane.
func chunksOf(l *SubflowSpace) (chunks []Chunk) {
	l.over(seq.Range[seq.DSN]{Start: lowest, End: endless}, func(c *Chunk) { chunks = append(chunks, *c) })
	return chunks
}
