package pair

import (
	"math"
	"slices"
)

// fit is the line below one series.
type fit struct {
	sign   float64 // +1 where the receiver's lead is in the delay, -1 where it is out of it
	slope  float64 // ms/s
	base   float64 // its height at the first point, ms
	above  float64 // median distance of the points from it, ms
	span   float64 // s
	mean   float64 // mean time of the points, s
	points []point
}

// fits returns the lines below all series that are long enough.
func (c *clock) fits() (out []fit) {
	for _, p := range c.order {
		for e := range p.minis {
			for _, s := range []*series{&p.minis[e], &p.datas[e]} {
				pts := s.points()
				if len(pts) < 8 {
					continue
				}
				f := fit{sign: 1, points: pts, span: pts[len(pts)-1].t - pts[0].t}
				if End(e) == AtReceiver {
					f.sign = -1
				}
				f.line()
				out = append(out, f)
			}
		}
	}
	return out
}

// line finds the line below all points whose mean distance from them is least
// (Moon, Skelly and Towsley, 1999): the edge of the lower hull below their mean
// time.
func (f *fit) line() {
	for _, p := range f.points {
		f.mean += p.t / float64(len(f.points))
	}
	hull := lowerHull(f.points)
	edge := [2]point{hull[0], hull[len(hull)-1]}
	for i := 1; i < len(hull); i++ {
		if hull[i].t >= f.mean {
			edge = [2]point{hull[i-1], hull[i]}
			break
		}
	}
	if edge[1].t > edge[0].t {
		f.slope = (edge[1].d - edge[0].d) / (edge[1].t - edge[0].t)
	}
	rest := make([]float64, len(f.points))
	for i, p := range f.points {
		rest[i] = p.d - edge[0].d - f.slope*(p.t-edge[0].t)
	}
	f.base = edge[0].d - f.slope*(edge[0].t-f.points[0].t)
	slices.Sort(rest)
	f.above = rest[len(rest)/2]
}

// lowerHull returns the lower convex hull of points in the order of time.
func lowerHull(pts []point) (h []point) {
	for _, p := range pts {
		for len(h) >= 2 {
			a, b := h[len(h)-2], h[len(h)-1]
			if (b.d-a.d)*(p.t-a.t) < (p.d-a.d)*(b.t-a.t) {
				break
			}
			h = h[:len(h)-1]
		}
		h = append(h, p)
	}
	return h
}

// floorNoise is what the stamps themselves are worth, ms.
const floorNoise = 0.002

// drift finds the slope that all series have in common, those of one direction
// with the opposite sign: the mean of their slopes, each in the measure of its
// own certainty. It returns ms/s, their uncertainty, and the longest span in s.
func drift(fits []fit) (rho, sigma, span float64) {
	weight := 0.0
	for i := range fits {
		f := &fits[i]
		slope, s := f.slopes()
		rho += f.sign * slope / (s * s)
		weight += 1 / (s * s)
		span = max(span, f.span)
	}
	if weight == 0 {
		return 0, math.Inf(1), 0
	}
	rho /= weight
	// Series that differ by more than they claim to be certain are less certain
	// by that factor (Birge, 1932).
	spread := 0.0
	for i := range fits {
		slope, s := fits[i].slopes()
		spread += (fits[i].sign*slope - rho) * (fits[i].sign*slope - rho) / (s * s)
	}
	sigma = math.Sqrt(max(1, spread/float64(max(1, len(fits)-1))) / weight)
	// Where the surest series of the two directions contradict each other, it
	// is not the clock that moves.
	for _, sign := range []float64{1, -1} {
		best, at := math.Inf(1), 0.0
		for i := range fits {
			if slope, s := fits[i].slopes(); fits[i].sign == sign && s < best {
				best, at = s, slope*sign
			}
		}
		if far := math.Abs(at - rho); !math.IsInf(best, 1) && far > 5*best {
			sigma = max(sigma, far)
		}
	}
	return rho, sigma, span
}

// slopes returns the median of the slopes between the points close to the line
// below all of them (Theil, 1950; Sen, 1968), and its standard error. Points
// far above the line are queues.
func (f *fit) slopes() (slope, sigma float64) {
	var near []point
	limit := 2*f.above + floorNoise
	for _, p := range f.points {
		if p.d-f.base-f.slope*(p.t-f.points[0].t) <= limit {
			near = append(near, p)
		}
	}
	var all []float64
	for i := range near {
		for _, q := range near[i+1:] {
			all = append(all, (q.d-near[i].d)/(q.t-near[i].t))
		}
	}
	if len(near) < 8 {
		return f.slope, (f.above + 10*floorNoise) / f.span
	}
	slices.Sort(all)
	slope = all[len(all)/2]
	rest := make([]float64, len(near))
	for i, p := range near {
		rest[i] = p.d - slope*(p.t-near[0].t)
	}
	sorted := slices.Clone(rest)
	slices.Sort(sorted)
	mid := sorted[len(sorted)/2]
	// The error of a slope fitted to n points of scatter s over a span T is
	// about s sqrt(12/n) / T; neighbours that resemble each other count less.
	var same, square, scatter float64
	for i := range rest {
		rest[i] -= mid
		scatter += math.Abs(rest[i])
		square += rest[i] * rest[i]
		if i > 0 {
			same += rest[i] * rest[i-1]
		}
	}
	n := float64(len(near))
	r := 0.0
	if square > 0 {
		r = min(max(same/square, 0), 0.98)
	}
	n = max(2, n*(1-r)/(1+r))
	return slope, (1.25*scatter/float64(len(near)) + floorNoise) * math.Sqrt(12/n) / f.span
}
