package live

import (
	"fmt"
	"net/netip"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
	"mpanalyze/internal/textwrap"
)

// Kernel is the latest row of ss that the sending host has of a subflow.
type Kernel struct {
	Time report.Time `json:"time"`          // stamp of the row, by the clock of the host
	Cwnd *int64      `json:"cwnd_segments"` // congestion window; null where the row does not have it
	SRTT *float64    `json:"srtt_ms"`       // smoothed round-trip time; null where the row does not have it
}

// KernelRows keeps the latest row of each socket. Stamps are compared with the times of the
// capture, so that both need the same clock.
type KernelRows struct {
	latest map[[2]netip.AddrPort]Kernel // bounded by the sockets that have rows within kernelAge
}

// kernelAge is how old a row may be at the end of an interval, ns.
const kernelAge = 2e9

// Take takes a row.
func (k *KernelRows) Take(r *hosts.Row) {
	if r.MPTCP || !r.Info() {
		return
	}
	if k.latest == nil {
		k.latest = map[[2]netip.AddrPort]Kernel{}
	}
	out := Kernel{Time: report.Time(r.Stamp)}
	if r.Has(hosts.Cwnd) {
		out.Cwnd = new(int64(r.Value(hosts.Cwnd)))
	}
	if r.Has(hosts.RTT) {
		out.SRTT = new(r.Value(hosts.RTT))
	}
	ends := [2]netip.AddrPort{unmapped(r.Local), unmapped(r.Peer)}
	if known, ok := k.latest[ends]; !ok || known.Time <= out.Time { // files are read one after the other
		k.latest[ends] = out
	}
}

func unmapped(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

// End returns when an interval ended, ns since the Unix epoch.
func (v *Interval) End() int64 { return int64(v.Start) + int64(v.Seconds*1e9) }

// Add enters the rows into an interval, and forgets those that are too old.
func (k *KernelRows) Add(v *Interval) {
	end := v.End()
	for ends, row := range k.latest {
		if int64(row.Time) < end-kernelAge {
			delete(k.latest, ends)
		}
	}
	for i := range v.Shown {
		for j := range v.Shown[i].Subflows {
			s := &v.Shown[i].Subflows[j]
			for _, from := range sides {
				if row, ok := k.latest[[2]netip.AddrPort{s.ends[from], s.ends[from.Other()]}]; ok && int64(row.Time) <= end {
					s.dir(from).Kernel = &row
				}
			}
		}
	}
}

// kernelText says what the kernel of side from has of a subflow; empty where there is no row.
func (s *Subflow) kernelText(from conn.Side) string {
	k := s.dir(from).Kernel
	if k == nil || k.Cwnd == nil || k.SRTT == nil {
		return ""
	}
	return fmt.Sprintf("kernel: cwnd %s, SRTT %.1f ms", textwrap.Count(*k.Cwnd, "segment"), *k.SRTT)
}
