package subflow

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"
)

// RFC 6298, Section 2, on paper:
//
//	R = 100: SRTT = 100, RTTVAR = 50
//	R = 140: RTTVAR = 3/4 * 50 + 1/4 * |100 - 140| = 47.5, SRTT = 7/8 * 100 + 1/8 * 140 = 105
//	R =  65: RTTVAR = 3/4 * 47.5 + 1/4 * |105 - 65| = 45.625, SRTT = 7/8 * 105 + 1/8 * 65 = 100
//	R = 100: RTTVAR = 3/4 * 45.625 = 34.21875, SRTT = 100
//
// and RTO = SRTT + max(200, 4 * RTTVAR), 200 ms being Linux's lower bound.
func TestEstimator(t *testing.T) {
	var e Estimator
	want(t, "RTO before the first sample, ns (Section 2.1)", e.RTO(), 1e9)
	for _, step := range []struct{ sample, srtt, rttvar, rto float64 }{ // ms
		{100, 100, 50, 300},
		{140, 105, 47.5, 305},
		{65, 100, 45.625, 300},
		{100, 100, 34.21875, 300},
	} {
		e.Add(int64(step.sample * 1e6))
		want(t, "SRTT", e.SRTT, step.srtt*1e6)
		want(t, "RTTVAR", e.RTTVar, step.rttvar*1e6)
		want(t, "RTO", e.RTO(), step.rto*1e6)
		want(t, "latest", e.Last, int64(step.sample*1e6))
	}
	want(t, "least", e.Min, 65*ms)
	want(t, "samples", e.Samples, 4)
}

func TestRTOFollowsVariance(t *testing.T) {
	var e Estimator
	e.Add(400 * ms)
	want(t, "RTO = 400 + 4 * 200 ms", e.RTO(), 1200e6)
	e.Add(200_000 * ms) // 4 * (3/4 * 200 + 1/4 * 199600) ms alone are 200.2 s
	want(t, "RTO at its upper bound", e.RTO(), 120e9)
}

// With a steady round trip the smoothed value becomes equal to it, and the variance goes to
// 0.
func TestEstimatorSettles(t *testing.T) {
	var e Estimator
	e.Add(300 * ms)
	for range 200 {
		e.Add(50 * ms)
	}
	// (7/8)^200 of 250 ms and about as much variance are below a nanosecond.
	assert.Check(t, math.Abs(e.SRTT-50e6) <= 1 && e.RTTVar <= 1, "SRTT %v ns, RTTVAR %v ns after 200 samples of 50 ms", e.SRTT, e.RTTVar)
}
