package subflow

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/seq"
)

// The second of three segments is missing; it comes last. The third came at 10 ms; the round trip is 40 ms. The first
// copy of the second was never seen: it is not sent again.
func TestHoleFills(t *testing.T) {
	scripts(t, [][2]string{
		{"timestamps: sent before the third", "opened; 0 data 1+1000; 10 data 2001+1000 ts 110,1; 11 data 1001+1000 ts 109,1; fills 0; disordered 1; again 0 0"},
		{"timestamps: within one tick of it", "opened; 0 data 1+1000; 10 data 2001+1000 ts 110,1; 11 data 1001+1000 ts 110,1; fills 0; disordered 1; again 0 0"},
		{"timestamps: however late, an original", "opened; 0 data 1+1000; 10 data 2001+1000 ts 110,1; 900 data 1001+1000 ts 109,1; fills 0; disordered 1; again 0 0"},
		{"timestamps: sent after the third", "opened; 0 data 1+1000; 10 data 2001+1000 ts 110,1; 11 data 1001+1000 ts 111,1; fills 1; disordered 1; again 0 0"},
		{"timestamps: sent after the third, the clock having wrapped", "opened; 0 data 1+1000; 10 data 2001+1000 ts 4294967280,1; 60 data 1001+1000 ts 30,1; fills 1; disordered 1; again 0 0"},
		{"timestamps: sent before the third, the clock having wrapped", "opened; 0 data 1+1000; 10 data 2001+1000 ts 5,1; 60 data 1001+1000 ts 4294967280,1; fills 0; disordered 1; again 0 0"},
		{"no timestamps: within half a round trip", "opened; 0 data 1+1000; 10 data 2001+1000; 30 data 1001+1000; fills 0; disordered 1; again 0 0"},
		{"no timestamps: after half a round trip", "opened; 0 data 1+1000; 10 data 2001+1000; 30.001 data 1001+1000; fills 1; disordered 1; again 0 0"},
		{"timestamps on one of the two say nothing", "opened; 0 data 1+1000; 10 data 2001+1000 ts 110,1; 30 data 1001+1000; fills 0; disordered 1; again 0 0"},

		// In a capture at the receiver, or between the ends, the round trip is the sum of the two parts on its two sides.
		{"half the round trip at the sender", "-40 A syn 0 0 0; 0 B synAck 0 1 0; 0 A ack 1 1 0; patience 20"},
		{"half the round trip at the receiver", "-40 A syn 0 0 0; -40 B synAck 0 1 0; 0 A ack 1 1 0; patience 20"},
		{"half the round trip between", "-40 A syn 0 0 0; -25 B synAck 0 1 0; 0 A ack 1 1 0; patience 20"},
		{"10 ms after the hole opened where none is known", "0 data 1+1000; 1 data 3001+2000; 11 data 1001+1000; fills 0; 11.001 data 2001+1000; fills 1"},
	})
}

// Parts of holes: each byte is filled once, and each hole remembers the packet that opened
// it.
func TestHolesInParts(t *testing.T) {
	p := opened(t)
	a := p.a()
	p.data(0, 2001, 1000, ts(100, 1)) // opens [1, 2001)
	p.data(1, 5001, 1000, ts(200, 1)) // opens [3001, 5001)
	want(t, "misses before, across, between and behind the holes",
		[]bool{a.Misses(span(0, 1)), a.Misses(span(0, 2)), a.Misses(span(2001, 3001)), a.Misses(span(5000, 5002)), a.Misses(span(5001, 9000))},
		[]bool{false, true, false, true, false})
	p.data(2, 501, 1000, ts(150, 1))  // a copy in the first hole: 150 > 100
	p.data(3, 3501, 1000, ts(150, 1)) // an original in the second: 150 < 200
	p.data(4, 1, 5500, ts(300, 1))    // copies of everything that is left, and of everything seen
	want(t, "holes", a.holes.list.Len(), 0)
	// One segment in the first packet; 500 + 500 + 500 + 500 bytes in the last: ceil(2000 / 1000).
	want(t, "hole fills", a.HoleFills, 1+2)
	want(t, "out of order: not the last, which repeats", a.OutOfOrder, 2)
	want(t, "retransmitted bytes: 5500 less the 2000 that filled", a.RexmitBytes, 3500)
	want(t, "retransmitted segments: 1000, 1000, 1000 and 500 of a packet of 6", a.RexmitSegments, 4)
}

func TestHoles(t *testing.T) {
	var h holes
	list := func() (r []seq.Range[seq.SSN]) {
		for x := range h.list.All() {
			r = append(r, x.Range)
		}
		return r
	}
	for _, r := range []seq.Range[seq.SSN]{span(10, 20), span(30, 40), span(50, 60)} {
		h.open(hole{Range: r, after: Stamp{Time: int64(r.Start)}})
	}
	want(t, "first that ends above 20", h.find(20), h.list.First()+1)
	want(t, "first that ends above 60", h.find(60), h.list.End())
	h.close(span(20, 30))
	want(t, "between two", list(), []seq.Range[seq.SSN]{span(10, 20), span(30, 40), span(50, 60)})
	h.close(span(33, 35))
	want(t, "inside one", list(), []seq.Range[seq.SSN]{span(10, 20), span(30, 33), span(35, 40), span(50, 60)})
	want(t, "both halves keep their opener", []int64{h.list.At(h.find(30)).after.Time, h.list.At(h.find(35)).after.Time}, []int64{30, 30})
	h.close(span(15, 55))
	want(t, "across several", list(), []seq.Range[seq.SSN]{span(10, 15), span(55, 60)})
	h.shift(100)
	want(t, "shifted", list(), []seq.Range[seq.SSN]{span(110, 115), span(155, 160)})
	h.forget(130)
	want(t, "without those below 130", list(), []seq.Range[seq.SSN]{span(155, 160)})
	h.close(span(0, 1000))
	want(t, "all", len(list()), 0)
}

// At the bound the oldest holes are forgotten; data that fills them counts as repeated.
func TestHolesAreBounded(t *testing.T) {
	p := opened(t)
	for i := range seq.SSN(3 * maxHoles) {
		p.data(float64(i), 11+20*i, 10)
		n := p.a().holes.list.Len()
		assert.Assert(t, n <= maxHoles, "%d holes after %d packets", n, i)
	}
	p.data(1e6, 1, 10)
	want(t, "the oldest", parts(&p.last.Sent), []Part{{span(1, 11), Retransmit}})
	last := seq.SSN(1 + 20*(3*maxHoles-1))
	p.data(1e6, last, 10)
	want(t, "the newest", parts(&p.last.Sent), []Part{{span(last, last+10), New}})
}
