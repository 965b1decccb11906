package capture

import "math"

// The latest and the earliest capture time, in ns since the Unix epoch: in the years 2116 and
// 1896. A timestamp beyond them is damaged, and its packet gets the nearer of both times. So the
// difference of two times never exceeds 64 bits. The origin of the times in package packet is before the earliest.
const (
	LatestTime   = math.MaxInt64 / 2
	EarliestTime = -639_999 * 3600 * nanosecond
)
