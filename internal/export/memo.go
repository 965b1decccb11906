package export

import "mpanalyze/internal/report"

// memo keeps the text of what the rows of a table repeat: most rows begin as
// one of the latest few dozens did, and several in a row tell of one moment.
type memo struct {
	cells [64]cellText
	at    int64  // the time of when
	when  []byte // empty before the first
}

// cellText is a cell and the columns that stand for it.
type cellText struct {
	cell report.Cell
	text []byte // empty where there is none yet
}

// appendCell appends what [appendCell] does.
func (m *memo) appendCell(b []byte, c *report.Cell) []byte {
	line := 2 * (8*c.Connection + c.Subflow)
	if c.Direction == report.A2B {
		line++
	}
	t := &m.cells[uint(line)%uint(len(m.cells))]
	if len(t.text) == 0 || t.cell != *c {
		t.cell, t.text = *c, appendCell(t.text[:0], c)
	}
	return append(b, t.text...)
}

// appendTime appends what [appendTime] does.
func (m *memo) appendTime(b []byte, ns int64) []byte {
	if len(m.when) == 0 || ns != m.at {
		m.at, m.when = ns, appendTime(m.when[:0], ns)
	}
	return append(b, m.when...)
}
