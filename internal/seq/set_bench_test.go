package seq

import (
	"testing"

	"gotest.tools/v3/assert"
)

const mss = 1448

// shapes are what streams of segments look like to a set; each gives the i-th
// range. None lets the set grow for ever: the first n ranges are enough.
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
			if n := testing.AllocsPerRun(10*window, func() { play(&s, shape.at, i); i++ }); n != 0 {
				t.Errorf("%v allocations for an Add, want 0", n)
			}
		})
	}
}

// TestSetShapes shows that the benchmark measures what it says: how many of
// the bytes are new, and into how many ranges they fall.
func TestSetShapes(t *testing.T) {
	const n = 32 * window
	for name, want := range map[string]struct {
		added  int64
		ranges int
	}{
		"in order":            {n * mss, 1},
		"small gaps":          {n * mss, 1},
		"reversed":            {n * mss, 1},
		"duplicates":          {n * mss / 2, 1},
		"every other segment": {n * mss, n},
	} {
		for _, shape := range shapes {
			if shape.name != name {
				continue
			}
			var s Set[SSN]
			var added int64
			for i := range n {
				added += s.Add(shape.at(i))
			}
			assert.Check(t, added == want.added && s.Len() == want.ranges, "%s: %d bytes new in %d ranges, want %d in %d", name, added, s.Len(), want.added, want.ranges)
		}
	}
}

func BenchmarkSetAdd(b *testing.B) {
	for _, shape := range shapes {
		b.Run(shape.name, func(b *testing.B) {
			var s Set[SSN]
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				play(&s, shape.at, i)
				i++
			}
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
