package dss

import (
	"testing"

	"mpanalyze/internal/seq"
)

// Of a thousand lanes that carried data those that wait for nothing are not looked at by
// each DATA_ACK; one that carries data again is.
func TestWorkingLanes(t *testing.T) {
	var sp probe
	sp.SetIDSN(0)
	lanes := make([]*SubflowSpace, 1000)
	for i := range lanes {
		lanes[i] = sp.NewSubflow(i)
	}
	at := seq.DSN(1)
	for round := range 3 {
		for i, l := range lanes {
			sp.give(l, seq.SSN(1+100*round), at, 100, uint64(at))
			at += 100
			sp.InOrder(l, int64(at))
			if i%10 == 9 {
				sp.Acked(l, run(seq.SSN(1+100*round), seq.SSN(101+100*round)), int64(at))
				sp.DataAck(at, int64(at))
			}
			if n := len(sp.working); n > fewLanes+10 {
				t.Fatalf("%d of %d lanes are looked at", n, len(lanes))
			}
		}
	}
	for i, l := range lanes {
		for c := range l.chunks.From(l.chunks.First()) {
			if c.DataAcked == 0 {
				t.Fatalf("lane %d: data from %d on is not acknowledged", i, c.Data.Start)
			}
		}
	}
	if sp.OutstandingBytes != 0 || sp.OutstandingSegments != 0 {
		t.Errorf("%d bytes in %d segments wait", sp.OutstandingBytes, sp.OutstandingSegments)
	}
}
