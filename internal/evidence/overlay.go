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

// overlay writes the values of a row of a subflow for figures. Windows count segments of the size
// that the row prints.
func (w *kernelSeries) overlay(p *place, at int64, r *hosts.Row) {
	mss := r.Value(hosts.MSS)
	if mss == 0 {
		return
	}
	for _, f := range []struct {
		name  string
		field hosts.Field
		zero  bool
	}{{overCwnd, hosts.Cwnd, false}, {overSsthresh, hosts.Ssthresh, false}, {overUnacked, hosts.UnackedSegments, true}} {
		if f.zero || r.Has(f.field) {
			w.value(p.cell, f.name, at, r.Value(f.field)*mss)
		}
	}
}

// received writes the values of a row of a connection that concern the data that its host receives.
func (w *kernelSeries) received(p *place, at int64, r *hosts.Row) {
	w.value(p.incoming, overUnread, at, float64(r.RecvQ))
	if r.Has(hosts.MemRB) {
		w.value(p.incoming, overBuffer, at, r.Value(hosts.MemRB))
	}
}

// OfFigures reports whether a series is one that figures alone have.
func OfFigures(name string) bool {
	return !slices.Contains(SeriesNames(), name) && slices.ContainsFunc(overlays, func(o Overlay) bool { return o.Series == name })
}
