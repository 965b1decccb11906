package hosts

import (
	"net/netip"
	"strings"
)

// counts are the counters in the text of a rule, and refuses is the word with which a rule drops or rejects.
var (
	counts  = pattern(`packets \d+ bytes \d+|\[\d+:\d+\]|^\d+\S* +\d+\S* `)
	refuses = pattern(`(^|\s)(drop|DROP|reject|REJECT)(\s|$)`)
)

// DroppedBy returns the rules that dropped packets: of those listed after the session, what
// they counted since the listing before it, if there is one.
func (h *Host) DroppedBy() (out []*Record) {
	early := func(r *Record) bool { return beforeAfter(r.File.Name) == before }
	bare := func(r *Record) string { return counts().ReplaceAllString(r.Text, "") }
	was := map[string]int64{} // by the text without counters
	for _, r := range h.Records[Firewall] {
		if early(r) {
			was[bare(r)] += r.Values[RulePackets].N
		}
	}
	for _, r := range h.Records[Firewall] {
		v := r.Values[RulePackets]
		if v.N -= was[bare(r)]; refuses().MatchString(r.Text) && !early(r) && v.N > 0 {
			grown := *r
			grown.Values = map[string]Value{RulePackets: v}
			out = append(out, &grown)
		}
	}
	return out
}

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
