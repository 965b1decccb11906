package symptoms

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
	"mpanalyze/internal/tracegen"
)

// acks passes acknowledgments of 1250 bytes each to a Delivered.
type acks struct {
	Delivered
	end seq.SSN
	out subflow.Ack
}

// ack acknowledges the next segment, sent at one time and acknowledged at another, ms.
func (x *acks) ack(sent, at int64) {
	r := seq.Range[seq.SSN]{Start: x.end, End: x.end + 1250}
	x.end = r.End
	x.out = subflow.Ack{New: true, NewestRTT: (at - sent) * 1e6, NewlyAcked: append(x.out.NewlyAcked[:0], r)}
	x.Delivered.ack(&x.out, r.Len(), at*1e6, 20e6)
}

// TestDeliveredRate: a link passes 1250 bytes each millisecond, which is 10 Mbit/s. The round trip is
// 20 ms.
func TestDeliveredRate(t *testing.T) {
	type sent struct{ from, to, every, wait int64 } // segments, ms; their acknowledgments wait until a time if it is not 0
	for name, c := range map[string]struct {
		sent []sent
		want float64 // Mbit/s; 0 = not known
	}{
		"three seconds": {[]sent{{0, 3000, 1, 0}}, 10},
		"a second of half the rate, two of the whole":         {[]sent{{0, 1000, 2, 0}, {1000, 3000, 1, 0}}, 10},
		"the acknowledgments of 400 ms wait and come at once": {[]sent{{0, 1500, 1, 0}, {1500, 1900, 1, 1900}, {1900, 3000, 1, 0}}, 10},
		"half a second": {[]sent{{0, 501, 1, 0}}, 10},
		"half a second, a pause of five, and a segment": {[]sent{{0, 501, 1, 0}, {5500, 5501, 1, 0}}, 10},
		"a fifth of a second":                           {[]sent{{1, 202, 1, 0}}, 10},
		"a little less":                                 {[]sent{{1, 201, 1, 0}}, 0},
	} {
		var x acks
		for _, s := range c.sent {
			for ms := s.from; ms < s.to; ms += s.every {
				x.ack(ms, max(ms, s.wait)+20)
			}
		}
		r, ok := x.Most()
		if got := r.Mbps(); ok != (c.want > 0) || ok && got != c.want {
			t.Errorf("%s: %g Mbit/s, known %v, want %g", name, got, ok, c.want)
		}
	}
}

// TestDeliveredSpan: a span takes a second, or eight round trips. It ends with the mark a quarter of
// that apart that makes it long enough.
func TestDeliveredSpan(t *testing.T) {
	for _, c := range []struct{ srtt, span int64 }{{20, 1000}, {125, 1000}, {150, 1200}, {250, 2000}} { // ms
		var d Delivered
		end := int64(0)
		for ms := int64(1); ms <= 3000 && end == 0; ms++ {
			a := subflow.Ack{New: true, NewestRTT: 5e5}
			if d.ack(&a, 1000, ms*1e6, float64(c.srtt)*1e6); d.Best.Time > 0 {
				end = ms
			}
		}
		if want := (Rate{1000 * c.span, c.span * 1e6}); d.Best != want || end != 1+c.span {
			t.Errorf("round trips of %d ms: %+v after %d ms, want %+v", c.srtt, d.Best, end, want)
		}
	}
}

// TestDeliveredPause: a pause of more than a second, and of more than eight round trips, begins
// anew.
func TestDeliveredPause(t *testing.T) {
	for _, c := range []struct {
		pause, srtt int64 // ms
		anew        bool
	}{{1000, 20, false}, {1001, 20, true}, {2000, 250, false}, {2001, 250, true}, {1500, 250, false}} {
		var x acks
		for ms := range int64(301) {
			x.ack(1+ms, 2+ms)
		}
		a := subflow.Ack{New: true, NewestRTT: 1e6}
		x.Delivered.ack(&a, 1250, (302+c.pause)*1e6, float64(c.srtt)*1e6)
		if anew := x.n == 1; anew != c.anew || anew && x.Best != (Rate{300 * 1250, 300e6}) {
			t.Errorf("%+v: %d marks, best %+v", c, x.n, x.Best)
		}
	}
}

// TestTogether: paths that reach their rates at different times deliver less together than the sum
// of those. Path 0 brings 10 Mbit/s for 1.5 s, and path 1 then 5 Mbit/s. Without SACK nothing is
// known.
func TestTogether(t *testing.T) {
	for _, known := range []bool{true, false} {
		s, paths := twoPaths(tracegen.Config{Version: 1, NoSACK: !known}, tracegen.Path{})
		for k := range int64(1875) {
			acked(paths[0], 1000*msec+time.Duration(k)*8*msec/10, 1000*k)
		}
		for k := range int64(938) {
			acked(paths[1], 2700*msec+time.Duration(k)*16*msec/10, 1000*(1875+k))
		}
		d := play(t, s, tracegen.HostA).Dir(conn.A)
		for what, c := range map[string]struct {
			rate func() (float64, bool)
			want float64
		}{"path 0": {d.c.followed[0].Path(conn.A).DeliveredRate, 10}, "path 1": {d.c.followed[1].Path(conn.A).DeliveredRate, 5}, "together": {d.DeliveredRate, 10}} {
			if mbps, ok := c.rate(); ok != known || ok && (mbps < 0.99*c.want || mbps > c.want+1e-9) {
				t.Errorf("%s: %g Mbit/s, %v, want nearly %g, %v", what, mbps, ok, c.want, known)
			}
		}
	}
}

// TestDeliveredAllocates: acknowledgments need no memory.
func TestDeliveredAllocates(t *testing.T) {
	var x acks
	ms := int64(0)
	x.ack(0, 1)
	if n := testing.AllocsPerRun(5000, func() { ms++; x.ack(ms, ms+1) }); n != 0 {
		t.Errorf("%g allocations for each acknowledgment", n)
	}
}

// TestAckOfSYN: the third packet of a handshake acknowledges the SYN of B, which is no data.
func TestAckOfSYN(t *testing.T) {
	s, _ := twoPaths(tracegen.Config{Version: 1}, tracegen.Path{})
	o := play(t, s, tracegen.HostB)
	for _, sub := range o.subs {
		path := o.Follow(conn.B).Follow(sub)
		assert.Check(t, path.Delivered == Delivered{} && path.Progress == PacketRef{}, "subflow %d: %+v, progress %+v", sub.Sub.ID, path.Delivered, path.Progress)
	}
}
