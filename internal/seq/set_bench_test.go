package seq

import (
	"testing"

	"gotest.tools/v3/assert"
)

const mss = 1448

// shapes are what streams of segments look like to a set; each gives the i-th range.
var shapes = []struct {
	name string
	at   func(i int) ssnRange
}{
	{"in order", segmentAt},
	{"small gaps", func(i int) ssnRange { // two of eight segments change places
		switch i % 8 {
		case 3:
			return segmentAt(i + 3)
		case 6:
			return segmentAt(i - 3)
		}
		return segmentAt(i)
	}},
	{"reversed", func(i int) ssnRange { // blocks of 32 that arrive last segment first
		return segmentAt(i - i%32 + 31 - i%32)
	}},
	{"duplicates", func(i int) ssnRange { return segmentAt(i / 2) }},
	{"every other segment", func(i int) ssnRange { return segmentAt(2 * i) }}, // a hole each
}

func segmentAt(i int) ssnRange {
	return ssnRange{SSN(i) * mss, SSN(i+1) * mss}
}

// window is how many segments a tracker keeps before it forgets them.
const window = 64

// play adds the i-th range of a shape and forgets what is a window behind.
func play(s *Set[SSN], at func(int) ssnRange, i int) int64 {
	r := at(i)
	added := s.Add(r)
	if i%window == 0 {
		s.DropBelow(r.Start - window*mss)
	}
	return added
}

func TestSetAllocatesNothing(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			var s Set[SSN]
			i := 0
			for ; i < 10*window; i++ { // to the set's final capacity
				play(&s, shape.at, i)
			}
			n := testing.AllocsPerRun(10*window, func() { play(&s, shape.at, i); i++ })
			assert.Check(t, n == 0, "%v allocations for an Add, want 0", n)
		})
	}
}

// BenchmarkSetFarInsert is a retransmission into the oldest of many holes.
func BenchmarkSetFarInsert(b *testing.B) {
	var s Set[SSN]
	for i := range 1000 {
		s.Add(segmentAt(2 * i))
	}
	hole := segmentAt(1)
	b.ReportAllocs()
	for b.Loop() {
		s.Add(hole)
		s.Remove(hole)
	}
}
