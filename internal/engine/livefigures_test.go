package engine_test

import (
	"math"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/live"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// threeSeconds is an upload of 65 segments of 1000 bytes over two subflows with round trips of
// 20 and 60 ms, as the sender sees it. The SYN passes at 0 s. Of all segments one is lost.
//
//	0.30 s to 0.59 s  30 segments on subflow 0, one each 10 ms, 10 of the time with one on subflow 1
//	1.10 s to 1.29 s  20 segments on subflow 0; that of 1.14 s is lost and sent again at 1.30 s
//	3.10 s to 3.14 s  5 segments on subflow 1, which take 8 ms longer
func threeSeconds(t *testing.T, v tracegen.View) []byte {
	t.Helper()
	const size = 1000
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	subflow := func(i int, delay time.Duration) *tracegen.Subflow {
		path := onPath(uint8(i))
		path.Delay = [2]time.Duration{delay, delay}
		return s.Subflow(path)
	}
	quick, slow := subflow(0, ms(10)), subflow(1, ms(30))
	quick.Open(0)
	slow.Open(ms(50))
	offset := int64(0)
	send := func(f *tracegen.Subflow, at time.Duration) *tracegen.Sent {
		offset += size
		return f.Data(tracegen.A2B, at, offset-size, size)
	}
	for i := range 30 {
		send(quick, ms(300+10*i))
		if i < 10 {
			send(slow, ms(300+10*i))
		}
	}
	for i := range 20 {
		x := send(quick, ms(1100+10*i))
		if i == 4 {
			x.Lose()
			x.Again(ms(1300))
		}
	}
	for i := range 5 {
		send(slow, ms(3100+10*i)).Late(ms(8))
	}
	return viewed(t, s.Network(), v, tracegen.Format{})
}

// same reports whether a figure has the computed value; NaN stands for nil.
func sameFigure(got *float64, want float64) bool {
	if math.IsNaN(want) {
		return got == nil
	}
	return got != nil && math.Abs(*got-want) <= 1e-9*max(1, math.Abs(want))
}

// TestLiveFigures compares the figures of each interval with values computed by hand.
func TestLiveFigures(t *testing.T) {
	all, _ := lived(t, livePiped(threeSeconds(t, tracegen.HostA)), engine.LiveOptions{Interval: time.Second, Top: 5, Keep: 5})
	assert.Assert(t, len(all) == 4, "%d intervals, want 4", len(all))
	none := math.NaN()
	late := 60*math.Pow(7./8, 5) + 68*(1-math.Pow(7./8, 5)) // five samples of 68 ms after others of 60 ms
	window := int64(1 << 20)
	type subflow struct {
		rate, share, srtt     float64
		segments, again, lost int64
		loss, blocked         float64
	}
	for i, want := range []struct {
		seconds, data, goodput float64
		application            float64
		waits                  live.Wait
		subflows               [2]subflow
	}{
		// The application idles from the last DATA_ACK at 0.61 s on. Delivery waits for the slow subflow from
		// the ACK of the second quick segment at 0.33 s up to 0.43 s, when a DATA_ACK on the quick one covers
		// the last slow segment, which arrived at 0.42 s.
		{1, 40_000, 0.32, 390, live.WaitsForApplication, [2]subflow{{0.24, 75, 20, 30, 0, 0, 0, 0}, {0.08, 25, 60, 10, 0, 0, 0, 100}}},
		// From 1.00 to 1.10 s, and from 1.32 s on. Delivery waits from the first SACK at 1.17 s up to 1.32 s.
		{1, 20_000, 0.16, 780, live.WaitsForApplication, [2]subflow{{0.168, 100, 20, 21, 1, 1, 100. / 51, 150}, {0, 0, 60, 0, 0, 0, 0, 0}}},
		// Nothing passes.
		{1, 0, 0, 1000, live.WaitsForApplication, [2]subflow{{0, none, 20, 0, 0, 0, 100. / 51, 0}, {0, none, 60, 0, 0, 0, 0, 0}}},
		// It ends with the ACK of data sent at 3.14 s, too early for rates.
		{0.208, 5_000, none, 100, "", [2]subflow{{none, 0, 20, 0, 0, 0, 100. / 51, 0}, {none, 100, late, 5, 0, 0, 0, 0}}},
	} {
		v := all[i]
		assert.Assert(t, len(v.Shown) == 1, "interval %d: %d connections", i, len(v.Shown))
		c := &v.Shown[0]
		d := &c.A2B
		if v.Number != int64(i) || math.Abs(v.Seconds-want.seconds) > 1e-9 || v.Last != (i == 3) || v.Late != 0 {
			t.Errorf("interval %d: number %d, %v s, last %v", i, v.Number, v.Seconds, v.Last)
		}
		if report.Known(d.Bytes) != int64(want.data) || v.Bytes != int64(want.data) || !sameFigure(d.Goodput, want.goodput) || !sameFigure(v.Goodput, want.goodput) {
			t.Errorf("interval %d: %d bytes, %v Mbit/s", i, report.Known(d.Bytes), show(d.Goodput))
		}
		if !sameFigure(d.Application, want.application) || !sameFigure(d.Window, 0) || !sameFigure(d.DataAck, 0) {
			t.Errorf("interval %d: application %v ms, want %v; window %v ms, DATA_ACK %v ms", i, show(d.Application), want.application, show(d.Window), show(d.DataAck))
		}
		if w := live.Wait(""); i < 3 {
			if w = *d.WaitsFor; w != want.waits {
				t.Errorf("interval %d: waits for %q, want %q", i, w, want.waits)
			}
		}
		if report.Known(d.Rwnd) != window || report.Known(d.RwndFree) != window {
			t.Errorf("interval %d: window %d, %d of it free, want %d", i, report.Known(d.Rwnd), report.Known(d.RwndFree), window)
		}
		for j := range c.Subflows {
			x, w := &c.Subflows[j].A2B, want.subflows[j]
			if !sameFigure(x.Throughput, w.rate) || !sameFigure(x.Share, w.share) || !sameFigure(x.SRTT, w.srtt) || !sameFigure(x.Blocked, w.blocked) {
				t.Errorf("interval %d, subflow %d: %v Mbit/s, share %v, SRTT %v, delivery waited %v ms", i, j, show(x.Throughput), show(x.Share), show(x.SRTT), show(x.Blocked))
			}
			if x.Segments != w.segments || x.Retransmitted != w.again || *x.Lost != w.lost || !sameFigure(x.Loss, w.loss) || x.InFlight != 0 {
				t.Errorf("interval %d, subflow %d: %d segments, %d again, %d lost, %v %%, %d in flight", i, j, x.Segments, x.Retransmitted, *x.Lost, show(x.Loss), x.InFlight)
			}
		}
	}
}

func show(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}

// TestLiveAtReceiver: figures that only the sender's capture shows are absent, with the
// reason.
func TestLiveAtReceiver(t *testing.T) {
	all, _ := lived(t, livePiped(threeSeconds(t, tracegen.HostB)), engine.LiveOptions{Interval: time.Second, Top: 5, Keep: 5})
	d := &all[1].Shown[0].A2B
	_, whyApplication := d.Unavailable.Of("application_ms")
	_, whyDataAck := d.Unavailable.Of("data_ack_ms")
	if d.Application != nil || d.DataAck != nil || !whyApplication || !whyDataAck {
		t.Errorf("%v, %v: %v", d.Application, d.DataAck, d.Unavailable)
	}
	if x := &all[1].Shown[0].Subflows[0].A2B; report.Known(x.Lost) != 1 || x.Retransmitted != 0 { // it fills a hole
		t.Errorf("%d lost, %d again", report.Known(x.Lost), x.Retransmitted)
	}
}
