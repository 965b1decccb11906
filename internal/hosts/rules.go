package hosts

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Dropped returns the rules that dropped packets: of those listed after the session, what
// they counted since the listing before it, if there is one.
func (h *Host) Dropped() (out []Rule) {
	was := map[string]int64{}
	for i := range h.Firewall {
		if r := &h.Firewall[i]; r.early() {
			was[r.bare()] += r.Packets
		}
	}
	for _, r := range h.Firewall {
		if r.Packets -= was[r.bare()]; r.Drops && !r.early() && r.Packets > 0 {
			out = append(out, r)
		}
	}
	return out
}

// early reports whether the rule was listed before the session.
func (r *Rule) early() bool { return beforeAfter(r.File.Name) == before }

// counts are the counters in the text of a rule.
var counts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`packets \d+ bytes \d+|\[\d+:\d+\]|^\d+\S* +\d+\S* `)
})

// bare returns the text of the rule without its counters.
func (r *Rule) bare() string { return counts().ReplaceAllString(r.Text, "") }

// Names reports whether the rule names a device or one of two addresses of a path.
func (r *Rule) Names(dev string, a, b netip.Addr) bool {
	return slices.ContainsFunc(strings.Fields(r.Text), func(w string) bool {
		w = strings.Trim(w, `",;`)
		p, err := netip.ParsePrefix(w)
		if one, e := netip.ParseAddr(w); e == nil {
			p, err = netip.PrefixFrom(one, one.BitLen()), nil
		}
		return w == dev && dev != "" || err == nil && p.Bits() > 0 && (p.Contains(a) || p.Contains(b))
	})
}
