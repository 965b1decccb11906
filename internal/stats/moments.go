package stats

import "math"

// moments are the sums that mean and standard deviation need. They are sums of
// distances from an origin near the mean. Sums of the values themselves would lose the
// digits of a small variance of large values.
type moments struct {
	n         int64
	weight    float64
	origin    float64
	first     float64 // of weight * (value - origin)
	second    float64 // of weight * (value - origin)^2
	min, max  float64
	lightest  float64 // least weight, 1 at most
	centredAt int64   // n when the origin was moved to the mean
}

// momentsOf returns the moments of values.
func momentsOf(list []Weighted) moments {
	m := around(list)
	m.sum(list)
	m.centre()
	return m
}

// around returns empty moments with the extremes of values and their mean as the
// origin. The mean is not precise: it is computed with the first value as the origin,
// and that may be far from all others.
func around(list []Weighted) (m moments) {
	if len(list) == 0 {
		return m
	}
	e := list[0]
	m = moments{origin: e.Value, min: e.Value, max: e.Value, lightest: 1}
	var weight, first float64
	for _, e := range list {
		// The built-in min and max are slower, because they also handle NaN, which
		// cannot occur here.
		if e.Value < m.min {
			m.min = e.Value
		}
		if e.Value > m.max {
			m.max = e.Value
		}
		if e.Weight < m.lightest {
			m.lightest = e.Weight
		}
		weight += e.Weight
		first += e.Weight * (e.Value - m.origin)
	}
	m.origin += first / weight
	return m
}

// sum adds values that lie between the extremes.
func (m *moments) sum(list []Weighted) {
	origin, weight, first, second := m.origin, m.weight, m.first, m.second
	for i := range list {
		x, w := list[i].Value-origin, list[i].Weight
		weight += w
		w *= x
		first += w
		second += w * x
	}
	m.n += int64(len(list))
	m.weight, m.first, m.second = weight, first, second
}

// add adds a value.
func (m *moments) add(value, weight float64) {
	m.min, m.max, m.lightest = min(m.min, value), max(m.max, value), min(m.lightest, weight)
	m.sum([]Weighted{{value, weight}})
	m.follow()
}

// follow moves the origin each time that the number of values has doubled, because the
// first ones may not be typical.
func (m *moments) follow() {
	if m.n > 2*m.centredAt {
		m.centre()
	}
}

// centre moves the origin to the mean.
func (m *moments) centre() {
	if m.n == 0 {
		return
	}
	origin := m.origin + m.first/m.weight
	by := origin - m.origin // the distance after rounding
	m.second += by * (by*m.weight - 2*m.first)
	m.first -= by * m.weight
	m.origin, m.centredAt = origin, m.n
}

// mean returns the weighted mean; 0 without values.
func (m *moments) mean() float64 {
	if m.n == 0 {
		return 0
	}
	return m.origin + m.first/m.weight
}

// stddev returns the weighted standard deviation of the population; 0 without values.
func (m *moments) stddev() float64 {
	if m.n == 0 {
		return 0
	}
	off := m.first / m.weight
	return math.Sqrt(max(0, m.second/m.weight-off*off))
}
