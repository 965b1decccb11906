package diagnose

import (
	"fmt"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// unseenMuch is how many percent of the data must be missing for the figures to suffer.
const unseenMuch = 1.0

// uncaptured judges data that the receiver acknowledged and that passed on no
// subflow of the capture, as where one of a host's interfaces was captured. What
// is said of paths is of those that the capture shows.
func (j *judge) uncaptured() {
	for _, from := range [2]conn.Side{conn.A, conn.B} {
		n, known := j.uncapturedBytes(from), j.m.Conn.Spaces[from].AppBytes()
		share := percent(n, n+known)
		if known == 0 || share < unseenMuch || n < fewSegment || j.c.Fallback != nil || j.m.MapsCut(from) != "" {
			continue
		}
		v := j.add(report.VerdictUncaptured, report.Major,
			fmt.Sprintf("%.0f %% of the data of %s was acknowledged and passed on no subflow of the capture: a path is missing from it and from all figures. Capture on every interface of the host, and give all files together",
				share, side(from)),
			number("share of the data", share, "percent"), number("data not captured", float64(n), "bytes"),
			j.packet("first DATA_ACK of such data", j.m.Symptoms.Dir(from).FirstUncaptured, -1))
		v.Direction = direction(from)
		concernsBytes(v, n)
	}
}

// misses reports whether a path of the data that side from sends is not in the
// capture.
func (j *judge) misses(from conn.Side) bool {
	return slices.ContainsFunc(j.out, func(v report.Verdict) bool {
		return v.Code == report.VerdictUncaptured && *v.Direction == *direction(from)
	})
}

// fewSegment is a number of bytes below the payload of a usual segment.
const fewSegment = 1000

// uncapturedBytes returns how many bytes that side from sends were DATA_ACKed but not
// captured. It leaves out bytes of the captured subflows: the capture missed their packets, or
// their mapping.
func (j *judge) uncapturedBytes(from conn.Side) int64 {
	n := j.m.Conn.Spaces[from].AckedMissingBytes()
	for _, s := range j.m.Subs {
		missed, _ := s.Sub.Senders[from].NotCaptured()
		n -= max(missed, int64(s.Sub.Senders[from].SndUna())-1-s.Sub.Spaces[from].MappedUnique())
	}
	return n
}
