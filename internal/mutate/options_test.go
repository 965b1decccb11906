package mutate

import (
	"encoding/binary"
)

// someOption returns a function that changes options of Multipath TCP, of any TCP option where there
// is none.
func someOption(change func(m *Mutation, o []byte)) func(*Mutation) {
	return func(m *Mutation) {
		m.some(func(h *header) {
			options := h.mptcp()
			if len(options) == 0 {
				walk(h.options(), func(o []byte) { options = append(options, o) })
			}
			if len(options) > 0 {
				o := oneOf(m.R, options...)
				change(m, o)
			}
		})
	}
}

func optionsTwice(m *Mutation) {
	m.some(func(h *header) {
		var all []byte
		for _, o := range h.mptcp() {
			all = append(append(all, o...), o...)
		}
		h.setOptions(append(all, h.options()...))
	})
}

// noSYNOptions removes one kind of option, or all, from SYNs.
func noSYNOptions(m *Mutation) {
	kind := oneOf[byte](m.R, 2, 3, 4, 8, kindMPTCP, 0)
	both := m.R.IntN(3)
	m.each(func(h *header) {
		if h.has(syn) && (both == 0 || h.has(ack) == (both == 1)) {
			h.setOptions(h.without(kind))
		}
	})
}

// without returns the options without those of a kind; 0 is all kinds.
func (h *header) without(kind byte) (left []byte) {
	walk(h.options(), func(o []byte) {
		if kind != 0 && o[0] != kind {
			left = append(left, o...)
		}
	})
	return left
}

// keys changes keys and versions of MP_CAPABLE.
func keys(m *Mutation) {
	m.some(func(h *header) {
		for _, o := range h.mptcp() {
			if o[2]>>4 == capable && len(o) >= 12 {
				o[4+m.R.IntN(len(o)-4)] ^= byte(1 + m.R.IntN(255))
				o[2] ^= byte(m.R.IntN(2))
			}
		}
	})
}

// mapping is where the fields of a DSS option lie; 0 for none.
type mapping struct {
	option              []byte
	ack, ackSize        int
	dsn, dsnSize        int
	ssn, length, sumsAt int
}

func mappingOf(o []byte) (m mapping, ok bool) {
	if o[2]>>4 != dss || len(o) < 4 {
		return m, false
	}
	m.option = o
	at := 4
	if o[3]&1 != 0 {
		m.ack, m.ackSize = at, 4+int(o[3]&2)*2
		at += m.ackSize
	}
	if o[3]&4 != 0 {
		m.dsn, m.dsnSize = at, 4+int(o[3]&8)/2
		m.ssn = at + m.dsnSize
		m.length = m.ssn + 4
		at = m.length + 2
		if len(o) >= at+2 {
			m.sumsAt = at
			at += 2
		}
	}
	return m, at <= len(o)
}

// sum adds what the DSS checksum covers of an option.
func (m mapping) sum() uint32 { return sum(m.option[m.dsn:max(m.dsn, m.sumsAt)]) }

// someMapping changes DSS options, and corrects their checksums by the difference.
func (m *Mutation) someMapping(change func(x mapping)) {
	m.some(func(h *header) {
		for _, o := range h.mptcp() {
			x, ok := mappingOf(o)
			if !ok {
				continue
			}
			before := x.sum()
			if change(x); x.sumsAt > 0 {
				at := o[x.sumsAt:]
				binary.BigEndian.PutUint16(at, corrected(binary.BigEndian.Uint16(at), before, x.sum()))
			}
		}
	})
}

// mappingField returns a function that adds an odd distance to a number in DSS options, where they
// have it.
func mappingField(of func(x mapping) (at, size int)) func(*Mutation) {
	return func(m *Mutation) {
		by := m.odd()
		m.someMapping(func(x mapping) {
			if at, size := of(x); at > 0 {
				add(x.option[at:], size, by)
			}
		})
	}
}

// mappingLength changes lengths of mappings; one that is 0 is an infinite mapping.
func mappingLength(m *Mutation) {
	by := oneOf(m.R, 0, 1, 1<<16-1, 0x8000, 100, uint16(m.R.Uint32()))
	m.someMapping(func(x mapping) {
		if x.dsn > 0 {
			at := x.option[x.length:]
			binary.BigEndian.PutUint16(at, min(by, 1)*(binary.BigEndian.Uint16(at)+by))
		}
	})
}

// add adds to a number of 4 or 8 bytes.
func add(b []byte, size int, n uint64) {
	if size == 8 {
		binary.BigEndian.PutUint64(b, binary.BigEndian.Uint64(b)+n)
		return
	}
	binary.BigEndian.PutUint32(b, binary.BigEndian.Uint32(b)+uint32(n))
}

func timestamps(m *Mutation) {
	by := m.odd()
	field := 2 + 4*m.R.IntN(2)
	m.some(func(h *header) { h.stamps(func(o []byte) { add(o[field:], 4, by) }) })
}

// stamps calls f with the timestamps of a packet.
func (h *header) stamps(f func(o []byte)) {
	walk(h.options(), func(o []byte) {
		if o[0] == 8 && len(o) == 10 {
			f(o)
		}
	})
}

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
