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

// long scripts an upload of a packet each 20 ms for a minute. In its second half packets take slow more than 10 ms.
func long(slow time.Duration) views {
	s, f := opened(false)
	for i := range 3000 {
		x := f.Data(tracegen.A2B, 100*msec+time.Duration(i)*20*msec, int64(i*size), size)
		if i > 1500 {
			x.Late(slow)
		}
	}
	return capture2(s)
}

// TestClock shifts the receiver's capture times by an offset, a drift and a step after half a minute. The result must be that shift, and
// the true delays of 10 ms. As many delays count as without a drift that is corrected: packets, ACKs, and parts of data, not their bytes; but where
// times are trusted, delays below 0 are none.
// A path that becomes slower, as with a queue or another route, is no step.
func TestClock(t *testing.T) {
	for _, c := range []struct {
		name   string
		lead   time.Duration
		ppm    time.Duration
		set    time.Duration
		slow   time.Duration
		mode   clock.Mode
		offset float64 // ms
		drift  float64 // ppm
		step   float64 // ms
		owd    float64 // ms, corrected, on average
	}{
		{name: "skewed by hours", lead: -3 * time.Hour, offset: -3 * 3600e3, owd: 10},
		{name: "skewed, trusted", lead: 357 * msec, mode: clock.None, owd: 367},
		{name: "drifting back", ppm: -35, drift: -35, owd: 10},
		{name: "drifting, and set by 5 ms", ppm: 80, set: 5 * msec, mode: clock.Drift, drift: 80, step: 5, owd: 10},
		{name: "a queue", slow: 40 * msec, owd: 10 + 40*1499/3000.0},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := long(c.slow)
			v.shift(func(at time.Duration) time.Duration {
				lead := c.lead + at*c.ppm/1e6
				if at > 30*time.Second {
					lead += c.set
				}
				return lead
			})
			p := match(t, v, Options{RoughLead: int64(c.offset * 1e6), CorrectDrift: true})
			k := p.Clock(c.mode)
			assert.Check(t, math.Abs(k.OffsetMS-c.offset) <= 0.01 && math.Abs(k.DriftPPM-c.drift) <= 0.1 && math.Abs(k.StepMS-c.step) <= 0.01,
				"offset %v ms, drift %v ppm, step %v ms; want %v, %v, %v", k.OffsetMS, k.DriftPPM, k.StepMS, c.offset, c.drift, c.step)
			assert.Check(t, (k.Warning() != "") == (c.step != 0), "warning %q", k.Warning())
			f, d := one(t, p)
			got, shift := k.Correct(&d.OWD)
			assert.Check(t, math.Abs(got.Mean()+shift-c.owd) <= 0.01, "mean one-way delay %v ms, want %v", got.Mean()+shift, c.owd)
			_, conns := p.Results()
			for i, x := range []*clock.Delays{&d.OWD, &f.Dirs[conn.B].AckOWD, &conns[0].Dirs[conn.A].Delivery} {
				got, _ := k.Correct(x)
				assert.Check(t, x.Raw.N() >= 3000 && (got.N() == x.Raw.N() || c.mode == clock.None), "%d: %d delays without the drift, %d with it", i, x.Raw.N(), got.N())
			}
		})
	}
}
