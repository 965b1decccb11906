package report

// LossTest is what the delays around the losses of a path show about their cause. It is
// not a part of the report: verdicts are made from it.
type LossTest struct {
	// The cause, and the causes that the test does not exclude beside it.
	Cause  CauseCode
	Remain []CauseCode

	// Copies of segments, and those of them lost while nothing of the path came through.
	Copies, Dark int64
	// Round trips in which segments were lost, and runs of consecutive lost segments.
	Rounds, Runs int64
	// Mean rank of the delays around the runs among all delays, from 0 to 1, and the
	// probability that chance gives so high a rank or a higher one.
	Rank, P float64
	// Mean of the delays around the runs, and the median over the round trips with losses,
	// above the least delay, ms.
	Above, Median float64
	// Standard deviation of the rate from loss to loss as a part of its mean; negative where there are too few
	// losses.
	Spread float64
	// Most that was acknowledged over a second or longer, Mbit/s; 0 where it is not known.
	Delivered float64
	// The rate from loss to loss, Mbit/s; 0 where it is not known.
	Between float64
}
