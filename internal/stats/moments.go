package stats

import "math"

// moments are the sums behind mean and standard deviation, taken of the
// distances from an origin near the mean: in sums of the values themselves the
// digits of a small variance of large values would cancel.
type moments struct {
	n         int64
	weight    float64
	origin    float64
	first     float64 // of weight * (value - origin)
	second    float64 // of weight * (value - origin)^2
	min, max  float64
	lightest  float64 // least weight
	centredAt int64   // n when the origin was moved to the mean
}

// momentsOf returns those of a batch.
func momentsOf(batch []weighted) (m moments) {
	if len(batch) == 0 {
		return m
	}
	e := batch[0]
	m = moments{origin: e.value, min: e.value, max: e.value, lightest: e.weight}
	m.sumAll(batch)
	// The first value may lie far from all others, so that was a rough mean.
	m = moments{origin: m.origin + m.first/m.weight, min: m.min, max: m.max, lightest: m.lightest}
	m.sumAll(batch)
	m.centre()
	return m
}

func (m *moments) sumAll(batch []weighted) {
	for _, e := range batch {
		m.sum(e.value, e.weight)
	}
}

// add takes a value.
func (m *moments) add(value, weight float64) {
	m.sum(value, weight)
	m.follow()
}

func (m *moments) sum(value, weight float64) {
	x := value - m.origin
	wx := weight * x
	m.n++
	m.weight += weight
	m.first += wx
	m.second += wx * x
	// Not the built-in min and max: they would care for NaN, which cannot be
	// here, at a cost.
	if value < m.min {
		m.min = value
	}
	if value > m.max {
		m.max = value
	}
	if weight < m.lightest {
		m.lightest = weight
	}
}

// follow moves the origin each time that the number of values has doubled, in
// case that the early ones were no measure for the rest.
func (m *moments) follow() {
	if m.n > 2*m.centredAt {
		m.centre()
	}
}

// centre moves the origin to the mean.
func (m *moments) centre() {
	origin := m.origin + m.first/m.weight
	by := origin - m.origin // what is left of it after rounding
	m.second += by * (by*m.weight - 2*m.first)
	m.first -= by * m.weight
	m.origin, m.centredAt = origin, m.n
}

// mean returns the weighted mean, 0 of nothing.
func (m *moments) mean() float64 {
	if m.n == 0 {
		return 0
	}
	return m.origin + m.first/m.weight
}

// stddev returns the weighted standard deviation of the population, 0 of
// nothing.
func (m *moments) stddev() float64 {
	if m.n == 0 {
		return 0
	}
	off := m.first / m.weight
	return math.Sqrt(max(0, m.second/m.weight-off*off))
}
