package metrics

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/tracegen"
)

// windows plays bursts of so many segments of 1000 bytes, one burst each round trip of 20
// ms, acknowledged on arrival. The segments of one burst, from 1 on, are sent again. It
// returns the segment size.
func windows(again int, bursts ...int) (s *tracegen.Session, unit float64) {
	s, f := onePath(tracegen.Config{Version: 1})
	offset := int64(0)
	for k, n := range bursts {
		at := time.Duration(100+20*k) * msec
		for range n {
			x := f.Data(tracegen.A2B, at, offset, 1000).Edit(func(p *tracegen.Packet) {
				unit = float64(1460 - (len(p.Options)+3)&^3)
			})
			if offset += 1000; k+1 == again {
				x.Again(at + msec)
			}
		}
		f.Ack(tracegen.B2A, at+10*msec)
	}
	s.Packets(tracegen.HostA) // plays, so that unit is known
	return s, unit
}

// TestCwndEstimate: the data in flight at the end of a burst is the window, and the window
// per round trip of 20 ms is the throughput.
func TestCwndEstimate(t *testing.T) {
	s, unit := windows(0, 4, 4, 8, 2, 5)
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec, QoE: QoE{Alpha: 1.5, Beta: 3, Gamma: 0.1}})
	w := m.Subs[0].Dir(conn.A).Cwnd()
	sizes, _ := m.series(seriesCwndEstimate, 0, conn.A)
	assert.Check(t, is.DeepEqual(sizes, []float64{4000, 4000, 8000, 2000, 5000}))
	dist(t, "bytes", &w.Bytes, 5, 23000/5., 2000, 8000)
	dist(t, "segments", &w.Segments, 5, 23000/5/unit, 2000/unit, 8000/unit)
	rates, times := m.series(seriesThroughputEstimate, 0, conn.A)
	for i, n := range []float64{4000, 4000, 8000, 2000, 5000} {
		near(t, "throughput_estimate", rates[i], n*8/20e3)
	}
	// A round ends 20 ms after it began, the last one where the capture does: the ACK is at A at 200 ms.
	assert.Check(t, is.DeepEqual(times, []time.Duration{120 * msec, 140 * msec, 160 * msec, 180 * msec, 200 * msec}))
	// The second round is the first of congestion avoidance: it does not grow. 3.2 against its 1.6: decrease.
	// 0.8 against (1.6+3.2)/2 = 2.4: increase. 2.0 against (1.6+3.2+0.8)/3 = 1.87: below 2.05, hold.
	c := &w.Decisions
	assert.Check(t, c.Hold == 1 && c.Increase == 1 && c.Decrease == 1, "hold %d, increase %d, decrease %d; want one each", c.Hold, c.Increase, c.Decrease)
	next := []float64{8000/unit - 1.5, 2000/unit + 3, 5000 / unit}
	dist(t, "next", &c.Next, 3, (next[0]+next[1]+next[2])/3, min(next[0], next[1], next[2]), max(next[0], next[1], next[2]))
}

// TestCwndSegments: packets have options of different lengths. A window in
// segments is its bytes by the room beside the options of the first packet after its round, or
// of the last data packet where the capture ends.
func TestCwndSegments(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1, NoTimestamps: true, DSN4: true, DataAck4: true})
	var options []int
	for i, at := range []time.Duration{100, 100, 120, 140, 140} {
		f.Data(tracegen.A2B, at*msec, int64(1000*i), 1000).Edit(func(p *tracegen.Packet) {
			for range 4 * (i % 3) {
				p.Options = append(p.Options, 1) // no operation
			}
			options = append(options, (len(p.Options)+3)&^3)
		})
		if i != 0 && i != 3 {
			f.Ack(tracegen.B2A, (at+10)*msec)
		}
	}
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec, QoE: DefaultQoE})
	room := func(i int) float64 { return float64(1460 - options[i]) }
	dist(t, "segments", &m.Subs[0].Dir(conn.A).Cwnd().Segments, 3, (2000/room(2)+1000/room(3)+2000/room(4))/3, 1000/room(3), 2000/room(2))
}

// TestCwndRoundTrip: the throughput of a round is its window divided by its own round trip,
// not by the smoothed one. Data that was sent twice gives no round trip.
func TestCwndRoundTrip(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1, NoTimestamps: true})
	f.Data(tracegen.A2B, 100*msec, 0, 1000)
	f.Ack(tracegen.B2A, 110*msec) // at A at 120 ms
	f.Data(tracegen.A2B, 130*msec, 1000, 2000)
	f.Ack(tracegen.B2A, 160*msec) // at A at 170 ms: a round trip of 40 ms, and an SRTT of 22.5 ms
	f.Data(tracegen.A2B, 200*msec, 3000, 1000).Again(210 * msec)
	f.Ack(tracegen.B2A, 220*msec)
	f.Data(tracegen.A2B, 300*msec, 4000, 3000)
	f.Ack(tracegen.B2A, 310*msec)
	f.Ack(tracegen.A2B, 330*msec) // after the end of the last round
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec, QoE: DefaultQoE})
	sizes, _ := m.series(seriesCwndEstimate, 0, conn.A)
	assert.Check(t, is.DeepEqual(sizes, []float64{1000, 2000, 1000, 3000}))
	rates, _ := m.series(seriesThroughputEstimate, 0, conn.A)
	assert.Check(t, is.DeepEqual(rates, []float64{1000 * 8 / 20e3, 2000 * 8 / 40e3, 3000 * 8 / 20e3}, cmpopts.EquateApprox(1e-12, 0)))
}

// TestCwndAvoidance: the mean does not include slow start. Congestion avoidance begins with
// the first round that grows by less than half, or that shows a loss.
func TestCwndAvoidance(t *testing.T) {
	for _, c := range []struct {
		name   string
		bursts []int
		again  int // burst that is sent twice; none for 0
		want   []int64
	}{
		// From the fifth round on, 20 < 1.5 * 16: 20 against 20. Against all estimates before, mean 10, it would be a decrease.
		{"growth ends", []int{2, 4, 8, 16, 20, 20}, 0, []int64{0, 0, 1}},
		{"growth by half is slow start", []int{2, 3, 5, 8, 12}, 0, []int64{0, 0, 0}},
		{"the first estimate decides nothing", []int{2, 4, 8, 8}, 0, []int64{0, 0, 0}},
		// From the second round on: 8 against 4, then 16 against 6, 6 against 28/3.
		{"loss", []int{2, 4, 8, 16, 6}, 2, []int64{2, 1, 0}},
	} {
		s, _ := windows(c.again, c.bursts...)
		d := &measure(t, s, tracegen.HostA, Config{Interval: 100 * msec, QoE: DefaultQoE}).Subs[0].Dir(conn.A).Cwnd().Decisions
		if got := []int64{d.Decrease, d.Increase, d.Hold}; !slices.Equal(got, c.want) {
			t.Errorf("%s: decrease, increase, hold are %v, want %v", c.name, got, c.want)
		}
	}
}

// TestLastRound: the round of the latest data counts if the subflow lasts to the round's
// end, otherwise not: for the window at the sender and for the rate at the receiver. Neither
// is known at the other end.
func TestLastRound(t *testing.T) {
	for lasts, want := range map[bool]int64{false: 2, true: 3} {
		s, f := onePath(tracegen.Config{Version: 1})
		acked(f, 100*msec, 0, 1000)
		acked(f, 120*msec, 1000, 1000)
		f.Data(tracegen.A2B, 140*msec, 2000, 500) // arrives at 150 ms
		if lasts {
			f.Ack(tracegen.B2A, 170*msec)
		}
		for view, want := range map[tracegen.View][2]int64{tracegen.HostA: {want, 0}, tracegen.HostB: {0, want}} {
			d := measure(t, s, view, Config{Interval: 100 * msec}).Subs[0].Dir(conn.A)
			got := [2]int64{d.Cwnd().Bytes.N(), d.DSR().Rates.N()}
			assert.Check(t, got == want, "it lasts: %v, view %v: %v rounds of the window and of the rate, want %v", lasts, view, got, want)
		}
	}
}

// TestCwndPause: a pause belongs to no round; the next round begins with the data after it.
func TestCwndPause(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	acked(f, 100*msec, 0, 1000)
	acked(f, 5000*msec, 1000, 500)
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec})
	values, times := m.series(seriesCwndEstimate, 0, conn.A)
	assert.Check(t, is.DeepEqual(values, []float64{1000, 500}))
	assert.Check(t, is.DeepEqual(times, []time.Duration{120 * msec, 5020 * msec}))
}

// TestDecide checks eq. 2 at the edges of its tolerance: with a mean of 100 and a gamma of
// 1/4, 75 to 125 changes nothing. Alpha is subtracted, beta added.
func TestDecide(t *testing.T) {
	for _, c := range []struct {
		estimate, segments float64
		q                  QoE
		want               Decisions
		next               float64
	}{
		{75, 10, DefaultQoE, Decisions{Hold: 1}, 10},
		{125, 10, DefaultQoE, Decisions{Hold: 1}, 10},
		{125.1, 10, DefaultQoE, Decisions{Decrease: 1}, 9},
		{74.9, 10, DefaultQoE, Decisions{Increase: 1}, 15},
		{200, 10, QoE{Alpha: 3, Beta: 2}, Decisions{Decrease: 1}, 7},
		{0, 10, QoE{Alpha: 3, Beta: 2.5}, Decisions{Increase: 1}, 12.5},
		{200, 1.5, DefaultQoE, Decisions{Decrease: 1}, 1}, // never less than a segment
		{200, 0.5, DefaultQoE, Decisions{Decrease: 1}, 0.5},
	} {
		var got Decisions
		c.q.Gamma = 0.25
		near(t, "the window of the series", got.decide(&c.q, c.segments, c.estimate, 100), c.next)
		near(t, "next", got.Next.Mean(), c.next)
		got.Next = stats.Dist{}
		assert.Check(t, got.Hold == c.want.Hold && got.Increase == c.want.Increase && got.Decrease == c.want.Decrease, "%v: got %+v, want %+v", c.estimate, got, c.want)
	}
}

// TestDefaultQoE: the steps of the paper's example.
func TestDefaultQoE(t *testing.T) {
	assert.Check(t, DefaultQoE.Alpha == 1 && DefaultQoE.Beta == 5, "alpha %v, beta %v, want 1 and 5 segments", DefaultQoE.Alpha, DefaultQoE.Beta)
}

// TestAvoidance: a round that grows by less than half is no slow start; the first round tells nothing.
func TestAvoidance(t *testing.T) {
	for _, c := range []struct {
		before, most int64
		lost, want   bool
	}{{1000, 1500, false, false}, {1000, 1499, false, true}, {0, 1, false, false}, {0, 1, true, true}} {
		if w := (Cwnd{before: c.before, most: c.most, lost: c.lost}); w.avoids() != c.want {
			t.Errorf("%+v: %v", c, !c.want)
		}
	}
}
