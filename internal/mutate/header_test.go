package mutate

import (
	"encoding/binary"
	"slices"

	"mpanalyze/internal/capture"
)

// header is where the headers of a TCP packet lie in its frame.
type header struct {
	p       *Packet
	ip, tcp int
	data    int // where the payload begins; at most the length of the frame
	v6      bool
}

// Link types that this package knows.
const (
	linkEthernet = 1
	linkRaw      = 101
	linkSLL      = 113
	linkSLL2     = 276
)

// EtherTypes.
const (
	typeIPv4 = 0x0800
	typeVLAN = 0x8100
	typeIPv6 = 0x86dd
)

// network returns the EtherType of a packet and where its IP header or other payload begins: at the
// end of a packet whose link layer is cut or not known.
func network(link capture.LinkType, f []byte) (kind uint16, at int) {
	field := 0
	switch link {
	case linkRaw:
		if len(f) > 0 && f[0]>>4 == 6 {
			return typeIPv6, 0
		}
		return typeIPv4, 0
	case linkEthernet:
		field, at = 12, 14
	case linkSLL:
		field, at = 14, 16
	case linkSLL2:
		at = 20
	default:
		return 0, len(f)
	}
	if len(f) < at {
		return 0, len(f)
	}
	return binary.BigEndian.Uint16(f[field:]), at
}

// find finds the headers of a packet; ok is false if it is no whole TCP header.
func find(link capture.LinkType, p *Packet) (h header, ok bool) {
	h.p = p
	f := p.Frame
	kind, at := network(link, f)
	for ; kind == typeVLAN && len(f) >= at+4; at += 4 {
		kind = binary.BigEndian.Uint16(f[at+2:])
	}
	if h.ip = at; len(f) <= at {
		return h, false
	}
	switch f[h.ip] >> 4 {
	case 4:
		if len(f) < h.ip+20 || f[h.ip+9] != 6 || binary.BigEndian.Uint16(f[h.ip+6:])&0x3fff != 0 {
			return h, false
		}
		h.tcp = h.ip + int(f[h.ip]&15)*4
	case 6:
		if len(f) < h.ip+40 || f[h.ip+6] != 6 {
			return h, false
		}
		h.tcp, h.v6 = h.ip+40, true
	default:
		return h, false
	}
	if len(f) < h.tcp+20 {
		return h, false
	}
	h.data = h.tcp + int(f[h.tcp+12]>>4)*4
	return h, h.data >= h.tcp+20 && h.data <= len(f)
}

func (h *header) bytes() []byte   { return h.p.Frame[h.tcp:] }
func (h *header) options() []byte { return h.p.Frame[h.tcp+20 : h.data] }
func (h *header) flags() *byte    { return &h.p.Frame[h.tcp+13] }
func (h *header) has(f byte) bool { return *h.flags()&f != 0 }

// addresses returns the addresses of a packet, which share its memory.
func (h *header) addresses() (from, to []byte) {
	at, n := h.ip+12, 4
	if h.v6 {
		at, n = h.ip+8, 16
	}
	return h.p.Frame[at : at+n], h.p.Frame[at+n : at+2*n]
}

// lengthField returns where the IP header says a length: of the packet, in IPv6 of what follows the
// header.
func (h *header) lengthField() []byte {
	if h.v6 {
		return h.p.Frame[h.ip+4:]
	}
	return h.p.Frame[h.ip+2:]
}

// grow adds to the length that the IP header says, unless it is 0, as in a super-segment.
func (h *header) grow(by int) {
	if n := binary.BigEndian.Uint16(h.lengthField()); n != 0 {
		binary.BigEndian.PutUint16(h.lengthField(), n+uint16(by))
	}
}

// insert puts bytes before the place at of a frame.
func (h *header) insert(at int, b []byte) {
	h.p.Frame, h.p.Wire = slices.Concat(h.p.Frame[:at], b, h.p.Frame[at:]), h.p.Wire+len(b)
}

// flags of TCP.
const (
	fin = 1 << iota
	syn
	rst
	psh
	ack
)

// sum adds 16-bit words (RFC 1071).
func sum(b []byte) (s uint32) {
	for ; len(b) > 1; b = b[2:] {
		s += uint32(binary.BigEndian.Uint16(b))
	}
	if len(b) == 1 {
		s += uint32(b[0]) << 8
	}
	return s
}

// corrected returns a checksum after its bytes changed (RFC 1624, Section 3).
func corrected(checksum uint16, before, after uint32) uint16 {
	s := uint64(^checksum) + uint64(^fold(uint64(before))) + uint64(fold(uint64(after)))
	return ^fold(s)
}

func fold(s uint64) uint16 {
	for s > 0xffff {
		s = s>>16 + s&0xffff
	}
	return uint16(s)
}

// setOptions replaces the options of TCP, with padding; more than 40 bytes are left out.
func (h *header) setOptions(options []byte) {
	options = slices.Clone(options[:min(len(options), 40)])
	for len(options)%4 != 0 {
		options = append(options, 1)
	}
	f := h.p.Frame
	grown := len(options) - (h.data - h.tcp - 20)
	f = slices.Concat(f[:h.tcp+20], options, f[h.data:])
	f[h.tcp+12] = byte((20+len(options))<<2) | f[h.tcp+12]&15
	h.p.Frame, h.p.Wire, h.data = f, h.p.Wire+grown, h.data+grown
	h.grow(grown)
}

// walk calls f with each option of TCP.
func walk(options []byte, f func(option []byte)) {
	for len(options) > 0 {
		switch kind := options[0]; {
		case kind == 0:
			return
		case kind == 1:
			options = options[1:]
		case len(options) < 2 || options[1] < 2 || int(options[1]) > len(options):
			return
		default:
			n := int(options[1])
			f(options[:n:n])
			options = options[n:]
		}
	}
}

// kindMPTCP is the option of Multipath TCP.
const kindMPTCP = 30

// subtypes of Multipath TCP.
const (
	capable   = 0
	join      = 1
	dss       = 2
	addAddr   = 3
	fail      = 6
	fastclose = 7
)

// mptcp returns the options of Multipath TCP of a packet; they share its memory.
func (h *header) mptcp() (out [][]byte) {
	walk(h.options(), func(o []byte) {
		if o[0] == kindMPTCP && len(o) >= 3 {
			out = append(out, o)
		}
	})
	return out
}
