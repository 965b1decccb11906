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
		r := regress(least)
		for _, tau := range feet {
			one := r.line(tau)
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

// at returns the height of a line.
func (f *fit) at(p *point) float64 {
	h := f.base + f.slope*(p.t-f.middle)
	if p.behind {
		h += f.step
	}
	return h
}

// scatter returns the standard error of a slope over the whole span, ms: from
// how the foot of the series differs from block to block. Where it wanders off,
// so that distant blocks differ by more than neighbours, the error is that of a
// random walk.
func (f *fit) scatter(points []point, tau float64) float64 {
	level := make([]float64, 0, blocks)
	room := make([]float64, len(points)/blocks+1)
	for i := range blocks {
		part := points[i*len(points)/blocks : (i+1)*len(points)/blocks]
		rest := room[:len(part)]
		for j := range part {
			rest[j] = part[j].d - f.at(&part[j])
		}
		level = append(level, nth(rest, int(tau*float64(len(rest)))))
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

// nth returns element n of a list as if it were sorted, and reorders it (Hoare,
// Find, 1961).
func nth(list []float64, n int) float64 {
	for lo, hi := 0, len(list)-1; lo < hi; {
		mid := list[n]
		i, j := lo, hi
		for i <= j {
			for list[i] < mid {
				i++
			}
			for list[j] > mid {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i, j = i+1, j-1
			}
		}
		if j < n {
			lo = i
		}
		if i > n {
			hi = j
		}
	}
	return list[n]
}

// unlike returns the mean square of the differences between levels that stand
// lag apart.
func unlike(level []float64, lag int) (sum float64) {
	for i := lag; i < len(level); i++ {
		sum += (level[i] - level[i-lag]) * (level[i] - level[i-lag])
	}
	return sum / float64(len(level)-lag)
}
