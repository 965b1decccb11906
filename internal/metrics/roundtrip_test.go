package metrics

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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

// SRTT, RTTVar and RTO are what the estimator says after each sample, however many there
// are, also where another capture tells of some of them.
func TestSmoothedOfAllSamples(t *testing.T) {
	for _, n := range []int{0, 1, maxTrips, maxUnderived - 1, maxUnderived, maxUnderived + 1, 2000} {
		for _, until := range []int{n, n / 2} { // then another capture tells
			d := bare(Config{}).Subs[0].Dir(conn.A)
			var e subflow.Estimator
			var srtt, rttvar, rto stats.Dist
			for i := range n {
				if i == until {
					d.smooth()
					d.elsewhere = true
				}
				rtt := int64(20e6 + i*i%7*1e5)
				if i == 200 && n == 2000 {
					rtt = 1 << 55 // is not found again in milliseconds
				}
				d.sample(rtt, 0)
				if e.Add(rtt); i < until {
					srtt.Add(e.SRTT / 1e6)
					rttvar.Add(e.RTTVar / 1e6)
					rto.Add(e.RTO() / 1e6)
				}
			}
			d.close()
			for name, x := range map[string][2]*stats.Dist{"SRTT": {&srtt, &d.SRTT}, "RTTVar": {&rttvar, &d.RTTVar}, "RTO": {&rto, &d.RTO}} {
				want, got := x[0].Describe(), x[1].Describe()
				if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-9, 0)); diff != "" || x[1].N() != int64(until) {
					t.Errorf("%s of %d samples, %d of them here (-want +got):\n%s", name, n, until, diff)
				}
			}
		}
	}
}
