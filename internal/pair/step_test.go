package pair

import (
	"math"
	"testing"
	"time"

	"mpanalyze/internal/pair/clock"
)

// TestSmallStep: a step of less than 2 ms cannot be distinguished from other changes of
// delays; a larger one can.
func TestSmallStep(t *testing.T) {
	for _, by := range []time.Duration{1500 * time.Microsecond, 2500 * time.Microsecond, -2500 * time.Microsecond} {
		v := long()
		v.shift(func(at time.Duration) time.Duration {
			if at > 30*time.Second {
				return by
			}
			return 0
		})
		want := 0.0
		if by != 1500*time.Microsecond {
			want = ms(int64(by))
		}
		if k := match(t, v, Options{CorrectDrift: true}).Clock(clock.Auto); math.Abs(k.StepMS-want) > 0.01 {
			t.Errorf("a clock set by %v: step %v ms, want %v", by, k.StepMS, want)
		}
	}
}
