package decode

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

// TestICMP: messages that say that a TCP segment was not delivered name the segment. Others, and what quotes no TCP or
// too little of it, are not TCP.
func TestICMP(t *testing.T) {
	const icmp, icmp6 = 1, 58
	tcp := tcpSegment(0)
	four, six := ip4(protoTCP, tcp)[:28], ip6(protoTCP, tcp)[:48]
	message := func(kind, code byte, rest [4]byte, quoted []byte) []byte {
		return slices.Concat([]byte{kind, code, 0, 0}, rest[:], quoted)
	}
	later := slices.Clone(four)
	later[7] = 1 // not the first fragment
	for name, c := range map[string]struct {
		frame []byte
		want  string // empty for not TCP
	}{
		"prohibited":              {ip4(icmp, message(3, 13, [4]byte{}, four)), "communication administratively prohibited"},
		"in a VLAN":               {ethernet(0x8100, slices.Concat([]byte{0, 5, 8, 0}, ip4(icmp, message(3, 1, [4]byte{}, four)))), "host unreachable"},
		"fragmentation needed":    {ip4(icmp, message(3, 4, [4]byte{0, 0, 5, 120}, four)), "fragmentation needed, the MTU of the next hop is 1400"},
		"the same without an MTU": {ip4(icmp, message(3, 4, [4]byte{}, four)), "fragmentation needed"},
		"time exceeded":           {ip4(icmp, message(11, 0, [4]byte{}, four)), "hop limit exceeded"},
		"a code without a name":   {ip4(icmp, message(3, 77, [4]byte{}, four)), "unreachable, code 77"},
		"options in the quote":    {ip4(icmp, message(3, 3, [4]byte{}, ip4Options(protoTCP, []byte{1, 1, 1, 1}, tcp)[:32])), "port unreachable"},
		"port of IPv6":            {ip6(icmp6, message(1, 4, [4]byte{}, six)), "port unreachable"},
		"too big":                 {ip6(icmp6, message(2, 0, [4]byte{0, 0, 5, 0}, six)), "packet too big, the MTU of the next hop is 1280"},
		"hop limit":               {ip6(icmp6, message(3, 0, [4]byte{}, six)), "hop limit exceeded"},
		"echo":                    {ip4(icmp, message(8, 0, [4]byte{}, four)), ""},
		"quotes UDP":              {ip4(icmp, message(3, 3, [4]byte{}, ip4(protoUDP, tcp)[:28])), ""},
		"quotes a later fragment": {ip4(icmp, message(3, 3, [4]byte{}, later)), ""},
		"quotes too little":       {ip4(icmp, message(3, 3, [4]byte{}, four[:27])), ""},
		"of IPv6, quotes IPv4":    {ip6(icmp6, message(1, 4, [4]byte{}, slices.Concat(four, six))), ""},
	} {
		link, seg := capture.LinkType(capture.LinkRaw), packet.Segment{Ack: 9, Flags: packet.ACK, OtherLen: 3} // of a packet before
		if name == "in a VLAN" {
			link = capture.LinkEthernet
		}
		r := raw(link, c.frame)
		d := New(Options{})
		o := d.Decode(r, &seg)
		if c.want == "" {
			assert.Check(t, o == NotTCP, "%s: %v", name, o)
			continue
		}
		src, dst := addr4a, addr4b
		if seg.IPv6 {
			src, dst = addr6a, addr6b
		}
		m := seg.ICMP()
		assert.Check(t, o == ICMP && m.String() == c.want && m.From.AddrPort().Addr() == src, "%s: %v, %v from %v", name, o, m.String(), m.From)
		want := packet.Segment{Num: r.Num, Time: r.Time + packet.Origin, File: 2, Iface: 3, Src: packet.Endpoint{Addr: src.As16(), Port: 40000}, Dst: packet.Endpoint{Addr: dst.As16(), Port: 5001}, Seq: 0x01020304}
		want.SetICMP(&m)
		assert.Check(t, seg.Src == want.Src && seg.Dst == want.Dst && seg.Seq == want.Seq && seg.Have == packet.Quoted && seg.Num == want.Num && seg.Time == want.Time && seg.Flags == 0 && seg.OtherLen == 0,
			"%s: segment %+v", name, seg)
	}
}
