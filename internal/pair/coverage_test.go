package pair

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/tracegen"
)

// later removes what a view shows before a time of the session, which begins
// with the first packet of A.
func (v *views) later(e End, from time.Duration) {
	zero := v[AtSender][0].Time
	v[e] = slices.DeleteFunc(slices.Clone(v[e]), func(p tracegen.Packet) bool { return time.Duration(p.Time-zero) < from })
}

// TestQueueDrains: twenty packets find a queue of 200 ms, the next twenty none,
// and what is known of the clocks beforehand is wrong by 300 ms, so that every
// arrival is seen before its packet. All are matched.
func TestQueueDrains(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	f := s.Subflow(path(1))
	f.Open(0)
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
	if diff := cmp.Diff(counts{Sent: 40, Matched: 40}, d.counts()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if d.OWD.Raw.Min() != 10 || d.OWD.Raw.Max() != 210 {
		t.Errorf("delays %v to %v ms, want 10 to 210", d.OWD.Raw.Min(), d.OWD.Raw.Max())
	}
}

// TestBeginsWithCopies: a packet is lost before the receiver's capture begins,
// its copy is the first packet that this one shows, and only the IP
// identification tells them apart. What is known of the clocks is wrong by
// 50 ms, so that the arrival is seen before the copy leaves.
func TestBeginsWithCopies(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1, NoTimestamps: true})
	f := s.Subflow(path(1))
	f.Open(0)
	for i := range 50 {
		x := f.Data(tracegen.A2B, time.Duration(100+10*i)*msec, int64(i*size), size)
		if i == 10 { // leaves at 200 ms; the copy arrives at 415
			x.Lose().Again(405 * msec)
		}
	}
	v := capture2(s)
	v.later(AtReceiver, 412*msec)
	_, d := one(t, match(t, v, Options{RoughLead: int64(50 * msec)}))
	// Packets 0 to 30 arrive until 410 ms: 30 of them and the lost one are not
	// covered. 31 to 49 and the copy are matched.
	if diff := cmp.Diff(counts{Sent: 51, Matched: 20, NotCovered: 31}, d.counts()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if d.OWD.Raw.Min() != 10 || d.OWD.Raw.Max() != 10 {
		t.Errorf("delays %v to %v ms, want 10", d.OWD.Raw.Min(), d.OWD.Raw.Max())
	}
}

// TestPortUsedAgain: without the handshakes, only addresses and ports tell which
// connection of one capture is which in the other one. One that is an hour later
// used them again.
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
