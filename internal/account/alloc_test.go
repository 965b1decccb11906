package account

import (
	"testing"

	"gotest.tools/v3/assert"
)

// TestAwayAllocatesNothing: once their lists have grown, an account away from the sender and one that is inferred take packets without
// allocation. A segment arrives each millisecond, waits for 20 ms, and opens the window.
func TestAwayAllocatesNothing(t *testing.T) {
	r, s, ended := &Remote{AtReceiver: true}, &Subflow{}, int64(0)
	r.Open(0, s, ms, &ended)
	var x Inferred
	x.Open(0, &Subflow{}, ms, &ended)
	at, n := 100*ms, int64(0)
	step := func() {
		at += ms
		n += segment
		e := &Data{
			New: true, Bytes: segment, Nxt: n, Segment: segment, DataEnd: n, RcvNxt: n, SndNxt: n, Outstanding: segment,
			SRTT: 60 * ms, LeastRTT: 40 * ms, RTO: 260 * ms, Delay: min(n, 20*ms), Timed: true,
		}
		r.Data(0, at, e)
		x.Data(0, at, e)
		x.Reply(0, at, 40*ms, Reply{Una: n, Bytes: segment, DataAck: n, Acks: true, Advances: true})
		r.Ack(0, at, &Ack{Una: n, Nxt: n, RTO: 260 * ms})
		r.Offered(at, n+1000*segment)
	}
	for range 10_000 {
		step()
	}
	if got := testing.AllocsPerRun(10_000, step); got != 0 {
		t.Errorf("%v allocations per packet", got)
	}
	assert.Check(t, s.Times[Path] != 0, "no round was judged")
}
