package clock

import (
	"math"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
)

// scattered are delays of 20 ms that drift by slope ms/s over 10 s and have
// exponential noise of 30 us, as interrupts make it.
func scattered(r *rand.Rand, n int, slope float64) []point {
	pts := make([]point, n)
	for i := range pts {
		t := 10 * float64(i) / float64(n)
		pts[i] = point{t: t, ms: 20 + slope*t + 0.03*r.ExpFloat64()}
	}
	return pts
}

// TestLine: the slope is that of the points, and nine of ten errors are within
// two standard errors, whatever queues stand on top.
func TestLine(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name  string
		spoil func(i int, p *point)
	}{
		{"plain", func(int, *point) {}},
		{"queues of up to 40 ms for half of the time", func(i int, p *point) {
			if i/50%2 == 1 {
				p.ms += 40 * r.Float64()
			}
		}},
		{"a far straggler", func(i int, p *point) {
			if i == 999 {
				p.t, p.ms = 100, 25
			}
		}},
	} {
		covered := 0
		for range 50 {
			pts := scattered(r, 1000, 0.08)
			for i := range pts {
				c.spoil(i, &pts[i])
			}
			f, ok := fitLine(pts)
			assert.Assert(t, ok && math.Abs(f.slope-0.08) <= 0.004, "%s: slope %v ms/s, want 0.08", c.name, f.slope)
			if math.Abs(f.slope-0.08) < 2*f.sigma {
				covered++
			}
		}
		assert.Check(t, covered >= 45, "%s: only %d of 50 errors are within two standard errors", c.name, covered)
	}
}

// TestLineWanders: a path whose delay is a random walk, 0.3 ms every 20 ms,
// tells little, and the standard error says so: in the mean of 50 walks the
// squares of errors and standard errors are alike, within a factor of 3.
func TestLineWanders(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	off, stated := 0.0, 0.0
	for range 50 {
		pts, walk := make([]point, 500), 0.0
		for i := range pts {
			walk += 0.6*r.Float64() - 0.3
			pts[i] = point{t: float64(i) / 50, ms: 20 + walk}
		}
		f, ok := fitLine(pts)
		assert.Assert(t, ok, "no line")
		off += f.slope * f.slope
		stated += f.sigma * f.sigma
	}
	if ratio := math.Sqrt(off / stated); ratio > 3 || ratio < 1.0/3 {
		t.Errorf("errors are %v times what is stated", ratio)
	}
}

// TestLineOfFew: what is too short says nothing.
func TestLineOfFew(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	if _, ok := fitLine(scattered(r, leastPoints-1, 0)); ok {
		t.Error("a line through too few points")
	}
	pts := scattered(r, 100, 0)
	for i := range pts {
		pts[i].t /= 100
	}
	if _, ok := fitLine(pts); ok {
		t.Error("a line over 0.1 s")
	}
}
