package clock

import (
	"math"
	"slices"
)

// regression is a series that lines are fitted to.
type regression struct {
	before []scaled // points before a step, or all
	after  []scaled // points after it
	sorted []float64
	middle float64 // mean of the times, s
	unit   float64 // standard deviation of the times, s, so that height and slope are of one size
}

// scaled is a delay in ms at a time in units from the middle of a series.
type scaled struct{ x, ms float64 }

// newRegression prepares a series.
func newRegression(points []point) *regression {
	r := &regression{before: make([]scaled, 0, len(points)), sorted: make([]float64, len(points))}
	var spread float64
	for i := range points {
		r.middle += points[i].t / float64(len(points))
		r.sorted[i] = points[i].ms
	}
	slices.Sort(r.sorted)
	for i := range points {
		spread += (points[i].t - r.middle) * (points[i].t - r.middle) / float64(len(points))
	}
	r.unit = max(math.Sqrt(spread), 1e-9)
	for i := range points {
		p := &points[i]
		s := scaled{(p.t - r.middle) / r.unit, p.ms}
		if p.stepped {
			r.after = append(r.after, s)
		} else {
			r.before = append(r.before, s)
		}
	}
	return r
}

const (
	// maxRounds bounds how often the weights are computed again. The rounds end
	// sooner when the line moves by less than still, ms: a hundredth of
	// leastNoise.
	maxRounds = 24
	still     = 1e-4
	// flattest is the distance from the line, ms, below which the weight of a
	// point does not grow any more. In the first rounds it is larger; each
	// round multiplies it by steeper.
	flattest = 1e-4
	steeper  = 0.5
	// overshoot is by how much a round moves the line, as a multiple of the
	// solution of its equations. The equations hold for squares that lie above
	// the absolute errors and touch them at the line. So the sum still falls
	// somewhat beyond the solution, and fewer rounds are needed.
	overshoot = 1.5
	// leastSide is the fewest points before and after a step with which its
	// size is found.
	leastSide = 4
)

// fit fits the line below which the given part of the points lies (Koenker and
// Bassett, 1978), with a step between the points before it and after it. It
// does so by least squares, with weights that turn squares into absolute
// errors. It sets height, slope and step.
func (r *regression) fit(quantile float64) line {
	n := len(r.sorted)
	closest := (r.sorted[n/2]-r.sorted[0])/10 + 10*flattest
	withStep := min(len(r.before), len(r.after)) >= leastSide
	now := [3]float64{r.sorted[int(quantile*float64(n))]} // height in the middle, slope, step
	for range maxRounds {
		m := r.equations(&now, quantile, closest, withStep)
		by, ok := m.solve()
		if !ok {
			break
		}
		moved := 0.0
		for i := range now {
			now[i] += overshoot * by[i]
			moved = max(moved, math.Abs(by[i]))
		}
		if closest == flattest && moved < still {
			break
		}
		closest = max(closest*steeper, flattest)
	}
	return line{height: now[0], slope: now[1] / r.unit, step: now[2], middle: r.middle}
}

// equations returns the normal equations for the change of a line, given by its
// height, slope and step.
func (r *regression) equations(line *[3]float64, quantile, closest float64, withStep bool) normal {
	p := weighted(r.before, line[0], line[1], quantile, closest)
	q := weighted(r.after, line[0]+line[2], line[1], quantile, closest)
	m := normal{
		a: [3][3]float64{{p.one + q.one, p.x + q.x, q.one}, {p.x + q.x, p.xx + q.xx, q.x}, {q.one, q.x, q.one}},
		b: [3]float64{p.y + q.y, p.xy + q.xy, q.y},
	}
	if !withStep {
		m.a[0][2], m.a[1][2], m.a[2], m.b[2] = 0, 0, [3]float64{2: 1}, 0
	}
	return m
}

// sums are weighted sums over points; y is their distance above the line.
type sums struct{ one, x, xx, y, xy float64 }

// weighted adds up points. The weight of a point below the line is 1-quantile,
// of a point above it quantile, each divided by its distance from the line,
// which counts as at least closest.
func weighted(points []scaled, height, slope, quantile, closest float64) (s sums) {
	weights := [2]float64{quantile, 1 - quantile}
	for i := range points {
		x := points[i].x
		y := points[i].ms - (height + slope*x)
		w, size := weights[math.Float64bits(y)>>63], math.Abs(y)
		if size < closest { // seldom; max() would look for NaN and signed zeros
			size = closest
		}
		w /= size
		wx := w * x
		s.one += w
		s.x += wx
		s.xx += wx * x
		s.y += w * y
		s.xy += wx * y
	}
	return s
}

// normal holds the normal equations of a weighted regression.
type normal struct {
	a [3][3]float64
	b [3]float64
}

// solve solves the equations by elimination; the matrix is symmetric, and
// positive unless the columns depend on each other. It reports false if they
// do.
func (m *normal) solve() (x [3]float64, ok bool) {
	for i := range m.a {
		if m.a[i][i] <= 1e-12 {
			return x, false
		}
		for j := i + 1; j < len(m.a); j++ {
			by := m.a[j][i] / m.a[i][i]
			for k := i; k < len(m.a); k++ {
				m.a[j][k] -= by * m.a[i][k]
			}
			m.b[j] -= by * m.b[i]
		}
	}
	for i := len(x) - 1; i >= 0; i-- {
		x[i] = m.b[i]
		for k := i + 1; k < len(x); k++ {
			x[i] -= m.a[i][k] * x[k]
		}
		x[i] /= m.a[i][i]
	}
	return x, true
}
