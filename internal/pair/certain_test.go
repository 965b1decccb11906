package pair

import (
	"math"
	"math/rand/v2"
	"testing"
)

// shapes are what the delays of a path do above the least one, ms, packet after
// packet.
var shapes = []struct {
	name string
	next func(r *rand.Rand, i int, queue float64) float64
}{
	{"interrupts", func(*rand.Rand, int, float64) float64 { return 0 }},
	{"a queue half of the time", func(r *rand.Rand, i int, _ float64) float64 { return float64(i/50%2) * 40 * r.Float64() }},
	{"a queue that fills and drains", func(r *rand.Rand, _ int, queue float64) float64 { return max(0, queue+0.2*r.NormFloat64()) }},
}

// certain returns in how many of n synthetic sessions of 10 s over two paths
// the true drift, up to 100 ppm, lies within the stated uncertainty.
func certain(n int, next func(*rand.Rand, int, float64) float64) (covered int) {
	r := rand.New(rand.NewPCG(7, 8))
	for range n {
		ppm := 200*r.Float64() - 100
		k := &clock{}
		for path := range 2 {
			p := &pathClock{c: k}
			for e, sign := range []float64{1, -1} {
				queue := 0.0
				for i := range 600 {
					at := float64(i) / 60
					queue = next(r, i, queue)
					d := float64(20*(path+1)) + queue + 0.03*r.ExpFloat64() + sign*ppm/1e3*at
					p.trails[e][0].list = append(p.trails[e][0].list, reading{int64(at * 1e9), int64(d * 1e6)})
				}
			}
			k.order = append(k.order, p)
		}
		c := &Clock{}
		if found := 1e3 * c.drift(k, Drift, 0); math.Abs(found-ppm) <= c.DriftUncertainty {
			covered++
		}
	}
	return covered
}

// TestCertain: what is stated holds in 95 % of sessions.
func TestCertain(t *testing.T) {
	const n = 400
	for _, s := range shapes {
		if got := certain(n, s.next); got < n*95/100 {
			t.Errorf("%s: the drift is within the stated uncertainty in %d of %d sessions", s.name, got, n)
		}
	}
}

// TestLineCertain: the slope of a single series, of which no other one can tell
// how far it is off, is within as many standard errors in nine of ten sessions.
func TestLineCertain(t *testing.T) {
	const n = 1000
	for _, s := range shapes {
		r := rand.New(rand.NewPCG(9, 10))
		covered := 0
		for range n {
			queue := 0.0
			points := make([]point, 600)
			for i := range points {
				at := float64(i) / 60
				queue = s.next(r, i, queue)
				points[i] = point{t: at, d: 20 + queue + 0.03*r.ExpFloat64() + 0.08*at}
			}
			if f, ok := line(points, 1); ok && math.Abs(f.slope-0.08) < statedErrors*f.sigma {
				covered++
			}
		}
		if covered < n*9/10 {
			t.Errorf("%s: the slope is within %v standard errors in %d of %d sessions", s.name, statedErrors, covered, n)
		}
	}
}
