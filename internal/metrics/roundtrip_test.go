package metrics

import (
	"math/rand/v2"
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/subflow"
)

// TestSamplesWait: samples that wait for one another give what each gives at
// once, whenever somebody asks for the mean.
func TestSamplesWait(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 5))
		d := bare(Config{}).Subs[0].Dir(conn.A)
		var est subflow.Estimator
		var rtt, srtt, rttvar, rto stats.Dist
		waited := uint(0)
		for i := range 3000 {
			v := int64(1e6 + rng.IntN(50e6))
			d.sample(v, int64(i))
			est.Add(v)
			rtt.Add(float64(v) / 1e6)
			srtt.Add(est.SRTT / 1e6)
			rttvar.Add(est.RTTVar / 1e6)
			rto.Add(est.RTO() / 1e6)
			waited = max(waited, d.pending)
			if rng.IntN(20) == 0 {
				if got := *d.estimate(); got != est {
					t.Fatalf("seed %d, sample %d: %+v, want %+v", seed, i, got, est)
				}
			}
		}
		d.close()
		alike(t, "rtt", &d.RTT, &rtt)
		alike(t, "srtt", &d.SRTT, &srtt)
		alike(t, "rttvar", &d.RTTVar, &rttvar)
		alike(t, "rto", &d.RTO, &rto)
		if waited != maxTrips {
			t.Errorf("seed %d: %d samples waited at most, want %d", seed, waited, maxTrips)
		}
	}
}
