package dss

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/seq"
)

// A thousand subflows carried data. A DATA_ACK does not look at those that wait for
// nothing; it looks at one again that carries data again.
func TestActiveSubflows(t *testing.T) {
	var sp probe
	sp.SetIDSN(0)
	subs := make([]*SubflowSpace, 1000)
	for i := range subs {
		subs[i] = sp.NewSubflow(i)
	}
	at := seq.DSN(1)
	for round := range 3 {
		for i, sub := range subs {
			sp.give(sub, seq.SSN(1+100*round), at, 100, uint64(at))
			at += 100
			sp.InOrder(int64(at))
			if i%10 == 9 {
				sp.Acked(sub, run(seq.SSN(1+100*round), seq.SSN(101+100*round)), int64(at))
				sp.DataAck(at, int64(at))
			}
			n := len(sp.active)
			assert.Assert(t, n <= minActive+10, "%d of %d subflows are looked at", n, len(subs))
		}
	}
	for i, sub := range subs {
		for c := range sub.chunks.From(sub.chunks.First()) {
			assert.Assert(t, c.DataAcked != 0, "subflow %d: data from %d on is not acknowledged", i, c.Data.Start)
		}
	}
	assert.Check(t, sp.OutstandingBytes == 0 && sp.OutstandingSegments == 0, "%d bytes in %d segments wait", sp.OutstandingBytes, sp.OutstandingSegments)
}
