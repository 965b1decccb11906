package metrics

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/subflow"
)

// SRTT, RTTVar and RTO are those of the estimator after each sample, however many samples
// there are.
func TestSmoothedOfAllSamples(t *testing.T) {
	for _, n := range []int{0, 1, 32, maxUnderived - 1, maxUnderived, maxUnderived + 1, 2000} {
		m := bare(Config{})
		d := m.Subs[0].Dir(conn.A)
		var e subflow.Estimator
		var srtt, rttvar, rto stats.Dist
		for i := range n {
			rtt := int64(20e6 + i*i%7*1e5)
			if i == 200 && n == 2000 {
				rtt = 1 << 55 // milliseconds do not have its exact value
			}
			d.sample(rtt, 0)
			e.Add(rtt)
			srtt.Add(e.SRTT / 1e6)
			rttvar.Add(e.RTTVar / 1e6)
			rto.Add(e.RTO() / 1e6)
		}
		assert.Check(t, d.est == e, "after %d samples the estimator is %+v, want %+v", n, d.est, e)
		m.dirs[conn.A].close(0)
		for name, x := range map[string][2]*stats.Dist{"SRTT": {&srtt, &d.SRTT}, "RTTVar": {&rttvar, &d.RTTVar}, "RTO": {&rto, &d.RTO}} {
			want, got := x[0].Describe(), x[1].Describe()
			if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-9, 0)); diff != "" || x[1].N() != int64(n) {
				t.Errorf("%s of %d samples (-want +got):\n%s", name, n, diff)
			}
		}
	}
}
