package report

// CwndDecisions is what the throughput-based congestion control of Taleb, Ito
// and Kato (QoE24, eq. 2) would have done, once per round of one SRTT, from the
// second round of congestion avoidance on.
type CwndDecisions struct {
	// Rounds after which it would have made the window smaller: the throughput estimate lay above the mean of those before it by more than gamma.
	Decrease int64 `json:"decrease"`
	// Rounds after which it would have made the window larger: the estimate lay below that mean by more than gamma.
	Increase int64 `json:"increase"`
	// Rounds after which it would have left the window alone.
	Hold int64 `json:"hold"`
	// The windows that it would have set, in MSS units.
	NextMSS *Stat `json:"next_mss"`
	// MSS units that a decrease takes away.
	Alpha float64 `json:"alpha"`
	// MSS units that an increase adds.
	Beta float64 `json:"beta"`
	// Tolerance around the mean, as a part of it.
	Gamma float64 `json:"gamma"`
	// What it rests on: "inferred", as the window is.
	Evidence Evidence `json:"evidence"`
}
