package mutate

import "encoding/binary"

// tcpNumber returns a function that adds an odd distance to the 4 bytes at a place of TCP headers.
func tcpNumber(at int) func(*Mutation) {
	return func(m *Mutation) {
		by := m.odd()
		m.some(func(h *header) { add(h.bytes()[at:], 4, by) })
	}
}

// laterSequence changes the numbers of one direction from a packet on, as a middlebox does that
// began in between.
func laterSequence(m *Mutation) {
	if len(m.Packets) == 0 {
		return
	}
	by, from := m.odd(), m.R.IntN(len(m.Packets))
	var port [4]byte
	for i := from; i < len(m.Packets); i++ {
		h, ok := find(m.Link, &m.Packets[i])
		if !ok {
			continue
		}
		b := h.bytes()
		if port == [4]byte{} {
			copy(port[:], b)
		}
		switch {
		case [4]byte(b) == port:
			add(b[4:], 4, by)
		case [4]byte{b[2], b[3], b[0], b[1]} == port:
			add(b[8:], 4, by)
		}
	}
}

// exchange exchanges addresses and ports.
func (h *header) exchange() {
	from, to := h.addresses()
	swap(from, to)
	swap(h.bytes()[:2], h.bytes()[2:4])
}

func swap(a, b []byte) {
	for i := range a {
		a[i], b[i] = b[i], a[i]
	}
}

// zeroLengths sets a length to 0: of the IP packet, of the TCP header, of the payload, or of the
// packet on the wire.
func zeroLengths(m *Mutation) {
	which := m.R.IntN(4)
	m.some(func(h *header) {
		switch which {
		case 0:
			binary.BigEndian.PutUint16(h.lengthField(), 0)
		case 1:
			h.p.Frame[h.tcp+12] &= 15
		case 2:
			h.p.Frame, h.p.Wire = h.p.Frame[:h.data], h.data
		default:
			h.p.Wire = 0
		}
	})
}
