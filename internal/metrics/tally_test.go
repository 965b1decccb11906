package metrics

import (
	"math/rand/v2"
	"testing"

	"mpanalyze/internal/stats"
)

// TestTallies: levels that are kept together give what each of their times gives
// by itself, also those without duration, of more segments than are kept, and
// of as many segments but other octets.
func TestTallies(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 6))
		var q holQueue
		var octets, segments stats.Dist
		q.from = 1
		now, kept := q.from, int64(0)
		for range 400 {
			list := make([]holStep, 1+rng.IntN(200))
			for i := range list {
				n := int64(rng.IntN(900))
				if rng.IntN(50) == 0 {
					n += maxTallies - 450
				}
				s := &list[i]
				*s = holStep{holLevel{1400*n + int64(rng.IntN(8)/7), n}, now + int64(rng.IntN(5))*1000}
				w := 1e-3
				if s.to > now {
					w = float64(s.to - now)
				}
				octets.AddWeighted(float64(s.bytes), w)
				segments.AddWeighted(float64(n), w)
				now = s.to
			}
			q.count(list)
			for i := range q.tallies {
				kept = max(kept, q.tallies[i].times)
			}
		}
		if len(q.tallies) != maxTallies || kept < 5 {
			t.Errorf("seed %d: %d levels are kept, at most %d times", seed, len(q.tallies), kept)
		}
		q.flush()
		alike(t, "octets", &q.Bytes, &octets)
		alike(t, "segments", &q.Segments, &segments)
		for _, p := range []float64{0.1, 0.5, 0.9, 0.99} {
			near(t, "octets", q.Bytes.Quantiles(p)[0], octets.Quantiles(p)[0])
			near(t, "segments", q.Segments.Quantiles(p)[0], segments.Quantiles(p)[0])
		}
	}
}
