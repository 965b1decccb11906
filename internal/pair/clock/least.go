package clock

import "slices"

// nBins is how many spans of time a [minBins] has. When all are used, their
// width doubles.
const nBins = 128

// firstWidth is the width of the bins at the beginning, ns.
const firstWidth = 10e6

// minBins holds the least delay of each span of time.
type minBins struct {
	bins  [nBins]bin
	width int64 // ns; 0 before the first delay
}

// bin is the least delay of one span of time.
type bin struct {
	time  int64 // since the origin, by the sender's clock, ns
	delay int64 // ns
	ok    bool
}

func (m *minBins) add(time, delay int64) {
	m.width = max(m.width, firstWidth)
	for time/m.width >= nBins {
		m.widen()
	}
	if b := &m.bins[time/m.width]; !b.ok || delay < b.delay {
		*b = bin{time, delay, true}
	}
}

// widen doubles the width of the bins.
func (m *minBins) widen() {
	for i := range nBins / 2 {
		x, y := m.bins[2*i], m.bins[2*i+1]
		if !x.ok || y.ok && y.delay < x.delay {
			x = y
		}
		m.bins[i] = x
	}
	clear(m.bins[nBins/2:])
	m.width *= 2
}

// maxReadings bounds the readings of a [minFilter].
const maxReadings = 1024

// reading is a delay at a time, both ns.
type reading struct{ time, delay int64 }

// minFilter holds the least delay of each group of packets, in order. The
// groups have equally many packets and not equal lengths of time, so that the
// least delays can be compared: the least delay of few packets is higher than
// that of many.
type minFilter struct {
	readings []reading // bounded by maxReadings
	every    int       // packets per reading; a power of two
	n        int       // packets in the last reading
	least    int64     // delay of the last reading
}

func (m *minFilter) add(time, delay int64) {
	if m.n < m.every && delay >= m.least {
		m.n++ // the usual case
		return
	}
	m.enter(time, delay)
}

// enter takes a delay that lowers the last reading, or begins the next one.
func (m *minFilter) enter(time, delay int64) {
	m.least = delay
	if m.n < m.every {
		m.n++
		m.readings[len(m.readings)-1] = reading{time, delay}
		return
	}
	if len(m.readings) >= maxReadings {
		m.halve()
	}
	m.readings = append(m.readings, reading{time, delay})
	m.every = max(m.every, 1)
	m.n = 1
}

// halve merges every two readings into one.
func (m *minFilter) halve() {
	half := m.readings[:0]
	for i := 0; i+1 < len(m.readings); i += 2 {
		x := m.readings[i]
		if y := m.readings[i+1]; y.delay < x.delay {
			x = y
		}
		half = append(half, x)
	}
	m.readings = half
	m.every *= 2
}

// spacing samples how long a path takes to transmit the payload of a full-sized
// packet.
type spacing struct {
	list   []int64 // ns; bounded by maxSpacings
	n      int64
	stride int64 // every stride-th value is kept
}

const (
	maxSpacings    = 256
	enoughSpacings = 16
)

func (s *spacing) add(ns int64) {
	s.stride = max(s.stride, 1)
	if s.n++; s.n%s.stride != 0 {
		return
	}
	if len(s.list) >= maxSpacings {
		n := 0
		for i := 1; i < len(s.list); i += 2 {
			s.list[n] = s.list[i]
			n++
		}
		s.list, s.stride = s.list[:n], 2*s.stride
	}
	s.list = append(s.list, ns)
}

// median returns the median in ms, if there are enough values.
func (s *spacing) median() (float64, bool) {
	if len(s.list) < enoughSpacings {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(s.list))
	return ms(sorted[len(sorted)/2]), true
}

// ms converts nanoseconds.
func ms(ns int64) float64 { return float64(ns) / 1e6 }

func abs(v int64) int64 { return max(v, -v) }
