package evidence

import (
	"slices"

	"mpanalyze/internal/hosts"
)

// Overlay is a series of the kernel that is drawn over one of the packets.
type Overlay struct {
	Series  string
	What    string // what the kernel calls it
	packets string // the series of the packets
}

// overlays are further series, for figures: what kernels say in the unit, and in the direction of
// the data, of a figure of the packets. No table has them.
var overlays = []Overlay{
	{"kernel_srtt_ms", "SRTT", "srtt"},
	{overCwnd, "cwnd", "cwnd_estimate"},
	{overSsthresh, "ssthresh", "cwnd_estimate"},
	{overUnacked, "unacked", "in_flight"},
	{"kernel_delivery_mbps", "delivery rate", "throughput"},
	{overUnread, "Recv-Q", "hol_queue"},
	{overBuffer, "receive buffer", "rwnd"},
}

// Names of series that figures alone have.
const (
	overCwnd     = "kernel cwnd, bytes"
	overSsthresh = "kernel ssthresh, bytes"
	overUnacked  = "kernel unacked, bytes"
	overUnread   = "kernel unread, bytes"
	overBuffer   = "kernel receive buffer, bytes"
)

// Overlays returns the series of kernels that are drawn over a series of the packets.
func Overlays(packets string) []Overlay {
	return slices.DeleteFunc(slices.Clone(overlays), func(o Overlay) bool { return o.packets != packets })
}

// inBytes returns a reading of segments in bytes: windows count segments of the size that the row prints.
func inBytes(segments reading) reading {
	return func(r *hosts.Row) (float64, bool) {
		v, has := segments(r)
		mss := r.Value(hosts.MSS)
		return v * mss, has && mss > 0
	}
}

// OfFigures reports whether a series is one that figures alone have.
func OfFigures(name string) bool {
	return slices.ContainsFunc(slices.Concat(subflowSeries, connectionSeries), func(s series) bool { return s.figures && s.name == name })
}
