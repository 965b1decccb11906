package pair

import (
	"math"
	"slices"
)

// regression is a series that lines are fitted to.
type regression struct {
	before []mark // what lies before a step
	behind []mark
	sorted []float64 // the delays, ms
	middle float64   // of the time, s
	unit   float64   // of the marks' times, s: their standard deviation, so that height and slope are of one size
}

// mark is a delay in ms at a time in units from the middle of a series.
type mark struct{ x, d float64 }

// regress prepares a series.
func regress(points []point) *regression {
	r := &regression{before: make([]mark, 0, len(points)), sorted: make([]float64, len(points))}
	var spread float64
	for i := range points {
		r.middle += points[i].t / float64(len(points))
		r.sorted[i] = points[i].d
	}
	slices.Sort(r.sorted)
	for i := range points {
		spread += (points[i].t - r.middle) * (points[i].t - r.middle) / float64(len(points))
	}
	r.unit = max(math.Sqrt(spread), 1e-9)
	for i := range points {
		p := &points[i]
		m := mark{(p.t - r.middle) / r.unit, p.d}
		if p.behind {
			r.behind = append(r.behind, m)
		} else {
			r.before = append(r.before, m)
		}
	}
	return r
}

const (
	// rounds is how often the weights of a regression are found anew, or until
	// that moves the line by less than still, ms: a hundredth of floorNoise.
	rounds = 24
	still  = 1e-4
	// flattest is the distance from the line below which a point weighs no
	// more, ms.
	flattest = 1e-4
	// steeper is by what that distance shrinks in a round.
	steeper = 0.5
	// far is how far a round goes, by how far its equations say. These hold
	// for squares that lie above the absolute errors and touch them where the
	// line is, so that somewhat further still leads downwards, and sooner to the
	// end.
	far = 1.5
	// leastBehind is how many points before and behind a step show its height.
	leastBehind = 4
)

// line fits the line below which a part tau of the points lies (Koenker and
// Bassett, 1978), with a step where some points are behind one, by least squares
// with weights that make absolute errors of squares. It sets what makes the
// line.
func (r *regression) line(tau float64) fit {
	n := len(r.sorted)
	least := (r.sorted[n/2]-r.sorted[0])/10 + 10*flattest
	stepped := min(len(r.before), len(r.behind)) >= leastBehind
	now := [3]float64{r.sorted[int(tau*float64(n))]} // height in the middle, slope, step
	for range rounds {
		m := r.equations(&now, tau, least, stepped)
		by, ok := m.solve()
		if !ok {
			break
		}
		moved := 0.0
		for i := range now {
			now[i] += far * by[i]
			moved = max(moved, math.Abs(by[i]))
		}
		if least == flattest && moved < still {
			break
		}
		least = max(least*steeper, flattest)
	}
	return fit{base: now[0], slope: now[1] / r.unit, step: now[2], middle: r.middle}
}

// equations returns the normal equations of what a line leaves over, given by
// its height, slope and step.
func (r *regression) equations(line *[3]float64, tau, least float64, stepped bool) normal {
	p := weighted(r.before, line[0], line[1], tau, least)
	q := weighted(r.behind, line[0]+line[2], line[1], tau, least)
	m := normal{
		a: [3][3]float64{{p.one + q.one, p.x + q.x, q.one}, {p.x + q.x, p.xx + q.xx, q.x}, {q.one, q.x, q.one}},
		b: [3]float64{p.y + q.y, p.xy + q.xy, q.y},
	}
	if !stepped {
		m.a[0][2], m.a[1][2], m.a[2], m.b[2] = 0, 0, [3]float64{2: 1}, 0
	}
	return m
}

// sums are weighted sums over marks, y being what a line leaves over.
type sums struct{ one, x, xx, y, xy float64 }

// weighted adds up marks. One below the line weighs 1-tau, one above it tau, by
// its distance.
func weighted(marks []mark, base, slope, tau, least float64) (s sums) {
	weights := [2]float64{tau, 1 - tau}
	for i := range marks {
		x := marks[i].x
		y := marks[i].d - (base + slope*x)
		w, size := weights[math.Float64bits(y)>>63], math.Abs(y)
		if size < least { // seldom; max() would look for NaN and signed zeros
			size = least
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

// solve eliminates; the matrix is symmetric and positive where the columns
// differ.
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
