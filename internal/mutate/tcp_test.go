package mutate

import "encoding/binary"

func sequence(m *Mutation) {
	by := m.odd()
	m.some(func(h *header) { h.edit(func() { add(h.bytes()[4:], 4, by) }) })
}

func acknowledgment(m *Mutation) {
	by := m.odd()
	m.some(func(h *header) { h.edit(func() { add(h.bytes()[8:], 4, by) }) })
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
			h.edit(func() { add(b[4:], 4, by) })
		case [4]byte{b[2], b[3], b[0], b[1]} == port:
			h.edit(func() { add(b[8:], 4, by) })
		}
	}
}

func zeroWindows(m *Mutation) {
	m.some(func(h *header) { h.edit(func() { binary.BigEndian.PutUint16(h.bytes()[14:], 0) }) })
}

func setFlags(m *Mutation, f byte) {
	m.some(func(h *header) { h.edit(func() { *h.flags() |= f }) })
}

func noFlags(m *Mutation) {
	m.some(func(h *header) { h.edit(func() { *h.flags() &= byte(m.R.Uint32()) }) })
}

// exchanged exchanges addresses and ports of packets.
func exchanged(m *Mutation) {
	m.some(func(h *header) {
		h.edit(func() {
			at, n := h.ip+12, 4
			if h.v6 {
				at, n = h.ip+8, 16
			}
			swap(h.p.Frame[at:], n)
			swap(h.bytes(), 2)
		})
	})
}

// swap exchanges two fields of n bytes.
func swap(b []byte, n int) {
	for i := range n {
		b[i], b[n+i] = b[n+i], b[i]
	}
}

// zeroLengths sets a length to 0: of the IP packet, of the TCP header, of the payload, or of the
// packet on the wire.
func zeroLengths(m *Mutation) {
	which := m.R.IntN(4)
	m.some(func(h *header) {
		switch which {
		case 0:
			at := h.ip + 2
			if h.v6 {
				at = h.ip + 4
			}
			h.edit(func() { binary.BigEndian.PutUint16(h.p.Frame[at:], 0) })
		case 1:
			h.p.Frame[h.tcp+12] &= 15
		case 2:
			h.p.Frame, h.p.Wire = h.p.Frame[:h.data], h.data
		default:
			h.p.Wire = 0
		}
	})
}
