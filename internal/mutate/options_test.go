package mutate

import "encoding/binary"

// someOption changes options of Multipath TCP, of any TCP option where there is none. Checksums
// stay right.
func (m *Mutation) someOption(change func(o []byte)) {
	m.some(func(h *header) {
		options := h.mptcp()
		if len(options) == 0 {
			walk(h.options(), func(o []byte) { options = append(options, o) })
		}
		if len(options) > 0 {
			o := options[m.R.IntN(len(options))]
			h.edit(func() { change(o) })
		}
	})
}

func optionKind(m *Mutation) {
	m.someOption(func(o []byte) { o[0] = [...]byte{0, 1, 2, 3, 4, 5, 8, 30, 34, byte(m.R.Uint32())}[m.R.IntN(10)] })
}

func optionLength(m *Mutation) {
	m.someOption(func(o []byte) {
		o[1] = [...]byte{0, 1, 2, 3, o[1] - 1, o[1] + 1, o[1] + 2, 40, 255, byte(m.R.Uint32())}[m.R.IntN(10)]
	})
}

func optionSubtype(m *Mutation) {
	m.someOption(func(o []byte) {
		if len(o) > 2 {
			o[2] = byte(m.R.IntN(16))<<4 | o[2]&15
		}
	})
}

func optionFlags(m *Mutation) {
	m.someOption(func(o []byte) {
		if len(o) > 3 {
			o[2+m.R.IntN(2)] ^= 1 << m.R.IntN(4)
		}
	})
}

func optionByte(m *Mutation) {
	m.someOption(func(o []byte) {
		if len(o) > 2 {
			o[2+m.R.IntN(len(o)-2)] = byte(m.R.Uint32())
		}
	})
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

func noMPTCP(m *Mutation) {
	m.some(func(h *header) { h.setOptions(h.without(kindMPTCP)) })
}

// noSYNOptions removes one kind of option, or all, from SYNs.
func noSYNOptions(m *Mutation) {
	kind := [...]byte{2, 3, 4, 8, kindMPTCP, 0}[m.R.IntN(6)]
	both := m.R.IntN(3)
	for i := range m.Packets {
		h, ok := find(m.Link, &m.Packets[i])
		if ok && h.has(syn) && (both == 0 || h.has(ack) == (both == 1)) {
			h.setOptions(h.without(kind))
		}
	}
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
				h.edit(func() {
					o[4+m.R.IntN(len(o)-4)] ^= byte(1 + m.R.IntN(255))
					o[2] ^= byte(m.R.IntN(2))
				})
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

// someMapping changes DSS options, and corrects their checksums by the difference.
func (m *Mutation) someMapping(change func(x mapping)) {
	m.some(func(h *header) {
		for _, o := range h.mptcp() {
			x, ok := mappingOf(o)
			if !ok {
				continue
			}
			h.edit(func() {
				if x.sumsAt == 0 {
					change(x)
					return
				}
				before := sum(o[x.dsn:x.sumsAt])
				change(x)
				at := o[x.sumsAt:]
				binary.BigEndian.PutUint16(at, corrected(binary.BigEndian.Uint16(at), before, sum(o[x.dsn:x.sumsAt])))
			})
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

func dssDSN(m *Mutation) {
	by := m.odd()
	m.someMapping(func(x mapping) {
		if x.dsn > 0 {
			add(x.option[x.dsn:], x.dsnSize, by)
		}
	})
}

func dssSSN(m *Mutation) {
	by := m.odd()
	m.someMapping(func(x mapping) {
		if x.dsn > 0 {
			add(x.option[x.ssn:], 4, by)
		}
	})
}

func dssLength(m *Mutation) {
	by := [...]uint16{0, 1, 1<<16 - 1, 0x8000, 100, uint16(m.R.Uint32())}[m.R.IntN(6)]
	m.someMapping(func(x mapping) {
		if x.dsn == 0 {
			return
		}
		at := x.option[x.length:]
		if by == 0 {
			binary.BigEndian.PutUint16(at, 0)
		} else {
			binary.BigEndian.PutUint16(at, binary.BigEndian.Uint16(at)+by)
		}
	})
}

func dataAck(m *Mutation) {
	by := m.odd()
	m.someMapping(func(x mapping) {
		if x.ack > 0 {
			add(x.option[x.ack:], x.ackSize, by)
		}
	})
}

func timestamps(m *Mutation) {
	by := m.odd()
	field := 2 + 4*m.R.IntN(2)
	m.some(func(h *header) {
		walk(h.options(), func(o []byte) {
			if o[0] == 8 && len(o) == 10 {
				h.edit(func() { add(o[field:], 4, by) })
			}
		})
	})
}
