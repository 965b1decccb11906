package csvtables

import "mpanalyze/internal/report"

// memo keeps the text of what the rows of a table repeat: most rows begin as
// one of the latest did, and several in a row tell of one moment.
type memo struct {
	leads [512]lead // by the low bits of their numbers
	time  stamp
	chunk chunkMemo
	new   []byte // where a text is made
}

// lead is how rows begin.
type lead struct {
	number uint64             // of a cell, or of a cell with a metric; 0: none yet
	line   *report.SeriesLine // that with a metric, if the text is short; else nil
	text   phrase
}

// phrase is a text that is copied with the room behind it: most are shorter
// than that, and no call is worth it for these.
type phrase struct {
	text  []byte
	size  int              // octets of it
	begin [phraseRoom]byte // of it
}

const (
	phraseRoom = 48                    // octets
	phraseLine = phraseMask + lineRoom // room for a beginning, and for a line behind each of its octets
	phraseMask = 64 - 1
)

// keep takes a text.
func (p *phrase) keep(text []byte) {
	p.text, p.size = append(p.text[:0], text...), len(text)
	copy(p.begin[:], text)
}

// put stores the beginning of a text.
func (p *phrase) put(to *[phraseLine]byte) { *(*[phraseRoom]byte)(to[:phraseRoom]) = p.begin }

// lead returns where the text is kept that number stands for, which may be that
// of another yet.
func (m *memo) lead(number uint64) *lead { return &m.leads[number%uint64(len(m.leads))] }

// cell returns what [appendCell] appends.
func (m *memo) cell(c *report.Cell) *phrase {
	l := m.lead(c.Place)
	if l.number != c.Place || c.Place == 0 {
		m.keep(l, c.Place, appendCell(m.new[:0], c))
	}
	return &l.text
}

// series returns how a row of series.csv begins.
func (m *memo) series(r *report.SeriesLine) *phrase {
	l := m.lead(r.Line)
	if l.number != r.Line || r.Line == 0 {
		m.keep(l, r.Line, append(append(appendCell(m.new[:0], r.Cell), r.Metric...), ','))
	}
	if l.line = r; l.text.size > phraseRoom {
		l.line = nil
	}
	return &l.text
}

// keep gives l to a number, of which text was made where the next one will be.
func (m *memo) keep(l *lead, number uint64, text []byte) {
	l.number, m.new = number, text
	l.text.keep(text)
}

// appendTime appends what [appendTime] does.
func (m *memo) appendTime(b []byte, ns int64) []byte {
	b, p := lineBehind(b)
	return b[:len(b)+int(m.time.put(p, 0, ns))]
}

// chunkMemo keeps the text of what rows of chunks.csv repeat.
type chunkMemo struct {
	packet, dsn, ssn       head
	extent                 extent
	passed, acked, inOrder stamp
}

// put stores a row of chunks.csv behind its cell.
//
//go:noinline
func (m *chunkMemo) put(p *line, r *report.ChunkRow) spot {
	i := m.packet.putCount(p, 0, r.Packet)
	i = m.dsn.putInt(p, i, r.DSN)
	i = m.ssn.putInt(p, i, r.SSN)
	i = m.extent.put(p, i, r.Length, r.Kind)
	i = m.passed.put(p, i, r.Sent)
	i = m.acked.put(p, i, r.Acked)
	data := &m.inOrder
	if r.DataAcked == r.Acked { // as with one subflow
		data = &m.acked
	}
	i = data.put(p, i, r.DataAcked)
	if r.Arrived == report.NoTime && r.Delivered == report.NoTime {
		p[i] = ','
		i++
	} else {
		i = m.inOrder.put(p, m.passed.put(p, i, r.Arrived), r.Delivered) - 1 // no comma behind the last column
	}
	return i
}
