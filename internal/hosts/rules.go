package hosts

import (
	"net/netip"
	"strings"
)

// DroppedBy returns the rules that dropped packets: of those listed after the session, what
// they counted since the listing before it, if there is one.
func (h *Host) DroppedBy() (out []*Record) {
	was := map[string]int64{}
	for _, r := range h.Records[Firewall] {
		if r.early() {
			was[r.bare()] += r.Values[RulePackets].N
		}
	}
	for _, r := range h.Records[Firewall] {
		v := r.Values[RulePackets]
		if v.N -= was[r.bare()]; refuses().MatchString(r.Text) && !r.early() && v.N > 0 {
			grown := *r
			grown.Values = map[string]Value{RulePackets: v}
			out = append(out, &grown)
		}
	}
	return out
}

// early reports whether the rule was listed before the session.
func (r *Record) early() bool { return beforeAfter(r.File.Name) == before }

// counts are the counters in the text of a rule.
var counts = pattern(`packets \d+ bytes \d+|\[\d+:\d+\]|^\d+\S* +\d+\S* `)

// refuses finds the word with which a rule drops or rejects.
var refuses = pattern(`(^|\s)(drop|DROP|reject|REJECT)(\s|$)`)

// bare returns the text of the rule without its counters.
func (r *Record) bare() string { return counts().ReplaceAllString(r.Text, "") }

// Names reports whether a rule names a path: the device or an address of it, and no other device or
// address. dev is the device of the path, empty if it is not known; a and b are its addresses.
func (h *Host) Names(r *Record, dev string, a, b netip.Addr) bool {
	named := false
	for w := range strings.FieldsSeq(r.Text) {
		w = strings.Trim(w, `",;`)
		switch p, ok := Prefix(w); {
		case ok && p.Bits() > 0:
			named = true
			if !p.Contains(a) && !p.Contains(b) {
				return false
			}
		case h.Device(w) != nil:
			named = true
			if dev != w {
				return false
			}
		}
	}
	return named
}

// Prefix reads the addresses that a rule or route names: a prefix, an address, or all by the word default.
func Prefix(text string) (p netip.Prefix, ok bool) {
	if text == "default" {
		return netip.PrefixFrom(netip.IPv4Unspecified(), 0), true
	}
	if a, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), true
	}
	p, err := netip.ParsePrefix(text)
	return p, err == nil
}
