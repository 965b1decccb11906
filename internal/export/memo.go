package export

import (
	"encoding/binary"
	"slices"

	"mpanalyze/internal/report"
)

// memo keeps the text of what the rows of a table repeat: most rows begin as
// one of the latest did, and several in a row tell of one moment.
type memo struct {
	leads  [512]lead // by the low bits of their numbers
	times  [3]stamp  // of the columns that appendTime is asked for
	clock  clock
	extent extent
	new    []byte // where a text is made
}

// lead is how rows begin.
type lead struct {
	number uint64 // of a cell, or of a cell with a metric; 0: none yet
	text   phrase
}

// phrase is a text that is copied in words of eight octets: most are shorter
// than six of them, and no call is worth it for these.
type phrase struct {
	n     int
	words [phraseRoom / 8]uint64
	long  []byte // all of it, if it is longer than the words
}

// phraseRoom is how many octets the words have.
const phraseRoom = 6 * 8

// keep takes a text.
func (p *phrase) keep(text []byte) {
	if p.n = len(text); p.n > phraseRoom {
		p.long = append(p.long[:0], text...)
		return
	}
	var room [phraseRoom]byte
	copy(room[:], text)
	for i := range p.words {
		p.words[i] = binary.LittleEndian.Uint64(room[8*i:])
	}
}

// append appends the text.
func (p *phrase) append(b []byte) []byte {
	begin := len(b)
	if p.n > phraseRoom {
		return append(b, p.long...)
	}
	if cap(b)-begin < phraseRoom {
		b = slices.Grow(b, phraseRoom)
	}
	to, e, w := b[begin:begin+phraseRoom], binary.LittleEndian, &p.words
	e.PutUint64(to[0:], w[0])
	e.PutUint64(to[8:], w[1])
	e.PutUint64(to[16:], w[2])
	e.PutUint64(to[24:], w[3])
	e.PutUint64(to[32:], w[4])
	e.PutUint64(to[40:], w[5])
	return b[:begin+p.n]
}

// lead returns where the text is kept that number stands for, which may be that
// of another yet.
func (m *memo) lead(number uint64) *lead { return &m.leads[number%uint64(len(m.leads))] }

// appendCell appends what [appendCell] does.
func (m *memo) appendCell(b []byte, c *report.Cell) []byte {
	l := m.lead(c.Place)
	if l.number != c.Place || c.Place == 0 {
		l.number = c.Place
		m.new = appendCell(m.new[:0], c)
		l.text.keep(m.new)
	}
	return l.text.append(b)
}

// appendSeries appends all of a row of series.csv.
func (m *memo) appendSeries(b []byte, r *report.SeriesRow) []byte {
	l := m.lead(r.Line)
	if l.number != r.Line || r.Line == 0 {
		l.number = r.Line
		m.new = append(append(appendCell(m.new[:0], &r.Cell), r.Metric...), ',')
		l.text.keep(m.new)
	}
	return appendNumber(m.appendTime(l.text.append(b), 0, r.T), r.Value)
}

// stamp is the text of a time.
type stamp struct {
	of   int64 // the time and one more, ns; 0: none yet
	n    int
	head uint64 // n octets, up to the tenths of a second
	tail uint64 // the other eight digits
}

// clock is the text of a time up to the tenths of a second, which the times of
// many rows in a row share.
type clock struct {
	of   uint64 // tenths of a second, and one more; 0: none yet
	n    int
	text uint64
}

// clockEnd is the end of the times of which the clock can tell, ns: eight octets
// have room for six digits, the point and the tenths.
const clockEnd = 1e15

// look takes a time of which the clock can tell.
func (t *stamp) look(c *clock, ns int64) {
	tenths, rest := uint64(ns)/1e8, uint64(ns)%1e8
	if tenths+1 != c.of {
		c.set(tenths)
	}
	t.of, t.n, t.head, t.tail = ns+1, c.n, c.text, digits8(rest)|asciiZeros
}

func (c *clock) set(tenths uint64) {
	text := append(appendUint(make([]byte, 0, 16), tenths/10), '.', '0'+byte(tenths%10))
	c.of, c.n, c.text = tenths+1, len(text), binary.LittleEndian.Uint64(text[:8])
}

// appendTime appends what [appendTime] does; column is any number of the
// column's own.
func (m *memo) appendTime(b []byte, column int, ns int64) []byte {
	t := &m.times[column]
	if t.of != ns+1 || ns < 0 {
		if uint64(ns) >= clockEnd {
			return appendTime(b, ns)
		}
		t.look(&m.clock, ns)
	}
	return append(binary.LittleEndian.AppendUint64(appendOctets(b, t.head, t.n), t.tail), ',')
}

// extent is the text of a chunk's length and kind.
type extent struct {
	length int64
	kind   report.ChunkKind
	text   []byte
}

// appendExtent appends the length of a chunk and its kind, with a comma each.
func (m *memo) appendExtent(b []byte, length int64, kind report.ChunkKind) []byte {
	s := &m.extent
	if s.length != length || s.kind != kind || len(s.text) == 0 {
		s.length, s.kind = length, kind
		s.text = append(append(appendInt(s.text[:0], length), kind...), ',')
	}
	return append(b, s.text...)
}
