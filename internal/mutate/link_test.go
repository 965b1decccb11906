package mutate

import (
	"encoding/binary"

	"mpanalyze/internal/capture"
)

func snapLength(m *Mutation) {
	m.Format.Snap = [...]int{1, 20, 40, 54, 66, 70, 90, 96, 128}[m.R.IntN(9)]
}

// cutPackets cuts the records of some packets at any byte.
func cutPackets(m *Mutation) {
	m.some(func(h *header) { h.p.Frame = h.p.Frame[:m.R.IntN(len(h.p.Frame)+1)] })
}

// linkType says another link type than that of the frames.
func linkType(m *Mutation) {
	m.Link = [...]capture.LinkType{0, linkEthernet, linkRaw, linkSLL, linkSLL2, 105, 228, 229, 65535}[m.R.IntN(9)]
}

// vlan adds a tag to some frames of Ethernet.
func vlan(m *Mutation) {
	if m.Link != linkEthernet {
		return
	}
	tag := []byte{0x81, 0, byte(m.R.Uint32()), byte(m.R.Uint32())}
	m.some(func(h *header) { h.insert(12, tag) })
}

// insert puts bytes before the place at of a frame.
func (h *header) insert(at int, b []byte) {
	f := append(append(append([]byte(nil), h.p.Frame[:at]...), b...), h.p.Frame[at:]...)
	h.p.Frame, h.p.Wire = f, h.p.Wire+len(b)
}

// tunnel puts some packets into IPv4 or into GRE over IPv4.
func tunnel(m *Mutation) {
	gre := m.R.IntN(2) == 0
	m.some(func(h *header) {
		inner := uint16(0x0800)
		protocol := byte(4)
		if h.v6 {
			inner, protocol = 0x86dd, 41
		}
		outer := []byte{0x45, 0, 0, 0, 0, 1, 0, 0, 64, protocol, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2}
		if gre {
			outer[9] = 47
			outer = binary.BigEndian.AppendUint16(append(outer, 0, 0), inner)
		}
		binary.BigEndian.PutUint16(outer[2:], uint16(h.p.Wire-h.ip+len(outer)))
		binary.BigEndian.PutUint16(outer[10:], ^fold(uint64(sum(outer[:20]))))
		if m.Link != linkRaw && h.v6 {
			at := h.link
			if m.Link == linkEthernet {
				at = h.ip - 2
			}
			binary.BigEndian.PutUint16(h.p.Frame[at:], 0x0800)
		}
		h.insert(h.ip, outer)
	})
}

// interfaces spreads packets over several interfaces, and writes pcapng.
func interfaces(m *Mutation) {
	n := 1 + m.R.IntN(4)
	for i := range m.Packets {
		m.Packets[i].Iface = m.R.IntN(n)
	}
	m.Format.NG = true
}
