package pair

import (
	"math"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/tracegen"
)

// long scripts an upload of a packet each 20 ms for a minute.
func long() views {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	f := s.Subflow(path(1))
	f.Open(0)
	for i := range 3000 {
		f.Data(tracegen.A2B, 100*msec+time.Duration(i)*20*msec, int64(i*size), size)
	}
	return capture2(s)
}

// TestClock shifts the receiver's capture times. The result must be that shift, and the
// true delays of 10 ms.
func TestClock(t *testing.T) {
	drift := func(ppm int64) func(time.Duration) time.Duration {
		return func(at time.Duration) time.Duration { return at * time.Duration(ppm) / 1e6 }
	}
	for _, c := range []struct {
		name   string
		lead   func(time.Duration) time.Duration
		mode   clock.Mode
		offset float64 // ms
		drift  float64 // ppm
		step   float64 // ms
		owd    float64 // ms, corrected
	}{
		{"agreed", drift(0), clock.Auto, 0, 0, 0, 10},
		{"agreed within 0.09 ms", func(time.Duration) time.Duration { return 90 * time.Microsecond }, clock.Auto, 0, 0, 0, 10.09},
		{"skewed", func(time.Duration) time.Duration { return 357 * msec }, clock.Auto, 357, 0, 0, 10},
		{"skewed the other way, by hours", func(time.Duration) time.Duration { return -3 * time.Hour }, clock.Auto, -3 * 3600e3, 0, 0, 10},
		{"skewed, trusted", func(time.Duration) time.Duration { return 357 * msec }, clock.None, 0, 0, 0, 367},
		{"drifting", drift(80), clock.Auto, 0, 80, 0, 10},
		{"drifting back", drift(-35), clock.Auto, 0, -35, 0, 10},
		{"drifting, offset only", drift(80), clock.Offset, 2.4, 0, 0, 10}, // 80 ppm of 60 s: the lead is 2.4 ms on average
		{"set by 25 ms", func(at time.Duration) time.Duration {
			if at > 30*time.Second {
				return 25 * msec
			}
			return 0
		}, clock.Auto, 0, 0, 25, 10},
		{"set back by 25 ms", func(at time.Duration) time.Duration {
			if at > 30*time.Second {
				return -25 * msec
			}
			return 0
		}, clock.Auto, 0, 0, -25, 10},
		{"drifting, and set by 5 ms", func(at time.Duration) time.Duration {
			if at > 30*time.Second {
				return at*80/1e6 + 5*msec
			}
			return at * 80 / 1e6
		}, clock.Drift, 0, 80, 5, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := long()
			v.shift(c.lead)
			rough := int64(c.offset) * 1e6
			p := match(t, v, Options{RoughLead: rough, CorrectDrift: true})
			k := p.Clock(c.mode)
			tolerance := 0.01
			if c.mode == clock.Offset {
				tolerance = 0.05 // the least delays are nearly at the ends of the captures
			}
			if math.Abs(k.OffsetMS-c.offset) > tolerance || math.Abs(k.DriftPPM-c.drift) > 0.1 || math.Abs(k.StepMS-c.step) > 0.01 {
				t.Errorf("offset %v ms, drift %v ppm, step %v ms; want %v, %v, %v", k.OffsetMS, k.DriftPPM, k.StepMS, c.offset, c.drift, c.step)
			}
			if (k.Warning() != "") != (c.step != 0) {
				t.Errorf("warning %q", k.Warning())
			}
			_, d := one(t, p)
			got, shift := k.Correct(&d.OWD)
			if mean := got.Mean() + shift; math.Abs(mean-c.owd) > tolerance {
				t.Errorf("mean one-way delay %v ms, want %v", mean, c.owd)
			}
		})
	}
}

// TestQueueIsNoClock: in the second half the forward path is slower by 40 ms, as with a
// queue or another route. No clock was set.
func TestQueueIsNoClock(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	f := s.Subflow(path(1))
	f.Open(0)
	for i := range 3000 {
		x := f.Data(tracegen.A2B, 100*msec+time.Duration(i)*20*msec, int64(i*size), size)
		if i > 1500 {
			x.Late(40 * msec)
		}
	}
	p := match(t, capture2(s), Options{CorrectDrift: true})
	if k := p.Clock(clock.Auto); k.OffsetMS != 0 || k.DriftPPM != 0 || k.StepMS != 0 {
		t.Errorf("%+v", k)
	}
}

// TestSamplesOfDrift: if a drift is corrected, as many delays count as without: packets,
// ACKs, and parts of data, not their bytes.
func TestSamplesOfDrift(t *testing.T) {
	v := long()
	v.shift(func(at time.Duration) time.Duration { return at * 80 / 1e6 })
	p := match(t, v, Options{CorrectDrift: true})
	k := p.Clock(clock.Auto)
	assert.Assert(t, k.DriftPPM != 0, "no drift")
	f, d := one(t, p)
	_, conns := p.Results()
	for name, x := range map[string]*clock.Delays{
		"packets": &d.OWD, "ACKs": &f.Dirs[conn.B].AckOWD, "data": &conns[0].Dirs[conn.A].Delivery,
	} {
		got, _ := k.Correct(x)
		if n := x.Raw.N(); n < 3000 || got.N() != n {
			t.Errorf("%s: %d delays without the drift, %d with it", name, got.N(), n)
		}
	}
}
