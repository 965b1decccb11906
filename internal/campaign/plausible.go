package campaign

import (
	"math"
	"regexp"
	"strings"
	"sync"
)

// These are more than any figure of a run can be: times are nanoseconds in 63 bits, and floats
// are exact for no larger count. The variance of a rate is its square.
const (
	maxFigure   = 1e19
	maxVariance = 1e38
	maxSeconds  = float64(math.MaxInt64) / 1e9
	maxCount    = 1 << 53
)

// bound returns the bound of figures with this name, which are part of some with the bound most.
func bound(name string, most float64) float64 {
	switch {
	case isCount(name):
		return maxCount
	case name == "variance":
		return maxVariance
	case name == "ms" || strings.HasSuffix(name, "_ms"):
		return maxSeconds * 1e3
	case strings.HasSuffix(name, "_s"):
		return maxSeconds
	}
	return most
}

// isCount reports whether a whole number with this name is a count.
func isCount(name string) bool {
	return name == "bytes" || name == "segments" || name == "samples" || name == "count" || name == "chunks" ||
		strings.HasSuffix(name, "_bytes") || strings.HasSuffix(name, "_segments") || strings.HasPrefix(name, "bytes_")
}

// neverNegative reports whether a number with this name is a ratio or a measure of
// spread. Delays of two clocks, offsets and degrees may be negative.
func neverNegative(name string) bool {
	return name == "stddev" || name == "variance" || name == "cov" || name == "percent" || name == "ratio" ||
		strings.HasSuffix(name, "_percent")
}

// maybeNegative names the figures that may be negative: offsets, degrees, and times of two
// clocks. Every other figure of a run is 0 or more.
var maybeNegative = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\.(aggregation_benefit|awnd_delta|dsn_offset_bytes|end_to_end_delay_ms|hol_degree_ms|hol_degree_all_paths_ms|ipdv_ms|(ack_)?owd_ms|reinjection_worth|rwnd_free_bytes|scheduler_regret|waiting_time_ms)(\.[a-z0-9_]+)*$`)
})

// Bounds are the values that figures of a run can have, in the order of their names. A value beyond them
// would make every mean and test of the campaign wrong.
type Bounds struct {
	most   []float64
	signed []bool // it may be below 0
}

// BoundsOf returns the bounds of figures.
func BoundsOf(names []string) *Bounds {
	b := &Bounds{}
	for _, name := range names {
		leaf, most := "", float64(maxFigure)
		for leaf = range strings.SplitSeq(name, ".") {
			most = bound(leaf, most)
		}
		b.most = append(b.most, most)
		b.signed = append(b.signed, !neverNegative(leaf) && maybeNegative().MatchString(name))
	}
	return b
}

// Impossible returns the index of the first value that no report can have; -1 if there is none.
func (b *Bounds) Impossible(values []float64) int {
	for i, v := range values {
		if !(math.Abs(v) <= b.most[i]) || v < 0 && !b.signed[i] {
			return i
		}
	}
	return -1
}
