package conn

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/tracegen"
)

// busy describes connections that begin one after another and stay open.
type busy struct {
	n, subflows, data int           // connections, subflows of each, packets with data of each
	every             time.Duration // between the beginnings of two
	start             time.Duration
}

// packets returns the packets of the connections from the first-th on. Each has hosts of its
// own.
func (b busy) packets(t *testing.T, first int) (all []packet.Segment) {
	for i := first; i < first+b.n; i++ {
		s, f, at := opened(tracegen.Config{Version: 1, Keys: [2]uint64{uint64(i) + 1, uint64(i) + 1<<32}})
		paths := []*tracegen.Subflow{f}
		for len(paths) < b.subflows {
			f, at = joined(s, len(paths), at)
			paths = append(paths, f)
		}
		for k := range b.data {
			at += ms
			paths[k%len(paths)].Data(a2b, at, int64(100*k), 100)
		}
		start := b.start + time.Duration(i-first)*b.every
		for _, p := range segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw) {
			p.Time += int64(start)
			p.SetPayload(nil)
			for _, e := range []*packet.Endpoint{&p.Src, &p.Dst} {
				e.Addr[12], e.Addr[14] = byte(11+i>>8), byte(i)
			}
			all = append(all, p)
		}
	}
	return all
}

// TestStateIsBounded: whatever connections do, together they never take more than three
// quarters of what they may take, and an eighth of that more, and one that begins, and what
// one batch adds. They take at least half of it: no more are closed than must be.
func TestStateIsBounded(t *testing.T) {
	const limit = 4 << 20
	const most = limit * 3 / 4 * 9 / 8
	patterns := map[string][]busy{
		"one is quiet, then many have data":  {{n: 1, subflows: 1, data: 3000}, {n: 1500, subflows: 1, data: 30, every: ms / 10, start: 4 * time.Second}},
		"many are quiet, then few have data": {{n: 250, subflows: 1, every: ms}, {n: 12, subflows: 1, data: 1100, every: ms, start: time.Second}},
		"all have data":                      {{n: 300, subflows: 2, data: 200, every: ms}},
		"many subflows":                      {{n: 60, subflows: 24, data: 48, every: 5 * ms}},
		"one after another":                  {{n: 1000, subflows: 1, data: 40, every: 100 * ms}},
	}
	feeds := map[string]func(*Table, []packet.Segment){
		"one by one":    func(table *Table, segs []packet.Segment) { table.Segment(&segs[0]) },
		"in batches":    func(table *Table, segs []packet.Segment) { table.Segments(segs, segs[len(segs)-1].Time) },
		"by connection": func(table *Table, segs []packet.Segment) { table.SegmentsByConn(segs) },
	}
	for name, pattern := range patterns {
		var all []packet.Segment
		for i := range pattern {
			all = append(all, pattern[i].packets(t, 2000*i)...)
		}
		slices.SortStableFunc(all, func(a, b packet.Segment) int { return cmp.Compare(a.Time, b.Time) })
		for how, feed := range feeds {
			t.Run(name+", "+how, func(t *testing.T) {
				size := 256
				if how == "one by one" {
					size = 1
				}
				most := most + connState + subflowState + int64(size)*packetState
				table, highest := NewTable(Options{MaxState: limit}, giver{}), int64(0)
				for at, n := 0, 0; at < len(all); at, n = at+size, n+1 {
					if feed(table, all[at:min(at+size, len(all))]); size == 1 && n%16 > 0 {
						continue
					}
					sum := int64(0)
					for c := range table.open.all() {
						if c.aside == notAside { // others have a bound of their own
							sum += c.Memory()
						}
					}
					highest = max(highest, sum)
				}
				assert.Check(t, highest <= most && highest >= most/2, "%d bytes at most, want %d to %d", highest, most/2, most)
				if !slices.ContainsFunc(table.Warnings.List(), func(w Warning) bool { return w.Code == "evicted_for_memory" }) {
					t.Error("no connection was closed early for its memory")
				}
				if table.Finish(); table.state != 0 {
					t.Errorf("%d bytes are counted when all connections have ended", table.state)
				}
			})
		}
	}
}
