package tcptrace

import "math"

// moments collects times in us as tcptrace does. The next sample replaces a minimum of 0.
type moments struct {
	n         int64
	min, max  float64
	sum, sum2 float64
}

func (m *moments) add(v float64) {
	if m.min == 0 || v < m.min {
		m.min = v
	}
	m.max = max(m.max, v)
	m.sum += v
	m.sum2 += v * v
	m.n++
}

// avg returns the mean. Like tcptrace, it adds 0.0001 to the number of samples, so that the mean
// is 0 without samples.
func (m *moments) avg() float64 { return m.sum / (float64(m.n) + .0001) }

// stdev returns the standard deviation, 0 for fewer than three samples.
func (m *moments) stdev() float64 {
	if m.n <= 2 {
		return 0
	}
	v := (m.sum2 - m.sum*m.sum/float64(m.n)) / float64(m.n-1)
	return math.Sqrt(max(0, v))
}
