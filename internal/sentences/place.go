package sentences

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/report"
)

// place is where the commands of a remedy act: an address of a host, its endpoint and its device. What is not
// known is empty or 0, and commands then have a word in capitals.
type place struct {
	address, device string
	endpoint        int // its identifier, which is the address id of its MP_JOIN (Linux)
	kernel          Kernel
}

// placeOf returns where the remedy of a verdict acts: at the host in which the cause lies, else at the one that lost
// the data itself, else at the one that opened the subflow, because endpoints are there. Without a subflow it
// is the address that could have a further one.
func (w *Words) placeOf(v *report.Verdict, c *report.Connection) (p place) {
	side := report.Side("")
	if v.Cause != nil {
		side = report.Known(v.Cause.Host)
	}
	var s *report.Subflow
	if v.Subflow != nil && *v.Subflow < len(c.Subflows) {
		s = &c.Subflows[*v.Subflow]
		if side == "" {
			side = report.Known(s.Initiator)
		}
	}
	i := slices.IndexFunc(w.Hosts, func(h report.HostRecords) bool { return side != "" && report.Known(h.Host) == side })
	switch {
	case s != nil && side != "":
		p.address, p.endpoint = s.A.Addr, report.Known(s.AddressIDA)
		if side == report.SideB {
			p.address, p.endpoint = s.B.Addr, report.Known(s.AddressIDB)
		}
	case i >= 0:
		p.address = unused(&w.Hosts[i], side, c)
	}
	if i >= 0 {
		p.fromRecords(&w.Hosts[i])
	}
	return p
}

// fromRecords fills in what the records of the host say of the address, and its kernel.
func (p *place) fromRecords(h *report.HostRecords) {
	if k, err := ParseKernel(report.Known(h.Kernel)); err == nil {
		p.kernel = k
	}
	for _, x := range h.Interfaces {
		if x.Dev != "lo" && slices.Contains(x.Addresses, p.address) {
			p.device = x.Dev
		}
	}
	for _, e := range report.Known(h.Endpoints) {
		if e.Address == p.address {
			p.endpoint = e.ID
		}
	}
}

// unused returns the only address of a host over which a connection has no subflow: of the same family, and of a
// device other than lo; empty where there is none, or a choice.
func unused(h *report.HostRecords, side report.Side, c *report.Connection) (only string) {
	used := map[netip.Addr]bool{}
	for _, s := range c.Subflows {
		text := s.A.Addr
		if side == report.SideB {
			text = s.B.Addr
		}
		if a, err := netip.ParseAddr(text); err == nil {
			used[a] = true
		}
	}
	for _, x := range h.Interfaces {
		for _, text := range x.Addresses {
			a, err := netip.ParseAddr(text)
			if err != nil || x.Dev == "lo" || used[a] || a.IsLinkLocalUnicast() || !slices.ContainsFunc(c.Subflows, func(s report.Subflow) bool { return strings.Contains(s.A.Addr, ":") == a.Is6() }) {
				continue
			}
			if only != "" {
				return ""
			}
			only = text
		}
	}
	return only
}

// in replaces the words in capitals of a remedy.
func (p *place) in(text string) string {
	var words []string
	if p.address != "" {
		words = append(words, "ADDRESS", p.address)
	}
	if p.device != "" {
		words = append(words, "INTERFACE", p.device)
	}
	if p.endpoint > 0 {
		words = append(words, "endpoint change id N", "endpoint change id "+strconv.Itoa(p.endpoint), "endpoint delete id N", "endpoint delete id "+strconv.Itoa(p.endpoint))
	}
	return strings.NewReplacer(words...).Replace(text)
}
