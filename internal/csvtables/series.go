package csvtables

import "mpanalyze/internal/report"

// seriesRows adds rows of series.csv.
func (t *table) seriesRows(rows []report.SeriesRow) {
	for len(rows) > 0 {
		rows = rows[t.usualRows(rows):]
		if len(t.buf) >= tableBlock {
			t.flushBlocks()
		} else if len(rows) > 0 {
			t.otherRow(&rows[0])
			rows = rows[1:]
		}
	}
}

// usualRows adds rows until there is a block of them or one is not as usual, and
// returns how many: lines that the memo knows, times near the one before, and
// numbers. With a profile the compiler takes all that is called into the loop, so
// that what it needs stays in registers; into a loop that itself is taken elsewhere
// it does not.
//
//go:noinline
func (t *table) usualRows(rows []report.SeriesRow) int {
	m, buf, n, done := t.memo, (*tableRoom)(t.buf[:len(tableRoom{})]), len(t.buf), 0
	for ; done < len(rows) && n < tableBlock; done++ {
		r := &rows[done]
		l := m.lead(r.Line)
		if l.line != r.SeriesLine || !m.time.is(r.T) && !m.time.near(r.T) {
			break
		}
		to, size := (*[phraseLine]byte)(buf[n&tableMask:]), l.text.size
		l.text.put(to)
		p := (*line)(to[size&phraseMask:])
		end, ok := putNumber(p, m.time.store(p, 0), r.Value)
		if !ok {
			break
		}
		p[end] = '\n'
		n += size + int(end) + 1
	}
	t.buf = t.buf[:n]
	return done
}

// otherRow adds a row of series.csv, whatever it holds.
func (t *table) otherRow(r *report.SeriesRow) {
	b := t.memo.appendTime(append(t.buf, t.memo.series(r.SeriesLine).text...), r.T)
	t.write(appendNumber(b, r.Value))
}
