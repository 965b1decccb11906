package clock

import (
	"math"
	"math/rand/v2"
	"testing"
)

// cost is what a quantile regression makes least (Koenker and Bassett, 1978):
// tau for each ms that a point lies above the line, 1-tau below.
func cost(points []point, f line, tau float64) (sum float64) {
	for i := range points {
		if y := points[i].ms - f.at(&points[i]); y > 0 {
			sum += tau * y
		} else {
			sum -= (1 - tau) * y
		}
	}
	return sum
}

// TestRegressionIsBest: the least cost is that of a line through two of the
// points, which is what the rounds of a regression come near to. All of them are
// tried, and with a step all lines on one side of it with all heights on the
// other.
func TestRegressionIsBest(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, step := range []float64{0, 3} {
		for range 20 {
			pts := scattered(r, 48, 0.05)
			for i := range pts {
				pts[i].stepped = step != 0 && pts[i].t > 6
				if pts[i].stepped {
					pts[i].ms += step
				}
				if i/8%2 == 1 {
					pts[i].ms += 5 * r.Float64() // queues
				}
			}
			for _, tau := range quantiles {
				got := newRegression(pts).fit(tau)
				best := math.Inf(1)
				for i := range pts {
					for j := range i {
						p, q := &pts[j], &pts[i]
						if p.stepped != q.stepped {
							continue
						}
						best = min(best, leastThrough(pts, p, q, tau, step != 0))
					}
				}
				if c := cost(pts, got, tau); c > 1.06*best+1e-3 {
					t.Errorf("step %v, tau %v: cost %v, the best line's is %v", step, tau, c, best)
				}
			}
		}
	}
}

// leastThrough returns the cost of the line through two points on one side of
// the step, with the best height of the other side.
func leastThrough(pts []point, p, q *point, tau float64, stepped bool) float64 {
	f := line{slope: (q.ms - p.ms) / (q.t - p.t), middle: p.t, height: p.ms}
	if !stepped {
		return cost(pts, f, tau)
	}
	best := math.Inf(1)
	for i := range pts {
		if x := &pts[i]; x.stepped != p.stepped {
			g := f
			if g.step = x.ms - f.slope*(x.t-p.t) - p.ms; p.stepped { // the line is known behind the step
				g.step = -g.step
				g.height -= g.step
			}
			best = min(best, cost(pts, g, tau))
		}
	}
	return best
}
