package conn

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/tracegen"
)

// rewrite changes version and flags of MP_CAPABLE.
func rewrite(version uint8, flags mptcp.CapableFlags) func(*tracegen.Packet) {
	return func(p *tracegen.Packet) {
		eachOption(p.Options, func(_, _ int, opt []byte) {
			if opt[0] == mptcp.Kind && mptcp.SubtypeOf(opt) == mptcp.SubCapable {
				opt[2], opt[3] = opt[2]&0xf0|version, uint8(flags)
			}
		})
	}
}

// TestFallbackCodes: each kind of fallback has its code.
func TestFallbackCodes(t *testing.T) {
	bare := without(mptcp.SubDSS)
	strip := without(mptcp.SubCapable)
	keep := func(*tracegen.Packet) {}
	h := mptcp.CapableHMAC
	for name, tt := range map[string]struct {
		syn, synack, third, data func(*tracegen.Packet)
		want                     FallbackCode
	}{
		"none":                       {keep, keep, keep, keep, ""},
		"SYN/ACK without":            {keep, strip, strip, bare, FallbackSYNACK},
		"SYN of an unknown version":  {rewrite(2, h), strip, strip, bare, FallbackSYNACK},
		"third ACK without":          {keep, keep, strip, bare, FallbackThird},
		"third ACK, another version": {keep, keep, rewrite(0, h), bare, FallbackThird},
		"third ACK, flag B":          {keep, keep, rewrite(1, h|mptcp.CapableExtend), bare, FallbackThird},
		"third ACK, no flag H":       {keep, keep, rewrite(1, 0), bare, FallbackThird},
		"data without DSS":           {keep, keep, keep, bare, FallbackData},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1})
		f := s.Subflow(path(0))
		f.SYN(0).Edit(tt.syn)
		f.SYNACK(10 * ms).Edit(tt.synack)
		f.ThirdACK(20 * ms).Edit(tt.third)
		f.Data(b2a, 50*ms, 0, 1000).Edit(tt.data)
		c := analyse(t, s, tracegen.HostB).only(t).c
		assert.Check(t, c.FallbackCode == tt.want && c.AskedMPTCP, "%s: %q, asked %v, want %q", name, c.FallbackCode, c.AskedMPTCP, tt.want)
	}
}

// TestOffers: version and flags of each packet of the handshake are kept, whatever
// they are.
func TestOffers(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	f := s.Subflow(path(0))
	f.SYN(0).Edit(rewrite(3, 0x55))
	f.SYNACK(10 * ms).Edit(rewrite(1, 0x81))
	f.ThirdACK(20 * ms).Edit(rewrite(0, 0x41))
	c := analyse(t, s, tracegen.HostB).only(t).c
	want := [3]Offer{{true, 3, 0x55}, {true, 1, 0x81}, {true, 0, 0x41}}
	assert.Check(t, c.Offers == want && c.Kind == Multipath && c.Version == 1, "offers %v, want %v; kind %v, version %d", c.Offers, want, c.Kind, c.Version)
}

// TestJoinRefused: flag C is one of version 1. RFC 6824 has a crypto bit there.
func TestJoinRefused(t *testing.T) {
	for o, want := range map[Offer]bool{{true, 0, 0x20}: false, {true, 1, 0x20}: true, {true, 1, 0x01}: false, {true, 1, 0xff}: true, {true, 2, 0x20}: false, {}: false} {
		assert.Check(t, o.JoinRefused() == want, "%+v", o)
	}
}
