package evidence

import (
	"slices"

	"mpanalyze/internal/hosts"
)

// overlaid is a series that is drawn over one of the packets.
type overlaid struct {
	name    string // of the series
	packets string // the series of the packets
	what    string // for people
}

// overlays are further series, for figures: what kernels say in the unit, and in the direction of
// the data, of a figure of the packets. No table has them.
var overlays = []overlaid{
	{"kernel_srtt_ms", "srtt", "SRTT"},
	{overCwnd, "cwnd_estimate", "cwnd"},
	{overSsthresh, "cwnd_estimate", "ssthresh"},
	{overUnacked, "in_flight", "unacked"},
	{"kernel_delivery_mbps", "throughput", "delivery rate"},
	{overUnread, "hol_queue", "Recv-Q"},
	{overBuffer, "rwnd", "receive buffer"},
}

// Names of series that figures alone have.
const (
	overCwnd     = "kernel cwnd, bytes"
	overSsthresh = "kernel ssthresh, bytes"
	overUnacked  = "kernel unacked, bytes"
	overUnread   = "kernel unread, bytes"
	overBuffer   = "kernel receive buffer, bytes"
)

// Overlay is a series of the kernel that is drawn over one of the packets.
type Overlay struct {
	Series string
	What   string // what the kernel calls it
}

// Overlays returns the series of kernels that are drawn over a series of the packets.
func Overlays(packets string) (out []Overlay) {
	for _, o := range overlays {
		if o.packets == packets {
			out = append(out, Overlay{o.name, o.what})
		}
	}
	return out
}

// overlay writes the values of a row of a subflow for figures. Windows count segments of the size
// that the row prints.
func (w *seriesWriter) overlay(p *place, at int64, r *hosts.Row) {
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
func (w *seriesWriter) received(p *place, at int64, r *hosts.Row) {
	w.value(p.incoming, overUnread, at, float64(r.RecvQ))
	if r.Has(hosts.MemRB) {
		w.value(p.incoming, overBuffer, at, r.Value(hosts.MemRB))
	}
}

// OfFigures reports whether a series is one that figures alone have.
func OfFigures(name string) bool {
	return !slices.Contains(SeriesNames(), name) && slices.ContainsFunc(overlays, func(o overlaid) bool { return o.name == name })
}
