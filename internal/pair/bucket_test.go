package pair

import (
	"math"
	"testing"
	"time"

	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/tracegen"
)

// TestTokenBucket: a path of 20 microseconds in each direction accepts bursts of eight
// packets: the first pass at once, the others 1 ms apart. Their spacing, without 80 bytes
// of headers, is 1000/1080 ms, and must not be subtracted from the delay of the first one.
func TestTokenBucket(t *testing.T) {
	for _, lead := range []time.Duration{0, 3 * msec} {
		at := path(1)
		at.Delay = [2]time.Duration{20 * time.Microsecond, 20 * time.Microsecond}
		s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
		f := s.Subflow(at)
		f.Open(0)
		for i := range 400 {
			burst, n := i/8, i%8
			f.Data(tracegen.A2B, 100*msec+time.Duration(burst)*50*msec, int64(i*size), size).Late(time.Duration(max(0, n-1)) * msec)
		}
		v := capture2(s)
		v.shift(func(time.Duration) time.Duration { return lead })
		k := match(t, v, Options{CorrectDrift: true}).Clock(clock.Auto)
		if want := float64(lead) / 1e6; math.Abs(k.OffsetMS-want) > 1e-6 || math.Abs(k.Bound-0.02) > 1e-6 {
			t.Errorf("offset %v ms within %v, want %v within 0.02", k.OffsetMS, k.Bound, want)
		}
	}
}
