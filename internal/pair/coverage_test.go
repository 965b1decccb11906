package pair

import (
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/tracegen"
)

// later removes what a view shows before a time of the session, which begins
// with the first packet of A.
func (v *views) later(e End, from time.Duration) {
	zero := v[AtSender][0].Time
	v[e] = slices.DeleteFunc(slices.Clone(v[e]), func(p tracegen.Packet) bool { return time.Duration(p.Time-zero) < from })
}

// TestQueueDrains: twenty packets find a queue of 200 ms, the next twenty none. The clocks
// are assumed 300 ms wrong at first, so that every arrival is seen before its packet. All
// are matched.
func TestQueueDrains(t *testing.T) {
	s, f := opened(false)
	for i := range 40 {
		at := time.Duration(100+i) * msec
		if i >= 20 {
			at += 400 * msec
		}
		x := f.Data(tracegen.A2B, at, int64(i*size), size)
		if i < 20 {
			x.Late(200 * msec)
		}
	}
	_, d := one(t, match(t, capture2(s), Options{RoughLead: int64(300 * msec)}))
	assert.Check(t, is.DeepEqual(d.counts(), counts{Sent: 40, Matched: 40}))
	assert.Check(t, d.OWD.Raw.Min() == 10 && d.OWD.Raw.Max() == 210, "delays %v to %v ms, want 10 to 210", d.OWD.Raw.Min(), d.OWD.Raw.Max())
}

// TestBeginsWithCopies: a packet is lost before the receiver's capture begins, and its copy
// is the first packet of that capture. Only the IP identification distinguishes them. The
// clocks are assumed 50 ms wrong at first, so that the arrival is seen before the copy is
// sent.
func TestBeginsWithCopies(t *testing.T) {
	s, f := opened(true)
	for i := range 50 {
		x := f.Data(tracegen.A2B, time.Duration(100+10*i)*msec, int64(i*size), size)
		if i == 10 { // sent at 200 ms; the copy arrives at 415
			x.Lose().Again(405 * msec)
		}
	}
	v := capture2(s)
	v.later(AtReceiver, 412*msec)
	_, d := one(t, match(t, v, Options{RoughLead: int64(50 * msec)}))
	// Packets 0 to 30 arrive until 410 ms: 30 of them and the lost one are not
	// covered. 31 to 49 and the copy are matched.
	assert.Check(t, is.DeepEqual(d.counts(), counts{Sent: 51, Matched: 20, NotCovered: 31}))
	assert.Check(t, d.OWD.Raw.Min() == 10 && d.OWD.Raw.Max() == 10, "delays %v to %v ms, want 10", d.OWD.Raw.Min(), d.OWD.Raw.Max())
}

// TestPortUsedAgain: without the handshakes, only addresses and ports show which
// connections of the two captures belong together. A connection an hour later reuses them.
func TestPortUsedAgain(t *testing.T) {
	s, _, _ := upload(4)
	v := capture2(s)
	v.later(AtReceiver, 95*msec)
	v.later(AtSender, 95*msec)
	for lead, want := range map[time.Duration]int{0: 1, time.Hour: 0} {
		w := views{v[AtSender], slices.Clone(v[AtReceiver])}
		w.shift(func(time.Duration) time.Duration { return lead })
		p := match(t, w, Options{})
		if subflows, _ := p.Results(); len(subflows) != want || p.Unpaired() != [2]int64{int64(1 - want), int64(1 - want)} {
			t.Errorf("%v later: %d subflows are in both captures, %v in one", lead, len(subflows), p.Unpaired())
		}
	}
}
