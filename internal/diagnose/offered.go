package diagnose

import (
	"fmt"
	"net/netip"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/symptoms"
	"mpanalyze/internal/textwrap"
)

// further returns the announced addresses that no subflow has at that host: only these can make
// a further path.
func (j *judge) further() (out []*symptoms.Announcement) {
	for i := range j.m.Symptoms.Addresses {
		if a := &j.m.Symptoms.Addresses[i]; !j.hasAddress(a) {
			out = append(out, a)
		}
	}
	return out
}

// hasAddress reports whether a subflow has an announced address, whatever its port.
func (j *judge) hasAddress(a *symptoms.Announcement) bool {
	return slices.ContainsFunc(j.m.Subs, func(s *metrics.Sub) bool {
		return netip.AddrFrom16(s.Sub.Ends[a.From].Addr).Unmap() == a.Addr.Unmap()
	})
}

// offered says which addresses were announced on a connection with one path.
func (j *judge) offered() string {
	all := j.m.Symptoms.Addresses
	if n := len(j.further()); n > 0 {
		return textwrap.Count(int64(n), "further address") + " announced"
	}
	if len(all) == 0 {
		return "no host announced a further address"
	}
	return fmt.Sprintf("%s announced %s, which the subflow has already: no further path can come of that", side(all[0].From), all[0].Addr)
}

// mayHaveTried says, in a capture that is not at a, that a may have tried in vain: its SYNs may not
// have come to the capture.
func (j *judge) mayHaveTried() string {
	if j.at(conn.A) {
		return ""
	}
	return "; or a did try, and its SYNs with MP_JOIN were lost or dropped before this capture, which a capture at a shows"
}

// acceptOffered says what to do if there is only one path although further addresses were
// announced; "" if none was announced.
func (j *judge) acceptOffered() string {
	all := j.further()
	if len(all) == 0 {
		return ""
	}
	a := all[0]
	return fmt.Sprintf("Let %s open a subflow to %s, which %s announced, and check that it can be reached from there.", j.host(a.From.Other()), where(a), side(a.From))
}
