package diagnose

import (
	"fmt"
	"net/netip"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// leastStanding is for how long an address must have been announced to be judged, ns.
const leastStanding = 200e6

// addresses judges whether announced addresses were used, if all paths are in the capture:
// otherwise a subflow to such an address, or its echo, may be on another path.
func (j *judge) addresses() {
	if j.has(report.VerdictUncaptured) {
		return
	}
	for i := range j.m.Symptoms.Addresses {
		a := &j.m.Symptoms.Addresses[i]
		stood := j.m.Conn.Last() - a.At.Time
		if a.Removed.Seen() {
			stood = a.Removed.Time - a.At.Time
		}
		name := []fact{counted("id", "", int64(a.ID)), word("address", where(a)), word("by", side(a.From)), word("peer", side(a.From.Other())), j.packet("ADD_ADDR", a.At, -1)}
		joined, echoed := j.used(a), a.Echo.Seen() || j.m.Conn.Version == 0
		if stood < leastStanding || joined && echoed || !a.Removed.Seen() && j.early(-1, a.At.Time, "address", name...) {
			continue
		}
		if !echoed {
			j.add(report.VerdictAddAddrNotEchoed, warningIf(!joined), "", append(name, counted("times", "announcements", a.Times))...)
		}
		if !joined {
			form := ""
			if !j.at(a.From.Other()) { // its SYNs may not have come to the capture
				form = "elsewhere"
			}
			j.add(report.VerdictAddAddrNotJoined, report.Major, form, append(name, when(echoed, "echoed"), lasted("stood", "", stood), counted("announced", "", j.announced(a.From)), j.packet("its echo", a.Echo, -1))...)
		}
	}
}

// announced returns how many addresses a host announced.
func (j *judge) announced(by conn.Side) (n int) {
	for i := range j.m.Symptoms.Addresses {
		if j.m.Symptoms.Addresses[i].From == by {
			n++
		}
	}
	return n
}

func where(a *symptoms.Announcement) string {
	if a.Port == 0 {
		return a.Addr.String()
	}
	return fmt.Sprintf("%s port %d", a.Addr, a.Port)
}

// used reports whether any subflow uses an announced address.
func (j *judge) used(a *symptoms.Announcement) bool {
	return slices.ContainsFunc(j.subflows(), func(s *metrics.Sub) bool {
		return s.Sub.Joined && s.Sub.AddressID[a.From] == int(a.ID) || has(s, a) && (a.Port == 0 || s.Sub.Ends[a.From].Port == a.Port)
	})
}

// has reports whether a subflow has an announced address, whatever its port.
func has(s *metrics.Sub, a *symptoms.Announcement) bool {
	return netip.AddrFrom16(s.Sub.Ends[a.From].Addr).Unmap() == a.Addr.Unmap()
}

// offered returns which addresses were announced on a connection with one path. Only those that no
// subflow has at that host can make a further path.
func (j *judge) offered() []fact {
	var first *symptoms.Announcement
	further := 0
	for i := range j.m.Symptoms.Addresses {
		a := &j.m.Symptoms.Addresses[i]
		if !slices.ContainsFunc(j.m.Subs, func(s *metrics.Sub) bool { return has(s, a) }) {
			if further++; further == 1 {
				first = a
			}
		} else if first == nil {
			first = a
		}
	}
	if first == nil {
		return nil
	}
	known := []fact{word("announcer", side(first.From)), word("peer", side(first.From.Other()))}
	if further == 0 {
		return append(known, word("announced", first.Addr.String()))
	}
	return append(known, word("announced", where(first)), counted("further", "", further), word("advice", "further"))
}
