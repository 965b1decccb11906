package dss

import "mpanalyze/internal/seq"

// probe is a space with what it finds.
type probe struct {
	Space
	Found
}

func (sp *probe) Map(l *Lane, m Mapping, want *Checksum) (v Verdict, checking bool) {
	return sp.Space.Map(l, m, want, &sp.Found)
}

func (sp *probe) Implied(l *Lane, packet uint64) { sp.Space.Implied(l, packet, &sp.Found) }

func (sp *probe) Carry(l *Lane, p *Payload) (covered bool) { return sp.Space.Carry(l, p, &sp.Found) }

// InOrder returns what was found to be in order since it was called last.
func (sp *probe) InOrder(l *Lane, now int64) []*Chunk {
	sp.Space.InOrder(l, now, &sp.Found)
	in := sp.Found.InOrder
	sp.Found.InOrder = in[:0]
	return in
}

func (sp *probe) DataAck(p seq.DSN, now int64) (advanced bool, covered []*Chunk) {
	sp.DataAcked = sp.DataAcked[:0]
	advanced = sp.Space.DataAck(p, now, &sp.Found)
	return advanced, sp.DataAcked
}

func (sp *probe) Pieces() []Piece { return sp.Found.Pieces }

func (sp *probe) Checks() []Check { return sp.Found.Checks }

// reserve gives an empty lane room for n chunks, as later data finds it.
func reserve(l *Lane, n int) {
	for range n {
		l.chunks.Push()
	}
	l.pop(n)
}

// chunksOf returns the chunks of a lane.
func chunksOf(l *Lane) (chunks []Chunk) {
	l.over(seq.Range[seq.DSN]{Start: lowest, End: endless}, func(c *Chunk) { chunks = append(chunks, *c) })
	return chunks
}
