package dss

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mpanalyze/internal/seq"
	"mpanalyze/internal/testrun"
)

// scatter gives subflow l data at positions in any order, one byte each, and
// acknowledgments of both levels. It compares the subflow with a flat list.
type scatter struct {
	t       *testing.T
	sp      probe
	l       *SubflowSpace
	used    map[seq.DSN]bool
	flat    []seq.DSN // carried and not settled, ascending
	settled int
	now     int64
}

func (s *scatter) carry(p seq.DSN) {
	if s.used[p] {
		return
	}
	s.used[p] = true
	s.now++
	s.sp.Reset()
	s.sp.give(s.l, seq.SSN(s.now), p, 1, uint64(s.now))
	s.sp.InOrder(s.now)
	if floor, acked := s.sp.SndUna(); !acked || p >= floor {
		i, _ := slices.BinarySearch(s.flat, p)
		s.flat = slices.Insert(s.flat, i, p)
	}
	s.settle(false)
}

func (s *scatter) settle(all bool) {
	s.sp.settleInto(all, func(_ *SubflowSpace, run []Chunk) {
		for i := range run {
			if len(s.flat) == 0 || s.flat[0] != run[i].Data.Start {
				s.t.Fatalf("step %d: chunk %v settled, which is not the first", s.now, run[i].Data)
			}
			s.flat = s.flat[1:]
			s.settled++
		}
	})
}

// check compares the subflow's places with its chunks.
func (s *scatter) check() {
	s.t.Helper()
	chunks := chunksOf(s.l)
	if len(chunks) != len(s.flat) || s.l.chunks.Len() != len(s.flat) {
		s.t.Fatalf("step %d: %d chunks, want %d", s.now, len(chunks), len(s.flat))
	}
	covered := 0
	at := s.l.chunks.First()
	for i := range chunks {
		c := &chunks[i]
		if c.Data.Start != s.flat[i] {
			s.t.Fatalf("step %d: chunk %d is %v, want that of %d", s.now, i, c.Data, s.flat[i])
		}
		if (at < s.l.firstNotDataAcked) != (c.DataAcked != 0) {
			s.t.Fatalf("step %d: chunk %d of %d, DATA_ACKed at %d: the first that is not stands wrong", s.now, i, len(chunks), c.DataAcked)
		}
		if c.DataAcked != 0 {
			covered++
		}
		if (at < s.l.firstNotInOrder) != (c.Data.End <= s.sp.rcvNxt) || at < s.l.firstNotInOrder && c.InOrder == 0 {
			s.t.Fatalf("step %d: chunk %d of %d, in order at %d: the first that is not stands wrong", s.now, i, len(chunks), c.InOrder)
		}
		at = s.l.chunks.Next(at)
	}
	if int(s.l.dataAckedChunks) != covered {
		s.t.Fatalf("step %d: %d chunks counted as DATA_ACKed, want %d", s.now, s.l.dataAckedChunks, covered)
	}
}

// A subflow with hundreds of holes keeps its chunks in order and knows the first incomplete
// one, wherever the next chunk is inserted.
func TestChunksInPages(t *testing.T) {
	const universe = 3000
	for seed := range uint64(max(3, testrun.Cases(12))) {
		r := rand.New(rand.NewPCG(seed, 9))
		s := &scatter{t: t, used: map[seq.DSN]bool{}}
		s.sp.SetIDSN(0)
		s.l = s.sp.NewSubflow(0)
		most, order := 0, r.Perm(universe)
		switch seed % 3 {
		case 1:
			slices.Sort(order)
			slices.Reverse(order)
		case 2: // runs of ten
			slices.SortFunc(order, func(a, b int) int { return (b/10 - a/10) + (a%10-b%10)/10 })
		}
		for i, p := range order {
			s.carry(seq.DSN(1 + p))
			if i%3 != 0 { // the others wait for the subflow's acknowledgment
				s.sp.Acked(s.l, run(seq.SSN(s.now), seq.SSN(s.now+1)), s.now)
			}
			if r.IntN(100) == 0 {
				s.sp.DataAck(max(s.sp.sndUna, 1)+seq.DSN(r.IntN(20)), s.now)
				s.settle(false)
				for p := s.sp.sndUna + 3; p >= s.sp.sndUna && p <= universe; p-- { // below all others
					s.carry(p)
					s.check()
				}
			}
			if i%16 == 0 {
				s.check()
			}
			most = max(most, len(s.flat))
		}
		s.sp.Acked(s.l, run[seq.SSN](1, universe+1), s.now)
		s.sp.SubflowUna(s.l, universe+1)
		s.sp.DataAck(universe+1, s.now)
		s.settle(false)
		s.check()
		if len(s.flat) > 0 || most < universe/2 || s.settled < universe/2 {
			t.Errorf("seed %d: %d chunks at most, %d settled, %d left", seed, most, s.settled, len(s.flat))
		}
	}
}

// The cost of a chunk if there are many holes: only the search may grow with them.
func BenchmarkHoles(b *testing.B) {
	for _, order := range []struct {
		name string
		next func(i int, r *rand.Rand) seq.DSN
	}{
		{"upwards", func(i int, _ *rand.Rand) seq.DSN { return seq.DSN(1 + 2*i) }},
		{"downwards", func(i int, _ *rand.Rand) seq.DSN { return seq.DSN(1<<29 - 2*i) }},
		{"anywhere", func(_ int, r *rand.Rand) seq.DSN { return seq.DSN(1 + r.IntN(1<<29)) }},
	} {
		b.Run(order.name, func(b *testing.B) {
			var sp probe
			sp.SetIDSN(0)
			sub, r := sp.NewSubflow(0), rand.New(rand.NewPCG(1, 1))
			b.ReportAllocs()
			for i := range b.N {
				sp.Reset()
				sp.give(sub, seq.SSN(1+i), order.next(i, r), 1, uint64(i))
				sp.InOrder(int64(i))
				sp.EndPacket()
			}
		})
	}
}
