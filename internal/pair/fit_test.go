package pair

import (
	"math"
	"math/rand/v2"
	"testing"
)

// scattered are delays of 20 ms that drift by slope ms/s over 10 s and have
// exponential noise of 30 us, as interrupts make it.
func scattered(r *rand.Rand, n int, slope float64) []point {
	pts := make([]point, n)
	for i := range pts {
		t := 10 * float64(i) / float64(n)
		pts[i] = point{t: t, d: 20 + slope*t + 0.03*r.ExpFloat64()}
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
				p.d += 40 * r.Float64()
			}
		}},
		{"a far straggler", func(i int, p *point) {
			if i == 999 {
				p.t, p.d = 100, 25
			}
		}},
	} {
		covered := 0
		for range 50 {
			pts := scattered(r, 1000, 0.08)
			for i := range pts {
				c.spoil(i, &pts[i])
			}
			f, ok := line(pts, 1)
			if !ok || math.Abs(f.slope-0.08) > 0.004 {
				t.Fatalf("%s: slope %v ms/s, want 0.08", c.name, f.slope)
			}
			if math.Abs(f.slope-0.08) < 2*f.sigma {
				covered++
			}
		}
		if covered < 45 {
			t.Errorf("%s: only %d of 50 errors are within two standard errors", c.name, covered)
		}
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
			pts[i] = point{t: float64(i) / 50, d: 20 + walk}
		}
		f, ok := line(pts, 1)
		if !ok {
			t.Fatal("no line")
		}
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
	if _, ok := line(scattered(r, leastPoints-1, 0), 1); ok {
		t.Error("a line through too few points")
	}
	pts := scattered(r, 100, 0)
	for i := range pts {
		pts[i].t /= 100
	}
	if _, ok := line(pts, 1); ok {
		t.Error("a line over 0.1 s")
	}
}

// TestCommon: a series that contradicts the others is left out, and so is a
// slope that no clock has; series that differ by more than they claim make the
// mean less sure.
func TestCommon(t *testing.T) {
	one := fit{sign: 1, slope: 0.08, sigma: 0.001}
	back := fit{sign: -1, slope: -0.08, sigma: 0.001}
	odd := fit{sign: 1, slope: 0.3, sigma: 0.01}
	queue := fit{sign: 1, slope: 30, sigma: 0.0001}
	r := common([]fit{one, odd, back, queue})
	if math.Abs(r.rho-0.08) > 1e-9 || math.Abs(r.sigma-0.001/math.Sqrt2) > 1e-9 {
		t.Errorf("%+v", r)
	}
	other := fit{sign: 1, slope: 0.084, sigma: 0.001} // 4 standard errors apart
	if r := common([]fit{one, other}); math.Abs(r.rho-0.082) > 1e-9 || math.Abs(r.sigma-0.002) > 1e-9 {
		t.Errorf("%+v, want 0.082 with 0.001/sqrt(2) times sqrt(8)", r)
	}
	if r := common(nil); !math.IsInf(r.sigma, 1) {
		t.Errorf("%+v of nothing", r)
	}
}

// TestTrail: least delays of equally many packets, bounded.
func TestTrail(t *testing.T) {
	var s trail
	for i := range int64(100_000) {
		s.add(i, 1000-i%100)
	}
	if len(s.list) > maxTrail || len(s.list) < maxTrail/2 || s.size != 128 {
		t.Fatalf("%d readings of %d packets", len(s.list), s.size)
	}
	for _, x := range s.list[:len(s.list)-1] {
		if x.d != 901 { // 128 packets in turn contain the least of 100
			t.Fatalf("a least delay of %d", x.d)
		}
	}
}
