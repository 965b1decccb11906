package clock

import (
	"cmp"
	"math"
	"slices"
)

// point is a least delay at a time.
type point struct {
	t, ms   float64 // s, ms
	stepped bool    // measured after a clock was set; the size of that step is not known yet
}

// line is a straight line fitted to the least delays of a series.
type line struct {
	slope float64 // ms/s
	step  float64 // by how much the stepped points lie higher, ms
	sigma float64 // standard error of the slope
	span  float64 // time that the points cover, s

	height, middle float64 // height, ms, in the middle of the time, s
}

const (
	leastPoints = 32  // the fewest points for a line
	leastSpan   = 0.3 // the shortest time for a line, s
	// trimmed is the part of the points that is left out at the beginning, and
	// at the end: one point in trimmed.
	trimmed = 40
	// blocks is the number of parts into which a series is cut to see how much
	// its least delays vary.
	blocks = 16
	// leastNoise is how much the least delays of a series may change unnoticed,
	// ms: by interrupts, caches, the sizes of packets.
	leastNoise = 0.01
	// chosen corrects the standard errors: fitLine takes the least of several,
	// which is too small.
	chosen = 1.3
)

// quantiles lists the quantiles that are tried for the least delays of a
// series. The middle ones vary least if there are no queues, the low ones if
// there are.
var quantiles = [...]float64{0.03, 0.1, 0.3}

// groupSizes lists the sizes of groups of points of which only the least point
// is used: this, too, removes delays by queues.
var groupSizes = [...]int{1, 4, 16}

// fitLine fits a line to points that are nearly in the order of time: the mean
// over all quantiles and group sizes, weighted strongly by certainty.
func fitLine(points []point) (f line, ok bool) {
	if len(points) < leastPoints {
		return f, false
	}
	// The first and the last points may lie far from the others, and would
	// change the slope on their own.
	points = points[len(points)/trimmed : len(points)-len(points)/trimmed]
	span := points[len(points)-1].t - points[0].t
	if span < leastSpan {
		return f, false
	}
	f = line{sigma: math.Inf(1), span: span}
	weight := 0.0
	for _, size := range groupSizes {
		least := leastOfGroups(points, size)
		if len(least) < 2*blocks {
			break
		}
		r := newRegression(least)
		for _, q := range quantiles {
			one := r.fit(q)
			one.sigma = chosen * one.standardError(least, q) / span
			w := math.Pow(one.sigma, -4)
			weight += w
			f.slope += (one.slope - f.slope) * w / weight
			f.step += (one.step - f.step) * w / weight
			f.sigma = min(f.sigma, one.sigma)
		}
	}
	return f, true
}

// leastOfGroups returns the least of every n points in a row.
func leastOfGroups(points []point, n int) []point {
	if n == 1 {
		return points
	}
	out := make([]point, 0, len(points)/n)
	for part := range slices.Chunk(points, n) {
		out = append(out, slices.MinFunc(part, func(a, b point) int { return cmp.Compare(a.ms, b.ms) }))
	}
	return out
}

// at returns the height of a line at a point, ms.
func (f *line) at(p *point) float64 {
	h := f.height + f.slope*(p.t-f.middle)
	if p.stepped {
		h += f.step
	}
	return h
}

// standardError returns the standard error of a slope times the whole time, ms.
// It follows from how a quantile of the distances from the line varies from
// block to block. If distant blocks differ by more than neighbours do, the
// delays are a random walk, and the error is that of a slope fitted to one.
func (f *line) standardError(points []point, quantile float64) float64 {
	level := make([]float64, 0, blocks)
	room := make([]float64, len(points)/blocks+1)
	for i := range blocks {
		part := points[i*len(points)/blocks : (i+1)*len(points)/blocks]
		rest := room[:len(part)]
		for j := range part {
			rest[j] = part[j].ms - f.at(&part[j])
		}
		slices.Sort(rest)
		level = append(level, rest[int(quantile*float64(len(rest)))])
	}
	near, far := meanSquareChange(level, 1), meanSquareChange(level, blocks/4)
	var products, squares float64
	for i := range level {
		squares += level[i] * level[i]
		if i > 0 {
			products += level[i] * level[i-1]
		}
	}
	variance := 12 * max(near/2, squares/blocks) / blocks
	if r := min(products/max(squares, 1e-12), 0.9); r > 0 { // neighbours that are correlated count less
		variance *= (1 + r) / (1 - r)
	}
	if far > 2*near {
		walk := (far - near) / (blocks/4 - 1)
		variance = max(variance, 1.2*walk*blocks) // variance of a slope fitted to a random walk, from the size of the walk's steps
	}
	return math.Sqrt(variance + leastNoise*leastNoise)
}

// meanSquareChange returns the mean square of the differences between each
// level and the level lag places before.
func meanSquareChange(level []float64, lag int) (sum float64) {
	for i := lag; i < len(level); i++ {
		sum += (level[i] - level[i-lag]) * (level[i] - level[i-lag])
	}
	return sum / float64(len(level)-lag)
}
