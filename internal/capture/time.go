package capture

import "math"

// LatestTime is the latest capture time, and its negative the earliest, ns since the Unix
// epoch: in the years 2116 and 1823. A time stamp beyond them is of a damaged record,
// and its packet gets the nearest of both: the difference of two times then never
// exceeds 64 bits.
const LatestTime = math.MaxInt64 / 2
