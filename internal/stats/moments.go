package stats

import "math"

// moments are the sums behind mean and standard deviation. They are kept as
// mean and squared deviations from it, and not as sums of powers, in which the
// digits of a small variance of large values would cancel.
type moments struct {
	n         int64
	weight    float64
	mean, low float64 // their sum is the mean; low holds the digits that mean has no room for
	sq        float64 // of weight * (value - mean)^2
	min, max  float64
	lightest  float64 // least weight
}

// merge takes a batch: two passes over it, and then the pairwise update of
// Chan, Golub and LeVeque (1979) for the union of two samples.
func (m *moments) merge(batch []weighted) {
	if len(batch) == 0 {
		return
	}
	b := ofBatch(batch)
	if m.n == 0 {
		*m = b
		return
	}
	total := m.weight + b.weight
	delta := b.mean - m.mean + (b.low - m.low)
	m.shift(delta * (b.weight / total))
	m.sq += b.sq + delta*delta*m.weight*(b.weight/total)
	m.n += b.n
	m.weight = total
	m.min, m.max = min(m.min, b.min), max(m.max, b.max)
	m.lightest = min(m.lightest, b.lightest)
}

// stddev returns the standard deviation of the population, 0 of no values.
func (m *moments) stddev() float64 {
	if m.n == 0 {
		return 0
	}
	return math.Sqrt(m.sq / m.weight)
}

// shift moves the mean, without loss: Knuth's two-sum gives what the rounding
// of an addition takes.
func (m *moments) shift(by float64) {
	sum := m.mean + by
	part := sum - m.mean
	m.low += (m.mean - (sum - part)) + (by - part)
	m.mean = sum
}

// ofBatch returns the moments of a batch, which is not empty. The sums are
// variables of their own so that they stay in registers; the built-in min and
// max would care for NaN, which cannot be here, at a cost.
func ofBatch(batch []weighted) moments {
	first := batch[0].value
	low, high, lightest := first, first, batch[0].weight
	weight, sum := 0.0, 0.0
	for _, e := range batch {
		weight += e.weight
		sum += e.weight * (e.value - first)
		if e.value < low {
			low = e.value
		}
		if e.value > high {
			high = e.value
		}
		if e.weight < lightest {
			lightest = e.weight
		}
	}
	mean := first + sum/weight
	sq, rest := 0.0, 0.0
	for _, e := range batch {
		x := e.value - mean
		rest += e.weight * x
		sq += e.weight * x * x
	}
	rest /= weight // what rounding left in the mean
	return moments{
		n: int64(len(batch)), weight: weight, mean: mean, low: rest, sq: max(0, sq-rest*rest*weight),
		min: low, max: high, lightest: lightest,
	}
}
