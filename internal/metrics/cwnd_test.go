package metrics

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/tracegen"
)

// windows plays bursts of so many segments of 1000 octets, one burst each round
// trip of 20 ms, acknowledged when it arrives; it returns the segment size.
func windows(bursts ...int) (s *tracegen.Session, unit float64) {
	s, f := onePath(tracegen.Config{Version: 1})
	offset := int64(0)
	for k, n := range bursts {
		at := time.Duration(100+20*k) * msec
		for range n {
			f.Data(tracegen.A2B, at, offset, 1000).Edit(func(p *tracegen.Packet) {
				unit = float64(1460 - (len(p.Options)+3)&^3)
			})
			offset += 1000
		}
		f.Ack(tracegen.B2A, at+10*msec)
	}
	s.Packets(tracegen.HostA) // plays, so that unit is known
	return s, unit
}

// TestCwndEstimate: what is in flight at the end of a burst is the window, and
// the window in a round trip of 20 ms is the throughput.
func TestCwndEstimate(t *testing.T) {
	s, unit := windows(4, 4, 8, 2, 5)
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec, QoE: QoE{Alpha: 0.25, Beta: 3, Gamma: 0.1}})
	w := &m.Subs[0].Dirs[conn.A].Cwnd
	octets, _ := m.series(SeriesCwndEstimate, 0, conn.A)
	if d := cmp.Diff([]float64{4000, 4000, 8000, 2000, 5000}, octets); d != "" {
		t.Error(d)
	}
	dist(t, "bytes", &w.Bytes, 5, 23000/5., 2000, 8000)
	dist(t, "segments", &w.Segments, 5, 23000/5/unit, 2000/unit, 8000/unit)
	rates, times := m.series(SeriesThroughputEstimate, 0, conn.A)
	for i, n := range []float64{4000, 4000, 8000, 2000, 5000} {
		near(t, "throughput_estimate", rates[i], n*8/20e3)
	}
	// A round ends 20 ms after it began, the last one where the capture does: the ACK is at A at 200 ms.
	if d := cmp.Diff([]time.Duration{120 * msec, 140 * msec, 160 * msec, 180 * msec, 200 * msec}, times); d != "" {
		t.Error(d)
	}
	// 1.6 against a mean of 1.6: hold. 3.2 against 1.6: increase. 0.8 against (1.6+1.6+3.2)/3 = 2.13: decrease.
	// 2.0 against (1.6+1.6+3.2+0.8)/4 = 1.8: above 1.98, increase.
	c := &w.Decisions
	if c.Hold != 1 || c.Increase != 2 || c.Decrease != 1 {
		t.Errorf("hold %d, increase %d, decrease %d; want 1, 2, 1", c.Hold, c.Increase, c.Decrease)
	}
	next := []float64{4000 / unit, 8000/unit + 3, max(1, 0.75*2000/unit), 5000/unit + 3}
	dist(t, "next", &c.Next, 4, (next[0]+next[1]+next[2]+next[3])/4, min(next[0], next[2]), next[1])
}

// TestCwndIsTheSenders: the receiver has none.
func TestCwndIsTheSenders(t *testing.T) {
	s, _ := windows(4, 4)
	if w := &measure(t, s, tracegen.HostB, Config{Interval: 100 * msec}).Subs[0].Dirs[conn.A].Cwnd; w.Bytes.N() != 0 {
		t.Errorf("%d values at the receiver", w.Bytes.N())
	}
}

// TestCwndPause: a pause is in no round; the next begins with the data after it.
func TestCwndPause(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	acked(f, 100*msec, 0, 1000)
	acked(f, 5000*msec, 1000, 500)
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec})
	values, times := m.series(SeriesCwndEstimate, 0, conn.A)
	if d := cmp.Diff([]float64{1000, 500}, values); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]time.Duration{120 * msec, 5020 * msec}, times); d != "" {
		t.Error(d)
	}
}

// TestDecide holds eq. 2 at the edges of its tolerance: a mean of 100 and a
// gamma of 1/4 leave 75 to 125 alone.
func TestDecide(t *testing.T) {
	q := QoE{Alpha: 0.5, Beta: 2, Gamma: 0.25}
	for _, c := range []struct {
		estimate, segments float64
		want               Decisions
		next               float64
	}{
		{75, 10, Decisions{Hold: 1}, 10},
		{125, 10, Decisions{Hold: 1}, 10},
		{74.9, 10, Decisions{Decrease: 1}, 5},
		{125.1, 10, Decisions{Increase: 1}, 12},
		{0, 1.5, Decisions{Decrease: 1}, 1}, // never less than a segment
	} {
		var got Decisions
		got.decide(&q, c.segments, c.estimate, 100)
		near(t, "next", got.Next.Mean(), c.next)
		got.Next = stats.Dist{}
		if got.Hold != c.want.Hold || got.Increase != c.want.Increase || got.Decrease != c.want.Decrease {
			t.Errorf("%v: got %+v, want %+v", c.estimate, got, c.want)
		}
	}
}
