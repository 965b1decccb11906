package pair

import (
	"cmp"
	"math"
	"slices"
)

// point is a delay in ms at a time in s.
type point struct {
	t, d   float64
	behind bool // a clock was set before, by as much as is to be found out
}

// fit is a line along the foot of one series of delays.
type fit struct {
	sign  float64 // +1 where the receiver's lead is in the delay, -1 where it is out of it
	slope float64 // ms/s
	step  float64 // ms; where some points are behind one
	sigma float64 // its standard error
	span  float64 // s

	base, middle float64 // its height, ms, in the middle of the time, s
}

// leastPoints is how many points a line takes, leastSpan how many seconds.
const (
	leastPoints = 32
	leastSpan   = 0.3
)

// alone is which part of the points at either end is left out.
const alone = 40

// blocks is into how many parts a series is cut to see how much its foot
// varies.
const blocks = 16

// feet are the quantiles that are tried for the foot of a series. Of delays
// without queues the middle ones scatter least, of others the low ones.
var feet = [...]float64{0.03, 0.1, 0.3}

// floorNoise is what the foot of a series may move over its span unnoticed,
// ms: interrupts, caches, the sizes of packets.
const floorNoise = 0.01

// line fits the line whose slope is surest. Points stand in the order of time,
// nearly.
func line(points []point, sign float64) (f fit, ok bool) {
	if len(points) < leastPoints {
		return f, false
	}
	// The first and the last ones may stand far off, and then would turn the line
	// alone.
	points = points[len(points)/alone : len(points)-len(points)/alone]
	span := points[len(points)-1].t - points[0].t
	if span < leastSpan {
		return f, false
	}
	f = fit{sign: sign, sigma: math.Inf(1), span: span}
	weight := 0.0
	for _, of := range groups {
		least := leastOf(points, of)
		if len(least) < leastGroups {
			break
		}
		for _, tau := range feet {
			one := quantileLine(least, tau)
			one.sigma = chosen * one.scatter(least, tau) / span
			w := math.Pow(one.sigma, -4)
			weight += w
			f.slope += (one.slope - f.slope) * w / weight
			f.step += (one.step - f.step) * w / weight
			f.sigma = min(f.sigma, one.sigma)
		}
	}
	return f, true
}

// groups is of how many points in turn only the least is taken: one more way to
// the foot.
var groups = [...]int{1, 4, 16}

const (
	leastGroups = 2 * blocks
	// chosen makes up for that the least of several errors is taken.
	chosen = 1.3
)

// leastOf returns the least of every n points in turn.
func leastOf(points []point, n int) []point {
	if n == 1 {
		return points
	}
	out := make([]point, 0, len(points)/n)
	for part := range slices.Chunk(points, n) {
		out = append(out, slices.MinFunc(part, func(a, b point) int { return cmp.Compare(a.d, b.d) }))
	}
	return out
}

// rounds is how often the weights of a regression are found anew, or until they
// move the line by less than still, ms.
const (
	rounds = 40
	still  = 1e-12
	// flattest is the distance from the line below which a point weighs no
	// more, ms.
	flattest = 1e-4
)

// quantileLine fits the line below which a part tau of the points lies (Koenker
// and Bassett, 1978), with a step where some points are behind one, by least
// squares with weights that make absolute errors of squares. It sets what makes
// the line.
func quantileLine(points []point, tau float64) (f fit) {
	var spread float64
	ds := make([]float64, len(points))
	behind := 0
	for i, p := range points {
		f.middle += p.t / float64(len(points))
		ds[i] = p.d
		if p.behind {
			behind++
		}
	}
	for _, p := range points {
		spread += (p.t - f.middle) * (p.t - f.middle) / float64(len(points))
	}
	unit := max(math.Sqrt(spread), 1e-9)
	slices.Sort(ds)
	least := (ds[len(ds)/2]-ds[0])/10 + 1e-3
	scaled := make([]point, len(points))
	for i, p := range points {
		scaled[i] = point{t: (p.t - f.middle) / unit, d: p.d, behind: p.behind}
	}
	stepped := min(behind, len(points)-behind) >= leastBehind
	now := [3]float64{ds[int(tau*float64(len(ds)))]} // height in the middle, slope, step
	for range rounds {
		m := equations(scaled, &now, tau, least)
		if !stepped {
			m.a[2], m.b[2] = [3]float64{2: 1}, 0
			m.a[0][2], m.a[1][2] = 0, 0
		}
		m.mirror()
		by, ok := m.solve()
		if !ok {
			break
		}
		moved := 0.0
		for i := range now {
			now[i] += by[i]
			moved = max(moved, math.Abs(by[i]))
		}
		if least == flattest && moved < still {
			break
		}
		least = max(least*0.75, flattest)
	}
	f.base, f.slope, f.step = now[0], now[1]/unit, now[2]
	return f
}

// equations returns the normal equations of what a line leaves over, given by
// its height, slope and step. Most points lie before the step, or there is none,
// so the sums that only those behind it enter are apart.
func equations(points []point, line *[3]float64, tau, least float64) normal {
	var w0, wx0, wxx, wy0, wxy float64
	var w2, wx2, wy2 float64
	weights := [2]float64{tau, 1 - tau} // above the line, below
	base, slope, step := line[0], line[1], line[2]
	for i := range points {
		p := &points[i]
		x, y := p.t, p.d-(base+slope*p.t)
		if p.behind {
			y -= step
		}
		w, size := weights[math.Float64bits(y)>>63], math.Abs(y)
		if size < least { // seldom; max() would look for NaN and signed zeros
			size = least
		}
		w /= size
		wx, wy := w*x, w*y
		w0 += w
		wx0 += wx
		wxx += wx * x
		wy0 += wy
		wxy += x * wy
		if p.behind {
			w2 += w
			wx2 += wx
			wy2 += wy
		}
	}
	return normal{
		a: [3][3]float64{{w0, wx0, w2}, {0, wxx, wx2}, {0, 0, w2}},
		b: [3]float64{wy0, wxy, wy2},
	}
}

// leastBehind is how many points before and behind a step show its height.
const leastBehind = 4

// at returns the height of a line.
func (f *fit) at(p *point) float64 {
	h := f.base + f.slope*(p.t-f.middle)
	if p.behind {
		h += f.step
	}
	return h
}

// normal holds the normal equations of a weighted regression, first the upper
// half.
type normal struct {
	a [3][3]float64
	b [3]float64
}

// mirror fills the other half.
func (m *normal) mirror() {
	m.a[1][0], m.a[2][0], m.a[2][1] = m.a[0][1], m.a[0][2], m.a[1][2]
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

// scatter returns the standard error of a slope over the whole span, ms: from
// how the foot of the series differs from block to block. Where it wanders off,
// so that distant blocks differ by more than neighbours, the error is that of a
// random walk.
func (f *fit) scatter(points []point, tau float64) float64 {
	level := make([]float64, 0, blocks)
	for i := range blocks {
		part := points[i*len(points)/blocks : (i+1)*len(points)/blocks]
		rest := make([]float64, len(part))
		for j := range part {
			rest[j] = part[j].d - f.at(&part[j])
		}
		slices.Sort(rest)
		level = append(level, rest[int(tau*float64(len(rest)))])
	}
	near, far := unlike(level, 1), unlike(level, blocks/4)
	var alike, total float64
	for i := range level {
		total += level[i] * level[i]
		if i > 0 {
			alike += level[i] * level[i-1]
		}
	}
	variance := 12 * max(near/2, total/blocks) / blocks
	if r := min(alike/max(total, 1e-12), 0.9); r > 0 { // neighbours that resemble each other count less
		variance *= (1 + r) / (1 - r)
	}
	if far > 2*near {
		walk := (far - near) / (blocks/4 - 1)
		variance = max(variance, 1.2*walk*blocks) // of a slope fitted to a random walk, by its step
	}
	return math.Sqrt(variance + floorNoise*floorNoise)
}

// unlike returns the mean square of the differences between levels that stand
// lag apart.
func unlike(level []float64, lag int) (sum float64) {
	for i := lag; i < len(level); i++ {
		sum += (level[i] - level[i-lag]) * (level[i] - level[i-lag])
	}
	return sum / float64(len(level)-lag)
}
