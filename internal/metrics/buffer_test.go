package metrics

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/conn/conntest"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// holdsAre compares what a buffer reports with what it held.
func holdsAre(t *testing.T, b *buffer, holds []int) {
	t.Helper()
	var counts [bins]int64
	sum := 0
	for _, n := range holds {
		k := 0
		for n>>k > 0 {
			k++
		}
		counts[k]++
		sum += n
	}
	dist(t, "chunks", b.Chunks.Dist(), int64(len(holds)), float64(sum)/float64(len(holds)), float64(slices.Min(holds)), float64(slices.Max(holds)))
	if d := cmp.Diff(counts[:], b.Counts); d != "" {
		t.Error("counts:", d)
	}
}

// TestReorderBufferAtRandom compares ranges of chunks in random order with a set of what
// has arrived.
func TestReorderBufferAtRandom(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 5236))
		const size, all = 10, 400
		var b buffer
		var holds []int
		arrived, first := make([]bool, all+1), 0 // first that is missing
		var runs [][2]int
		for at := 0; at < all; {
			n := min(1+r.IntN(6), all-at)
			runs = append(runs, [2]int{at, n})
			at += n
		}
		for i := range runs { // mostly in order, like data over two paths
			j := min(i+r.IntN(40), len(runs)-1)
			runs[i], runs[j] = runs[j], runs[i]
		}
		stored := 0
		for _, run := range runs {
			for k := range run[1] {
				arrived[run[0]+k] = true
				stored++
				for arrived[first] {
					first++
					stored--
				}
				holds = append(holds, stored)
				start := seq.DSN(1 + size*(run[0]+k))
				b.add(seq.Range[seq.DSN]{Start: start, End: start + size}, true)
			}
			if b.stored != int64(stored) || b.rcvNxt() != seq.DSN(1+size*first) {
				t.Fatalf("seed %d: %d chunks above %d, want %d above %d", seed, b.stored, b.rcvNxt(), stored, 1+size*first)
			}
		}
		b.close(int64(len(holds)))
		holdsAre(t, &b, holds)
	}
}

// TestReorderBufferForgets: the number of gaps is bounded. At the bound the lowest one
// counts as one that will not be filled. Each arrival leaves a gap of 10 bytes.
func TestReorderBufferForgets(t *testing.T) {
	var b buffer
	for i := range seq.DSN(maxDiscontinuities + 5) {
		b.add(seq.Range[seq.DSN]{Start: 11 + 20*i, End: 21 + 20*i}, true)
	}
	if n := b.spans.Len(); n != maxDiscontinuities || b.stored != maxDiscontinuities {
		t.Errorf("%d chunks in %d pieces, want %d", b.stored, n, maxDiscontinuities)
	}
	if want := seq.DSN(20*5 + 1); b.rcvNxt() != want { // the end of the fifth arrival
		t.Errorf("missing from %d on, want %d", b.rcvNxt(), want)
	}
}

// TestReorderBufferUnseen: the capture missed the second of eight chunks of 100 bytes,
// which arrived. All but the first are sent 20 ms apart and take 10 ms. A DATA_ACK at 351
// ms, after the third chunk, proves the arrival. The receiver's capture has it before the
// fourth chunk, which arrives at 370 ms; the sender's has it after that chunk, which was
// sent at 360 ms. From there on nothing waits.
func TestReorderBufferUnseen(t *testing.T) {
	for at, holds := range map[tracegen.View][]int{
		tracegen.HostA: {0, 1, 2, 0, 0, 0, 0},
		tracegen.HostB: {0, 1, 0, 0, 0, 0, 0},
	} {
		s, f := onePath(tracegen.Config{Version: 1})
		f.Data(tracegen.A2B, 100*msec, 0, 100) // in a cell of its own
		for k := int64(1); k < 8; k++ {
			f.Data(tracegen.A2B, time.Duration(300+20*k)*msec, 100*k, 100)
		}
		f.Ack(tracegen.B2A, 351*msec)
		missed := 0
		for i, p := range s.Packets(at) {
			if len(p.Payload) > 0 {
				if missed++; missed == 2 {
					missed = i + 1
					break
				}
			}
		}
		var m *Connection
		conntest.Play(t, s, at, NewCollector(Config{Interval: 100 * msec}, func(c *Connection) { m = c }), missed)
		holdsAre(t, &m.Dir(conn.A).Order().Buffer, holds)
	}
}

// TestReorderBufferSkip: of chunks 1 3 4 2 5 the first two arrive in the time that is left
// out. The buffer does not show 3, but 3 is not missing either.
func TestReorderBufferSkip(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	for i, k := range []int{1, 3, 4, 2, 5} {
		f.Data(tracegen.A2B, time.Duration(100+i)*msec, int64(100*(k-1)), 100)
	}
	m := measure(t, s, tracegen.HostB, Config{Interval: 100 * msec, Skip: 1500 * time.Microsecond})
	holdsAre(t, &m.Dir(conn.A).Order().Buffer, []int{1, 0, 0})
}
