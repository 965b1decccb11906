package report

// Stat summarises the values of one metric. Percentiles are of type 7 (linear
// interpolation between order statistics), the standard deviation is that of a
// population.
type Stat struct {
	// Mean.
	Avg float64 `json:"avg"`
	// Smallest value.
	Min float64 `json:"min"`
	// Largest value.
	Max float64 `json:"max"`
	// Median.
	P50 float64 `json:"p50"`
	// 95th percentile.
	P95 float64 `json:"p95"`
	// 99th percentile.
	P99 float64 `json:"p99"`
	// Standard deviation of the population of values.
	Stddev float64 `json:"stddev"`
	// Number of values.
	Samples int64 `json:"samples"`
	// What the values rest on.
	Evidence Evidence `json:"evidence"`
}

// SpreadStat is a [Stat] with the measures of fluctuation that congestion
// control studies use.
type SpreadStat struct {
	Stat
	// Square of the standard deviation.
	Variance float64 `json:"variance"`
	// Standard deviation / mean.
	COV *float64 `json:"cov"`
}

// SRTTStat is the [SpreadStat] of smoothed round-trip times, over the samples,
// and beside it their mean over time, as tables of delays have it.
type SRTTStat struct {
	SpreadStat
	// Mean of the SRTT at the end of each cell of the sampling grid, over the cells of protocol_delay_ms.
	CellMean *float64 `json:"cell_mean"`
}

// RateStat summarises a rate. The average is that of the whole active time,
// first to last data byte; everything else is over the whole cells of the
// sampling grid, and absent where the data covers none. The extremes are also
// absent where the average lies beyond them.
type RateStat struct {
	// Bytes over active time.
	Avg float64 `json:"avg"`
	// Smallest cell.
	Min *float64 `json:"min"`
	// Largest cell.
	Max *float64 `json:"max"`
	// Median of the cells.
	P50 *float64 `json:"p50"`
	// 95th percentile of the cells.
	P95 *float64 `json:"p95"`
	// 99th percentile of the cells.
	P99 *float64 `json:"p99"`
	// Standard deviation of the population of cells.
	Stddev *float64 `json:"stddev"`
	// Mean of the cells.
	CellMean *float64 `json:"cell_mean"`
	// Variance of the cells, in the square of the unit.
	Variance *float64 `json:"variance"`
	// Standard deviation / mean of the cells.
	COV *float64 `json:"cov"`
	// Number of whole cells.
	Samples int64 `json:"samples"`
	// What the values rest on.
	Evidence Evidence `json:"evidence"`
}

// WaitStat is a [Stat] of waiting times that cannot be negative.
type WaitStat struct {
	Stat
	// Chunks whose DATA_ACK arrived before the subflow's own ACK and whose wait therefore counts as 0.
	Clipped int64 `json:"clipped"`
}

// DeliveryStat is a [Stat] of end-to-end delays.
type DeliveryStat struct {
	Stat
	// Bytes left out: the sender's capture missed their first transmission and shows only copies that left too late to be what arrived first.
	Unmatched int64 `json:"unmatched_bytes"`
}

// OffsetStat is a [Stat] of signed offsets.
type OffsetStat struct {
	Stat
	// Largest absolute value.
	Peak float64 `json:"peak"`
	// Share of chunks that do not continue the one before, percent.
	Discontinuous float64 `json:"discontinuous_percent"`
}

// Drops is the loss on one subflow in one direction. Segments are MSS units.
type Drops struct {
	// Segments dropped, those before the capture point included.
	Count int64 `json:"count"`
	// Those of them that the sending host dropped before they came to the capture point (queueing discipline, netem, policer):
	// a copy fills a gap and no first copy was captured. A lower bound; sender's capture only.
	BeforeCapture *int64 `json:"before_capture"`
	// Segments of which it is not known whether they arrived: never acknowledged when the subflow ended.
	Unresolved int64 `json:"unresolved"`
	// Dropped / sent segments, percent; sent are those captured and those dropped before the capture point.
	Percent *float64 `json:"percent"`
	// Segments dropped per second of active time.
	PerS *float64 `json:"per_s"`
	// What the count rests on: "inferred" is retransmitted copies less reported duplicates, "holes" a lower bound, "matched" exact.
	Evidence Evidence `json:"evidence"`
}

// Retransmissions counts the segments (MSS units) that were sent again, by cause. It
// covers segments whose first copy was captured (retransmitted_segments) and segments
// that fill a gap (hole_fills).
type Retransmissions struct {
	// After duplicate ACKs or SACK (RFC 5681, Section 3.2; RFC 6675).
	Fast int64 `json:"fast"`
	// After the retransmission timer (RFC 6298).
	Timeout int64 `json:"timeout"`
	// Probes of the tail (RFC 8985, Section 7).
	TailProbe int64 `json:"tail_probe"`
	// Whatever the cause: not needed, as DSACK (RFC 3708), Eifel (RFC 3522) or an ACK too early to be for the copy shows.
	Spurious int64 `json:"spurious"`
	// Nothing in the capture explains them.
	Unknown int64 `json:"unknown"`
}

// OutOfOrder is reordering over data sequence numbers as RFC 4737 measures it,
// duplicates left out.
type OutOfOrder struct {
	// Chunks that arrived below the next expected data sequence number (RFC 4737, Section 3).
	Chunks int64 `json:"chunks"`
	// These chunks / all chunks that arrived first (RFC 4737, Section 4.1), 0 to 1.
	Ratio float64 `json:"ratio"`
	// Chunks between a late one and the earliest that overtook it (RFC 4737, Section 4.2.2).
	ExtentChunks *Stat `json:"extent_chunks"`
	// Bytes in front of a late chunk that had to be stored (RFC 4737, Section 4.4).
	ExtentBytes *Stat `json:"extent_bytes"`
	// Lateness: time since the earliest chunk that overtook it (RFC 4737, Section 4.3), ms.
	ExtentMS *Stat `json:"extent_ms"`
	// Share of chunks that are n-reordered, percent, for n = 1, 2, 3 ... up to the largest n, 1024 at most (RFC 4737, Section 5.3).
	NReordering List[float64] `json:"n_reordering_percent"`
	// Largest n for which a chunk is n-reordered, also beyond 1024; 0 where none is.
	MaxNReordering int64 `json:"n_reordering_max"`
	// Chunks in the reorder buffer, above data that is missing, after each chunk that arrived first (RFC 5236, Section 5).
	BufferChunks *Stat `json:"buffer_chunks"`
	// Density of that occupancy, percent of these looks: an empty buffer, then 1, 2 to 3, 4 to 7, 8 to 15 chunks ...
	BufferDensity List[float64] `json:"buffer_density_percent"`
	// What the order is that of: "observed" at the receiver, "send_order" of the scheduler at the sender.
	Evidence Evidence `json:"evidence"`
}

// ReinjectionWorth says how useful reinjected bytes were.
type ReinjectionWorth struct {
	// Reinjected bytes that arrived before the original; of one capture by estimate.
	FirstBytes int64 `json:"first_bytes"`
	// Reinjected bytes that came after the original.
	WastedBytes int64 `json:"wasted_bytes"`
	// Reinjected bytes whose original was never acknowledged on its subflow, so that one capture does not tell whether it arrived.
	UndecidedBytes int64 `json:"undecided_bytes"`
	// Time by which the first copy arrived before the second, ms, of data of which neither had arrived when the second left and both arrived later; two captures only.
	Lead *Stat `json:"lead_ms"`
	// What the verdicts rest on.
	Evidence Evidence `json:"evidence"`
}

// Bursts are runs of consecutive data sequence numbers on one subflow.
type Bursts struct {
	// Number of runs.
	Count int64 `json:"count"`
	// Bytes of a run.
	Bytes *Stat `json:"bytes"`
	// First to last chunk of a run, ms.
	DurationMS *Stat `json:"duration_ms"`
}

// PathShare is what one path, with one or more subflows, carried for one direction of a
// connection.
type PathShare struct {
	// Label of the path.
	Path string `json:"path"`
	// Ids of its subflows.
	Subflows List[int] `json:"subflows"`
	// Mapped payload bytes that were captured on it.
	Bytes *int64 `json:"bytes"`
	// Data bytes that it was the first to carry.
	FirstBytes *int64 `json:"first_bytes"`
	// The same as a part of all data bytes, percent.
	Percent *float64 `json:"share_percent"`
	// Bytes retransmitted on it.
	RetransmittedBytes int64 `json:"retransmitted_bytes"`
	// Bytes reinjected onto it.
	ReinjectedBytes *int64 `json:"reinjected_bytes"`
}

// Handover is the gap between the last progress on a path that died and the first
// progress on another path.
type Handover struct {
	// Subflow that died.
	From int `json:"from"`
	// Subflow that continued.
	To int `json:"to"`
	// Last progress on the one, seconds since the connection's start.
	TS float64 `json:"t_s"`
	// From there to the first progress on the other, ms.
	GapMS float64 `json:"gap_ms"`
	// Time in which in-order delivery waited for data of the dead one, until it came back or the connection ended, ms.
	BlockedMS float64 `json:"blocked_ms"`
	// Whether it was ended by RST; else it made no progress with data outstanding.
	Reset bool `json:"reset"`
	// When it came on again, seconds since the connection's start.
	RecoveredS *float64 `json:"recovered_s"`
	// From there to the first second in which it carried its share of the payload again, ms.
	FailbackMS *float64 `json:"failback_ms"`
}

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

// BufferBlocking is how often and how far the offered window fell below its
// mean so far.
type BufferBlocking struct {
	// Number of spells.
	Count int64 `json:"count"`
	// Their length together, ms.
	TotalMS float64 `json:"total_ms"`
	// The lowest awnd_delta of any of them, its sign reversed; 0 where there was none.
	Depth float64 `json:"depth"`
	// What it rests on: "reconstructed".
	Evidence Evidence `json:"evidence"`
}

// RecPathList is which paths MPTCP-rec's receiver would have had the sender
// use: all of them, and without the one of least DSR while the receive buffer
// filled up.
type RecPathList struct {
	// Time in which it would have used every path, of that between the first and the last window seen, ms.
	AllPathsMS float64 `json:"all_paths_ms"`
	// The subflows that it would have left out at times.
	Without List[RecPath] `json:"without"`
	// What it rests on: "reconstructed".
	Evidence Evidence `json:"evidence"`
}

// RecPath is a subflow that MPTCP-rec would have left out at times.
type RecPath struct {
	// Id of the subflow.
	Subflow int `json:"subflow"`
	// Label of its path.
	Path string `json:"path"`
	// How many times.
	Count int64 `json:"count"`
	// For how long together, ms.
	TotalMS float64 `json:"total_ms"`
}

// SchedulerRegret is what the choices of the scheduler cost in one direction, by
// estimates from what the sender knew.
type SchedulerRegret struct {
	// Chunks of data, each at its first transmission, for which there was another path.
	Chunks int64 `json:"chunks"`
	// Those that left on a path that was the worse choice.
	WorseChunks int64 `json:"worse_chunks"`
	// The same, percent of chunks.
	WorsePercent float64 `json:"worse_percent"`
	// Bytes of them.
	WorseBytes int64 `json:"worse_bytes"`
	// By how much each chunk would have been acknowledged in order earlier on the best path, weighed by bytes, ms; 0 where the best one was taken.
	Lost Stat `json:"lost_ms"`
	// What it rests on: "inferred".
	Evidence Evidence `json:"evidence"`
}
