package dss

import "mpanalyze/internal/seq"

// probe is a space that records what it reports.
type probe struct {
	Space
	Result
}

func (sp *probe) Map(sub *SubflowSpace, m Mapping, want *Checksum) (v Verdict, checking bool) {
	return sp.Space.AddMapping(sub, &m, want, &sp.Result)
}

func (sp *probe) Implied(sub *SubflowSpace, packet uint64) {
	sp.Space.AddImpliedMapping(sub, packet, &sp.Result)
}

func (sp *probe) Carry(sub *SubflowSpace, p *Payload) (covered bool) {
	return sp.Space.AddPayload(sub, p, &sp.Result)
}

// InOrder returns what came in order since its last call.
func (sp *probe) InOrder(now int64) []*Chunk {
	sp.Space.InOrder(now, &sp.Result)
	in := sp.Result.InOrder
	sp.Result.InOrder = in[:0]
	return in
}

// Acked takes an acknowledgment whose packet has no new DATA_ACK.
func (sp *probe) Acked(sub *SubflowSpace, r seq.Range[seq.SSN], now int64) {
	sp.Space.Acked(sub, r, sp.sndUna, now)
}

func (sp *probe) DataAck(p seq.DSN, now int64) (advanced bool, covered []*Chunk) {
	sp.DataAcked = sp.DataAcked[:0]
	advanced = sp.Space.DataAck(p, now, &sp.Result)
	return advanced, sp.DataAcked
}

// settleInto gives f the settled chunks, even where EndPacket would not look for any; with all
// set, every chunk.
func (sp *probe) settleInto(all bool, f func(*SubflowSpace, []Chunk)) {
	sp.OnSettled(f)
	sp.settleAll(all)
}

func (sp *probe) Pieces() []Piece { return sp.Result.Pieces }

func (sp *probe) Checks() []Check { return sp.Result.Checks }

// reserve gives an empty subflow memory for n chunks, as a subflow has after some data.
func reserve(sub *SubflowSpace, n int) {
	for range n {
		sub.chunks.Push()
	}
	sub.popChunks(n)
}

// chunksOf returns the chunks of a subflow.
func chunksOf(sub *SubflowSpace) (chunks []Chunk) {
	sub.overlapping(seq.Range[seq.DSN]{Start: lowest, End: NoEnd}, func(c *Chunk) { chunks = append(chunks, *c) })
	return chunks
}

// oneSubflow returns a space whose data begins at 1, and its subflow.
func oneSubflow() (*probe, *SubflowSpace) {
	sp := &probe{}
	sp.SetIDSN(0)
	return sp, sp.NewSubflow(0)
}

func twoSubflows() (sp *probe, a, b *SubflowSpace) {
	sp, a = oneSubflow()
	return sp, a, sp.NewSubflow(1)
}
