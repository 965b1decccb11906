package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mpanalyze/internal/packet"
)

// times returns the times of segments, and whether equal times are in the order of their
// numbers.
func times(segs []packet.Segment) (t []int64, stable bool) {
	stable = true
	for i := range segs {
		t = append(t, segs[i].Time)
		stable = stable && (i == 0 || segs[i].Time > segs[i-1].Time || segs[i].Num > segs[i-1].Num)
	}
	return t, stable
}

func TestInOrder(t *testing.T) {
	const us, ms = 1000, 1_000_000
	for _, c := range []struct {
		name     string
		in, want []int64
	}{
		{"sorted", []int64{1 * us, 2 * us, 2 * us, 5 * us}, []int64{1 * us, 2 * us, 2 * us, 5 * us}},
		{"an answer before its question", []int64{0, 30 * us, 10 * us, 40 * us}, []int64{0, 10 * us, 30 * us, 40 * us}},
		{"behind several", []int64{10 * us, 20 * us, 30 * us, 5 * us}, []int64{5 * us, 10 * us, 20 * us, 30 * us}},
		{"one too new", []int64{0, 50 * ms, 10 * ms, 11 * ms}, []int64{0, 10 * ms, 10 * ms, 11 * ms}},
		{"one too old", []int64{9 * ms, 50 * ms, 8500 * us, 51 * ms}, []int64{9 * ms, 50 * ms, 50 * ms, 51 * ms}},
	} {
		t.Run(c.name, func(t *testing.T) {
			segs := make([]packet.Segment, len(c.in))
			for i, at := range c.in {
				segs[i].Num, segs[i].Time = uint64(i+1), at
			}
			new(timeOrder).sort(segs, 0)
			if got, stable := times(segs); !slices.Equal(got, c.want) || !stable {
				t.Errorf("%v became %v, equal times in order: %t; want %v", c.in, got, stable, c.want)
			}
		})
	}
}

// TestInOrderByStrides sorts segments that come a few at a time, out of order by at most
// ten places and 100 us.
func TestInOrderByStrides(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	segs := make([]packet.Segment, 2000)
	for i := range segs {
		segs[i].Num, segs[i].Time = uint64(i+1), int64(i)*10_000+r.Int64N(100_000)
	}
	for begun := 0; begun < len(segs); begun += 16 {
		new(timeOrder).sort(segs[:min(begun+16, len(segs))], begun)
	}
	if got, _ := times(segs); !slices.IsSorted(got) {
		t.Error("not sorted")
	}
}

// TestInOrderIsBounded: sorting a hostile file is cheap. Each of a thousand segments is
// earlier than all before it, by a nanosecond.
func TestInOrderIsBounded(t *testing.T) {
	segs := make([]packet.Segment, 1000)
	for i := range segs {
		segs[i].Num, segs[i].Time = uint64(i+1), int64(len(segs)-i)
	}
	new(timeOrder).sort(segs, 0)
	for i := range segs {
		if by := int(segs[i].Num) - 1 - i; by > maxOvertake {
			t.Fatalf("segment %d overtook %d others, more than %d", segs[i].Num, by, maxOvertake)
		}
	}
}

// TestInOrderOverBatches sorts across the ends of batches, payload included,
// also where a batch is full of payload after a few segments.
func TestInOrderOverBatches(t *testing.T) {
	for _, size := range []int{10, 64, 300} {
		r := rand.New(rand.NewPCG(5, uint64(size)))
		var held batchTail
		var got []int64
		b := newBatch(batchSize)
		hand := func() {
			for _, s := range b.segs[:b.n] {
				got = append(got, s.Time)
				if want := byte(s.Num); len(s.Payload) != int(s.Num%3) || len(s.Payload) > 0 && s.Payload[0] != want {
					t.Fatalf("segment %d has payload %v", s.Num, s.Payload)
				}
			}
		}
		for num := uint64(1); num <= 3000; {
			b.n, b.ordered, b.payload = 0, 0, b.payload[:0]
			held.prependTo(b)
			begun := b.n
			for range size {
				s := &b.segs[b.n]
				*s = packet.Segment{Num: num, Time: int64(num)*10_000 + r.Int64N(100_000)}
				s.Payload = []byte{byte(num), byte(num)}[:num%3]
				b.n++
				num++
			}
			new(timeOrder).sort(b.segs[:b.n], begun)
			b.ordered = b.n
			held.cut(b)
			hand()
		}
		b.n, b.ordered, b.payload = 0, 0, b.payload[:0]
		held.prependTo(b)
		hand()
		if len(got) < 3000 || !slices.IsSorted(got) {
			t.Errorf("batches of %d: %d segments, sorted: %t", size, len(got), slices.IsSorted(got))
		}
	}
}

// TestUnsettledWait: segments whose times are not decided yet move to the next batch
// completely, and are undecided there.
func TestUnsettledWait(t *testing.T) {
	var held batchTail
	b := newBatch(batchSize)
	for i := range 300 {
		b.segs[i] = packet.Segment{Num: uint64(i + 1), Time: int64(i) * 1e6}
	}
	b.n, b.ordered = 300, 200
	held.cut(b)
	if b.n != 198 { // the last decided segment, and one that is a millisecond before it, may still be overtaken
		t.Errorf("%d segments are passed on", b.n)
	}
	passed := b.n
	held.prependTo(b)
	if b.n != 300-passed || b.ordered != 200-passed || b.segs[b.ordered].Num != 201 {
		t.Errorf("%d segments, %d settled, the first that is not is %d", b.n, b.ordered, b.segs[b.ordered].Num)
	}
}
