package clock

import (
	"math"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// over returns an estimator with 200 packets a direction, one each 20 ms, over paths with these delays to the receiver's capture and
// from it, ms. Its clock is ahead by lead, ms.
func over(lead float64, paths ...[2]float64) *Estimator {
	e := New(int64(lead*1e6), true)
	for i, delays := range paths {
		p := e.NewPath([2][16]byte{{10: 255, 11: 255, 12: 10, 14: byte(1 + i), 15: 1}, {10: 255, 11: 255, 12: 10, 13: 9, 14: 9, 15: 9}})
		forth, back, ahead := int64(delays[0]*1e6), int64(delays[1]*1e6), int64(lead*1e6)
		for now := int64(1e9); now < 5e9; now += 20e6 {
			p.PureAck(AtSender, now+forth+ahead, forth+ahead, true)
			p.PureAck(AtReceiver, now+back, back-ahead, true)
		}
	}
	return e
}

// TestOffsetProven: the offset is corrected if a delay would otherwise be negative, and only then: a path that takes longer in one
// direction does not prove an offset. With least delays f and b of a path, the offset is (f - b)/2 within (f + b)/2, and uncertain by a
// hundredth of that, or by how far other paths differ. What is added to the offset afterwards is added to both.
func TestOffsetProven(t *testing.T) {
	const acks = "least delays of packets without payload in both directions of 10.0."
	for _, c := range []struct {
		name   string
		paths  [][2]float64
		lead   float64
		mode   Mode
		offset float64
		off    float64 // uncertainty
		bound  float64
		method string
	}{
		{"agree", [][2]float64{{10.1, 10}}, 0, Auto, 0, 0.1005 + 0.05, 10.05 + 0.05, "auto: the clocks agree"},
		{"one way takes 2.6 ms longer", [][2]float64{{12.6, 10}}, 0, Auto, 0, 0.113 + 1.3, 11.3 + 1.3, "auto: zero, with which no delay is negative; " + acks + "1.1-10.9.9.9 would make it +1.300 ms"},
		{"the other way does", [][2]float64{{10, 10.4}}, 0, Auto, 0, 0.102 + 0.2, 10.2 + 0.2, "auto: zero"},
		{"the same, to be estimated", [][2]float64{{12.6, 10}}, 0, Offset, 1.3, 0.113, 11.3, acks + "1.1-10.9.9.9"},
		{"a lead below the delays", [][2]float64{{10, 10}}, 5, Auto, 0, 0.1 + 5, 10 + 5, "auto: zero"},
		{"a lead above the delays", [][2]float64{{10, 10}}, 12, Auto, 12, 0.1, 10, acks + "1.1-10.9.9.9"},
		{"a lag above the delays", [][2]float64{{10, 10}}, -12, Auto, -12, 0.1, 10, acks + "1.1-10.9.9.9"},
		{"by the shorter path", [][2]float64{{30, 30}, {5, 5}}, 12, Auto, 12, 0.05, 5, acks + "2.1-10.9.9.9"},
		// The first path gives (27 + 7)/2 = 17 within 10, the second -17.5, so that the uncertainty is the whole of 10. No lead above the
		// 13 ms of the second path is possible.
		{"another path contradicts", [][2]float64{{15, 5}, {1, 60}}, 12, Auto, 13, 10 + 4, 10 + 4, acks + "1.1-10.9.9.9; moved by 4.000 ms"},
		{"two paths that differ by 0.7", [][2]float64{{12.6, 10}, {20, 16}}, 0, Auto, 0, 0.7 + 1.3, 11.3 + 1.3, "auto: zero"},
		{"trusted", [][2]float64{{12.6, 10}}, 12, None, 0, 0, -1, "none: the stamps are trusted"},
	} {
		k := over(c.lead, c.paths...).Estimate(c.mode)
		if math.Abs(k.OffsetMS-c.offset) > 1e-6 || math.Abs(k.Uncertainty-c.off) > 1e-6 || math.Abs(k.Bound-c.bound) > 1e-6 || !strings.HasPrefix(k.Method, c.method) {
			t.Errorf("%s: offset %v ms, uncertain by %v, within %v, by %q; want %v, %v, %v, %q", c.name, k.OffsetMS, k.Uncertainty, k.Bound, k.Method, c.offset, c.off, c.bound, c.method)
		}
		assert.Check(t, !k.Unknown && k.DriftPPM == 0 && k.Warning() == "", "%s: %+v", c.name, k)
	}
}

// TestNoOffset: least delays of both directions that add up to less than nothing have no offset, unless by no more than twice what clocks
// that agree may differ, 0.1 ms. Without packets in both directions none is known, and 0 is only possible if no delay is negative.
func TestNoOffset(t *testing.T) {
	for _, c := range []struct {
		forth, back float64
		mode        Mode
		unknown     bool
		nothing     string
	}{
		{10, -10.19, Auto, false, ""},
		{10, -10.21, Auto, true, "the least delays of both directions add up to less than nothing"},
		{10, -10.21, Offset, true, "the least delays of both directions add up to less than nothing"},
		{10, -10.21, None, false, "the stamps are trusted"},
	} {
		if k := over(0, [2]float64{c.forth, c.back}).Estimate(c.mode); k.Unknown != c.unknown || k.Nothing != c.nothing || (k.Bound == -1) != (c.nothing != "") {
			t.Errorf("%+v: %+v", c, k)
		}
	}
	for _, c := range []struct {
		from    End
		delay   int64
		unknown bool
	}{{AtSender, 1, false}, {AtSender, -0.09e6, false}, {AtSender, -0.11e6, true}, {AtReceiver, -0.09e6, false}, {AtReceiver, -0.11e6, true}} {
		e := New(0, true)
		p := e.NewPath([2][16]byte{})
		p.PureAck(c.from, 1e9, c.delay, true)
		if k := e.Estimate(Auto); k.Unknown != c.unknown || k.Nothing != "no packet was matched in both directions" {
			t.Errorf("%+v: %+v", c, k)
		}
	}
}

// TestOddDelay: of 8 least delays or more, a single negative one proves nothing; two do, and so does one of 7.
func TestOddDelay(t *testing.T) {
	for _, c := range []struct {
		n, odd int
		offset bool
	}{{8, 1, false}, {7, 1, true}, {8, 2, true}, {100, 1, false}, {100, 2, true}} {
		for from := range End(2) {
			e := New(0, true)
			p := e.NewPath([2][16]byte{})
			for i := range int64(c.n) {
				for at := range End(2) {
					delay := int64(10e6)
					if at == from && i < int64(c.odd) {
						delay = -3e6
					}
					p.PureAck(at, 1e9+i*firstWidth, delay, true)
				}
			}
			if k := e.Estimate(Auto); (k.OffsetMS != 0) != c.offset {
				t.Errorf("%d of %d, by end %d: offset %v", c.odd, c.n, from, k.OffsetMS)
			}
		}
	}
}

// TestPayloadTime: 16 spacings or more tell how long the payload takes. Their median is subtracted from the delay of full-sized packets, unless
// that makes the round trip negative. Where there are only full-sized packets, their delay counts whole.
func TestPayloadTime(t *testing.T) {
	for _, c := range []struct {
		name        string
		acks        float64 // ms of packets without payload to the receiver's capture; 0 for none
		data        float64
		spacing     int64 // ms
		n           int
		back, bound float64
	}{
		{"enough", 60, 50, 20, 16, 40, (30 + 40) / 2},
		{"too few", 60, 50, 20, 15, 40, (60 + 40) / 2},
		{"acks are quicker", 29, 50, 20, 16, 40, (29 + 40) / 2.0},
		{"negative", 60, 50, 95, 16, 40, (60 + 40) / 2},
		{"data alone", 0, 50, 20, 15, 40, (50 + 40) / 2},
	} {
		e := New(0, true)
		p := e.NewPath([2][16]byte{})
		for i := range c.n {
			p.Spacing(AtSender, []int64{1e6, c.spacing * 1e6, 500e6}[i%3]) // the median is the middle one
		}
		if c.acks > 0 {
			p.PureAck(AtSender, 1e9, int64(c.acks*1e6), true)
		}
		p.FullSized(AtSender, 1e9, int64(c.data*1e6))
		p.PureAck(AtReceiver, 1e9, int64(c.back*1e6), true)
		if k := e.Estimate(Offset); math.Abs(k.Bound-c.bound) > 1e-6 {
			t.Errorf("%s: half of the round trip is %v ms, want %v", c.name, k.Bound, c.bound)
		}
	}
}

// TestBegin: the start moves back to the beginning of the capture, 2 s before, with the lead and the time of a step; never forward.
func TestBegin(t *testing.T) {
	k := Estimate{Start: 10e9, OffsetMS: 5, DriftPPM: 100, StepS: 3, step: step{found: true}}
	if k.Begin(11e9); k.Start != 10e9 || k.OffsetMS != 5 {
		t.Errorf("moved forward: %+v", k)
	}
	if k.Begin(8e9); k.Start != 8e9 || math.Abs(k.OffsetMS-4.8) > 1e-9 || math.Abs(k.StepS-5) > 1e-9 { // 100 ppm of 2 s are 0.2 ms
		t.Errorf("%+v", k)
	}
	none := Estimate{}
	if none.Begin(8e9); none.Start != 0 {
		t.Errorf("without a packet: %+v", none)
	}
}
