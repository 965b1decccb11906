package tracegen

import (
	"time"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// form is the way in which the segments of a mapping announce it.
type form uint8

const (
	formDSS      form = iota
	formCapable       // by the data length in MP_CAPABLE (RFC 8684, Section 3.1)
	formBare          // no option announces it
	formInfinite      // by a DSS option of data-level length 0 (RFC 8684, Section 3.7)
)

// Mapping is a part of the application stream that has a place on a subflow (RFC 8684,
// Section 3.3.1). Any part of it can be sent any number of times; each segment repeats the
// whole mapping.
type Mapping struct {
	sub  *Subflow
	dir  Dir
	dsn  seq.DSN
	ssn  seq.SSN
	n    int
	fin  bool
	form form
}

// Map maps the next n bytes of the subflow to the stream from offset on. Two mappings of
// the same part of the stream make a reinjection.
func (f *Subflow) Map(d Dir, offset int64, n int) *Mapping {
	m := &Mapping{sub: f, dir: d, dsn: seq.DSN(offset + 1), ssn: f.half[d].next, n: n}
	f.half[d].next += seq.SSN(n)
	return m
}

// WithFIN makes the mapping carry DATA_FIN behind its data (RFC 8684, Section
// 3.3.3).
func (m *Mapping) WithFIN() *Mapping { m.fin = true; return m }

// OnCapable makes the segments carry MP_CAPABLE with a data length in place of a DSS
// option, as the first data of host A does in version 1.
func (m *Mapping) OnCapable() *Mapping { m.form = formCapable; return m }

// Bare makes the segments carry no MPTCP option, as after a fallback.
func (m *Mapping) Bare() *Mapping { m.form = formBare; return m }

// Infinite makes the segments announce an infinite mapping, with data-level length 0 and
// without a checksum. Later data on the subflow needs no mapping (RFC 8684, Section 3.7).
func (m *Mapping) Infinite() *Mapping { m.form = formInfinite; return m }

// offset returns where the mapping begins in the application stream.
func (m *Mapping) offset() int64 { return int64(m.dsn) - 1 }

// length returns the data-level length on the wire; a DATA_FIN counts as one byte.
func (m *Mapping) length() uint16 {
	if m.form == formInfinite {
		return 0
	}
	if m.fin {
		return uint16(m.n + 1)
	}
	return uint16(m.n)
}

// wireSSN returns the subflow sequence number of the mapping in a DSS option.
func (m *Mapping) wireSSN() uint32 {
	if m.dir == m.sub.opener() && !m.sub.session.cfg.SSNFromISN {
		return uint32(m.ssn) - uint32(m.sub.syn)
	}
	return uint32(m.ssn)
}

// checksum returns the DSS checksum of the whole mapping.
func (m *Mapping) checksum() uint16 {
	var sum mptcp.Sum
	ssn := m.wireSSN()
	if m.n == 0 {
		ssn = 0
	}
	sum.PseudoHeader(m.sub.session.data[m.dir].dsn(m.dsn), ssn, m.length())
	sum.Add(AppendStream(nil, m.dir, m.offset(), m.n))
	return sum.Value()
}

// Send scripts a segment with n bytes of the mapping; from is the first of them within the
// mapping.
func (m *Mapping) Send(at time.Duration, from, n int) *Sent {
	return m.sub.script(Sent{
		dir: m.dir, at: at, flags: ACK | PSH, ssn: m.ssn + seq.SSN(from),
		mapping: m, from: from, n: n,
	})
}

// Data maps n bytes of the stream from offset on, and scripts them as one segment.
func (f *Subflow) Data(d Dir, at time.Duration, offset int64, n int) *Sent {
	return f.Map(d, offset, n).Send(at, 0, n)
}

// DataFIN scripts an ACK that ends the stream of direction d after length bytes. Its
// mapping has the DATA_FIN alone, with subflow sequence number 0 (RFC 8684, Section 3.3.3).
func (f *Subflow) DataFIN(d Dir, at time.Duration, length int64) *Sent {
	m := &Mapping{sub: f, dir: d, dsn: seq.DSN(length + 1), fin: true}
	return f.script(Sent{dir: d, at: at, flags: ACK, ssn: current, mapping: m})
}
