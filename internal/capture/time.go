package capture

import "math"

// A timestamp beyond these bounds is damaged, and its packet gets the nearer of both. So the
// difference of two times never exceeds 64 bits.
const (
	// LatestTime is the latest capture time, in ns since the Unix epoch: in the year 2116.
	LatestTime = math.MaxInt64 / 2
	// EarliestTime is the earliest capture time, in ns since the Unix epoch: in the year
	// 1896. The origin of the times in package packet is before it.
	EarliestTime = -639_999 * 3600 * nanosecond
)
