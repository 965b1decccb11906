package export

import (
	"encoding/binary"
	"math"
	"strconv"

	"mpanalyze/internal/report"
)

// memo keeps the text of what the rows of a table repeat: most rows begin as
// one of the latest did, several in a row tell of one moment, and half of the
// values are those that their series had before.
type memo struct {
	leads [512]lead // by the low bits of their numbers
	times [3]recent // of the columns that appendTime is asked for
	tails [64]tail
}

// lead is how rows begin, and the value of the latest that did.
type lead struct {
	number uint64 // of a cell, or of a cell with a metric; 0: none yet
	text   []byte
	value  recent
}

// recent is the text of the latest number of its kind.
type recent struct {
	of   uint64
	n    int
	text [3]uint64
}

// has reports whether the text is that of number.
func (r *recent) has(number uint64) bool { return r.of == number && r.n > 0 }

// append appends the text.
func (r *recent) append(b []byte) []byte {
	e := binary.LittleEndian
	return e.AppendUint64(e.AppendUint64(e.AppendUint64(b, r.text[0]), r.text[1]), r.text[2])[:len(b)+r.n]
}

// keep takes what stands in b from begin on as the text of number, if it is
// not too long.
func (r *recent) keep(number uint64, b []byte, begin int) {
	if r.n = len(b) - begin; r.n > 24 || cap(b)-begin < 24 {
		r.n = 0
		return
	}
	e, text := binary.LittleEndian, b[begin:begin+24]
	r.of, r.text = number, [3]uint64{e.Uint64(text), e.Uint64(text[8:]), e.Uint64(text[16:])}
}

// lead returns where the text is kept that number stands for, which may be that
// of another yet.
func (m *memo) lead(number uint64) *lead { return &m.leads[number%uint64(len(m.leads))] }

// appendCell appends what [appendCell] does.
func (m *memo) appendCell(b []byte, c *report.Cell) []byte {
	l := m.lead(c.Place)
	if l.number != c.Place || c.Place == 0 {
		*l = lead{number: c.Place, text: appendCell(l.text[:0], c)}
	}
	return append(b, l.text...)
}

// appendSeries appends all of a row of series.csv.
func (m *memo) appendSeries(b []byte, r *report.SeriesRow) []byte {
	l := m.lead(r.Line)
	if l.number != r.Line || r.Line == 0 {
		*l = lead{number: r.Line, text: append(append(appendCell(l.text[:0], &r.Cell), r.Metric...), ',')}
	}
	b = m.appendTime(append(b, l.text...), 0, r.T)
	if bits := math.Float64bits(r.Value); !l.value.has(bits) {
		begin := len(b)
		b = appendNumber(b, r.Value)
		l.value.keep(bits, b, begin)
		return b
	}
	return l.value.append(b)
}

// appendTime appends what [appendTime] does; column is any number of the
// column's own.
func (m *memo) appendTime(b []byte, column int, ns int64) []byte {
	r := &m.times[column]
	if r.has(uint64(ns)) {
		return r.append(b)
	}
	begin := len(b)
	b = appendTime(b, ns)
	r.keep(uint64(ns), b, begin)
	return b
}

// tail is how the latest row of a place in mappings.csv ended.
type tail struct {
	of   mapping
	text []byte
}

// mapping is a row of mappings.csv from its DSN on.
type mapping struct {
	dsn, ssn, length            int64
	wire                        uint64
	octets                      int
	checksum                    int32
	checksumOK                  report.Trit
	dataFin, infinite, repeated bool
}

// appendTail appends a row of mappings.csv from its DSN on. The packets of one
// super-segment carry one mapping.
func (m *memo) appendTail(b []byte, r *report.MappingRow) []byte {
	t := &m.tails[r.Place%uint64(len(m.tails))]
	of := mapping{r.DSN, r.SSN, r.Length, r.WireDSN, r.DSNOctets, r.Checksum, r.ChecksumOK, r.DataFin, r.Infinite, r.Repeated}
	if t.of != of || len(t.text) == 0 {
		t.of, t.text = of, of.append(t.text[:0])
	}
	return append(b, t.text...)
}

func (m *mapping) append(b []byte) []byte {
	b = append(appendUint(appendInt(b, m.dsn), m.wire), ',')
	b = appendInt(appendInt(appendInt(b, int64(m.octets)), m.ssn), m.length)
	b = appendBool(appendBool(appendBool(b, m.dataFin), m.infinite), m.repeated)
	if m.checksum >= 0 {
		b = appendSigned(b, int64(m.checksum))
	}
	b = append(b, ',')
	if m.checksumOK != report.Unknown {
		b = strconv.AppendBool(b, m.checksumOK == report.True)
	}
	return b
}
