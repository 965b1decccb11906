package tracegen

import "encoding/binary"

// frameAttacks are attacks by frames that hold no whole TCP segment.
var frameAttacks = []Attack{
	{"fragments that never complete", false, func(a *attacker, n int) {
		for i := range n {
			offset := uint16(0x2000) // more fragments
			if i%2 == 1 {
				offset |= uint16(1 + a.rand.IntN(8000))
			}
			b := header(nil, 24, 6)
			binary.BigEndian.PutUint16(b[18:], uint16(i))
			binary.BigEndian.PutUint16(b[20:], offset)
			binary.BigEndian.PutUint32(b[26:], 0x64400000+uint32(i>>16))
			a.frame(append(b, make([]byte, 24)...))
		}
	}},
	{"tunnels in tunnels", false, func(a *attacker, n int) {
		const depth = 60
		b := header(nil, 20*depth+20, 4)
		for d := range depth {
			protocol := byte(4)
			if d == depth-1 {
				protocol = protocolTCP
			}
			b = append(b, header(nil, 20*(depth-1-d)+20, protocol)[14:]...)
		}
		b = append(b, make([]byte, 12)...)
		b = append(b, 0x50, byte(SYN), 0, 0, 0, 0, 0, 0)
		for range n {
			a.frame(b)
		}
	}},
	{"frames without a byte", false, func(a *attacker, n int) {
		for range n {
			a.frame(nil)
		}
	}},
}

// header appends an Ethernet and an IPv4 header for length bytes of a protocol.
func header(b []byte, length int, protocol byte) []byte {
	b = (&Packet{Src: host(0)}).appendLink(b, LinkEthernet)
	b = append(b, 0x45, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(20+length))
	b = append(b, 0, 0, 0, 0, hopLimit, protocol, 0, 0)
	src, dst := host(0).Addr().As4(), victim.Addr().As4()
	return append(append(b, src[:]...), dst[:]...)
}
