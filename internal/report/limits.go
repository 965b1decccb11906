package report

// Limits of verdicts that hold for one connection and for all connections over a path together.
const (
	LossMuch  = 3.0   // percent of segments: a path that loses that many loses much
	LossLeast = 10    // segments that must be lost
	LossCosts = 1.0   // percent of the segments of all paths: from here on it is a warning
	FewBytes  = 100e3 // data of a direction: less is too short to judge
	FewShare  = 1.0   // percent of the data of a direction: the figures of a subflow that carried less are not compared
	RTTRatio  = 3.0   // of round trips of paths, from which on they are unequal
	FewSent   = 70    // segments of a path over all connections: as many as hold that data
)
