package metrics

import (
	"math/rand/v2"
	"time"

	"mpanalyze/internal/tracegen"
)

// traffic is a session over two paths in random turns: sequences of equal segments with
// short ones between, data that comes late, copies on either path, pauses, and windows of
// any size.
func traffic(seed uint64) *tracegen.Session {
	r := rand.New(rand.NewPCG(seed, 7))
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	paths := [2]*tracegen.Subflow{fast, slow}
	at, next := 1000*msec, int64(0)
	var gaps []int64
	for range 80 {
		f := paths[r.IntN(2)]
		size := 100 * (1 + r.IntN(3))
		count := 1 + r.IntN(12)
		from := next
		switch kind := r.IntN(6); {
		case kind == 0: // leave a gap
			gaps = append(gaps, next)
			from = next + 1200
		case kind == 1 && len(gaps) > 0: // fill one, or a part of it
			from, size, count = gaps[0], 100, 1+r.IntN(12)
			gaps = gaps[1:]
		case kind == 2 && next > 0: // a copy
			from, count = max(0, next-int64(size*(1+r.IntN(4)))), 1
		}
		for range count {
			at += time.Duration(r.IntN(4)) * msec
			x := f.Data(tracegen.A2B, at, from, size)
			if r.IntN(20) == 0 {
				x.Again(at + 40*msec)
			}
			from += int64(size)
		}
		next = max(next, from)
		if r.IntN(3) == 0 {
			offer(f.Ack(tracegen.B2A, at+time.Duration(r.IntN(30))*msec), []int{0, 512, 70 << 10, 100 << 10}[r.IntN(4)])
		}
		if r.IntN(10) == 0 {
			at += time.Duration(r.IntN(400)) * msec
		}
	}
	return s
}
