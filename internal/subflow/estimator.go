package subflow

import "math"

// Estimator smooths round-trip samples as RFC 6298, Section 2 says. It uses nanoseconds
// and floating point, because a measurement should not be rounded as a timer is.
type Estimator struct {
	SRTT    float64 // ns; valid after the first sample
	RTTVar  float64 // ns
	Samples int64
	Min     int64 // smallest sample, ns
	Last    int64 // latest sample, ns
}

// MinRTO is the least retransmission timeout of Linux less the round trip, ns. RFC 6298 has a second as the
// least timeout.
const MinRTO = 200e6

// RFC 6298, Section 2: the smoothing factors, and the longest timeout of Linux.
const (
	alpha  = 1.0 / 8
	beta   = 1.0 / 4
	maxRTO = 120e9 // ns
)

// Add takes one sample, in nanoseconds.
func (e *Estimator) Add(rtt int64) {
	r := float64(rtt)
	if e.Samples == 0 {
		e.SRTT, e.RTTVar, e.Min = r, r/2, rtt
	} else {
		off := r - e.SRTT
		e.RTTVar += beta * (math.Abs(off) - e.RTTVar)
		e.SRTT += alpha * off
		if rtt < e.Min {
			e.Min = rtt
		}
	}
	e.Samples++
	e.Last = rtt
}

// RTO returns the retransmission timeout that follows from the samples so
// far, in nanoseconds (RFC 6298, Section 2.3, with Linux's lower bound on the
// variance term); 1 s before the first sample (Section 2.1).
func (e *Estimator) RTO() float64 {
	if e.Samples == 0 {
		return 1e9
	}
	// The built-in min and max are slower, because they also handle NaN, which cannot
	// occur here.
	margin := 4 * e.RTTVar
	if margin < MinRTO {
		margin = MinRTO
	}
	if rto := e.SRTT + margin; rto < maxRTO {
		return rto
	}
	return maxRTO
}
