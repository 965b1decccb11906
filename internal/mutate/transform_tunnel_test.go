package mutate

import (
	"encoding/binary"
	"slices"
)

// tunnelled returns a function that puts IP packets into a tunnel. header gets the EtherType and
// the first bytes of a packet, and its length; it returns what stands between the link layer and
// the packet, and whose EtherType that has.
func tunnelled(header func(kind uint16, ip []byte, length int) (outerKind uint16, outer []byte)) func(*Transformed) bool {
	return func(c *Transformed) (any bool) {
		for i := range c.Packets {
			p := &c.Packets[i]
			kind, at := network(c.Link, p.Frame)
			if kind != typeIPv4 && kind != typeIPv6 {
				continue
			}
			outerKind, outer := header(kind, p.Frame[at:], p.Wire-at)
			missing := p.Wire - len(p.Frame)
			p.Frame = slices.Concat(p.Frame[:at], outer, p.Frame[at:])
			p.Wire, any = len(p.Frame)+missing, true
			setKind(c.Capture, p.Frame, at, outerKind)
		}
		return any
	}
}

// setKind sets the EtherType of the link layer, whose payload begins at at.
func setKind(c *Capture, f []byte, at int, kind uint16) {
	switch c.Link {
	case linkEthernet, linkSLL:
		binary.BigEndian.PutUint16(f[at-2:], kind)
	case linkSLL2:
		binary.BigEndian.PutUint16(f, kind)
	}
}

// ipv4Header returns a header between the same two hosts for a payload of so many bytes. A length
// beyond the field is 0, as in a super-segment.
func ipv4Header(protocol byte, length int) []byte {
	h := []byte{0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, protocol, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2}
	if length += len(h); length < 1<<16 {
		binary.BigEndian.PutUint16(h[2:], uint16(length))
	}
	return h
}

// udpHeader returns IPv4 and UDP headers before a payload of so many bytes.
func udpHeader(port uint16, length int) []byte {
	h := binary.BigEndian.AppendUint16([]byte{0xc0, 0}, port)
	h = binary.BigEndian.AppendUint16(h, uint16(length+8)) // 0 from 64 KiB on would be a jumbogram's
	return append(ipv4Header(17, length+8), append(h, 0, 0)...)
}

// protocolOf returns the number of IPv4 or IPv6 as the payload of another packet.
func protocolOf(kind uint16) byte {
	if kind == typeIPv6 {
		return 41
	}
	return 4
}

func inIP(kind uint16, _ []byte, length int) (uint16, []byte) {
	return typeIPv4, ipv4Header(protocolOf(kind), length)
}

func inIPv6(kind uint16, _ []byte, length int) (uint16, []byte) {
	h := binary.BigEndian.AppendUint16([]byte{0x60, 0, 0, 0}, uint16(length))
	h = append(h, protocolOf(kind), 64)
	for _, host := range []byte{1, 2} {
		h = append(h, 0x20, 1, 0x0d, 0xb8, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, host)
	}
	return typeIPv6, h
}

func inGRE(kind uint16, _ []byte, length int) (uint16, []byte) {
	return typeIPv4, binary.BigEndian.AppendUint16(append(ipv4Header(47, length+4), 0, 0), kind)
}

func innerEthernet(kind uint16, ip []byte) []byte {
	header, _ := linkHeader(linkEthernet, kind, ip)
	return header
}

func inGREBridged(kind uint16, ip []byte, length int) (uint16, []byte) {
	return typeIPv4, slices.Concat(ipv4Header(47, length+18), []byte{0, 0, 0x65, 0x58}, innerEthernet(kind, ip))
}

// overUDP returns a tunnel of Ethernet in UDP: VXLAN (RFC 7348) or Geneve (RFC 8926).
func overUDP(port uint16, tunnel ...byte) func(kind uint16, ip []byte, length int) (uint16, []byte) {
	return func(kind uint16, ip []byte, length int) (uint16, []byte) {
		return typeIPv4, slices.Concat(udpHeader(port, length+len(tunnel)+14), tunnel, innerEthernet(kind, ip))
	}
}

func inGTPU(_ uint16, _ []byte, length int) (uint16, []byte) {
	return typeIPv4, append(udpHeader(2152, length+8), 0x30, 255, byte(length>>8), byte(length), 0, 0, 0, 7)
}

// fragmented cuts whole packets into fragments (RFC 791, Section 3.2; RFC 8200, Section 4.5).
func fragmented(c *Transformed) bool { return cutUp(c, func([]Packet) {}) }

// cutUp puts the fragments of each packet in another order.
func cutUp(c *Transformed, order func(fragments []Packet)) (any bool) {
	const size = 560 // a multiple of 8, as RFC 791 wants it
	var out []Packet
	for i, p := range c.Packets {
		h, ok := find(c.Link, &p)
		if !ok || p.Wire != len(p.Frame) || h.packetLength() > len(p.Frame)-h.ip || h.packetLength()-(h.tcp-h.ip) <= size {
			out = append(out, p)
			continue
		}
		any = true
		payload := p.Frame[h.tcp : h.ip+h.packetLength()]
		var cut []Packet
		for at := 0; at < len(payload); at += size {
			piece := payload[at:min(at+size, len(payload))]
			frame := slices.Concat(p.Frame[:h.tcp], h.fragmentHeader(uint32(i), at, at+size < len(payload)), piece)
			h.fragmentFields(frame, uint16(i), at, at+size < len(payload), len(piece))
			cut = append(cut, Packet{p.Time, p.Iface, len(frame), frame})
		}
		order(cut)
		out = append(out, cut...)
	}
	c.Packets = out
	return any
}

// packetLength returns the length of the IP packet as its header says it.
func (h *header) packetLength() int {
	n := int(binary.BigEndian.Uint16(h.lengthField()))
	if h.v6 {
		n += 40
	}
	return n
}

// fragmentHeader returns what stands before the payload of a fragment: nothing in IPv4.
func (h *header) fragmentHeader(id uint32, at int, more bool) []byte {
	if !h.v6 {
		return nil
	}
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16([]byte{6, 0}, uint16(at)|flag(more, 1)), id)
}

// fragmentFields sets the fields of the IP header of a fragment.
func (h *header) fragmentFields(frame []byte, id uint16, at int, more bool, size int) {
	f := frame[h.ip:]
	if h.v6 {
		f[6] = 44
		binary.BigEndian.PutUint16(f[4:], uint16(8+size))
		return
	}
	binary.BigEndian.PutUint16(f[2:], uint16(h.tcp-h.ip+size))
	if binary.BigEndian.Uint16(f[4:]) == 0 { // it needs one now; copies of a packet have the same
		binary.BigEndian.PutUint16(f[4:], id)
	}
	binary.BigEndian.PutUint16(f[6:], uint16(at/8)|flag(more, 0x2000))
}

func flag(set bool, bit uint16) uint16 {
	if set {
		return bit
	}
	return 0
}
