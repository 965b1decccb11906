package capture

import "math"

// LatestTime is the latest capture time, in ns since the Unix epoch, and its negative the
// earliest: in the years 2116 and 1823. A timestamp beyond them is damaged, and its packet gets
// the nearer of both times. So the difference of two times never exceeds 64 bits.
const LatestTime = math.MaxInt64 / 2
