package report

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/stats"
)

// seriesBlock is how many values of series a sink is given at once: so many
// that a call for each of them costs nothing, so few that they stay in the
// nearest cache.
const seriesBlock = 256

// block gathers values of all series in the order that they come.
type block struct {
	rows [seriesBlock]SeriesRow
	n    uint // of them are filled in
}

// Series returns what takes the values of series of one direction of sub or,
// where that is nil, of c ([metrics.Config]).
func (r *Rows) Series(c *conn.Conn, sub *conn.Subflow, from conn.Side) metrics.SeriesSink {
	return &seriesRows{r: r, c: c, sub: sub, from: from}
}

// seriesRows writes the series of one place.
type seriesRows struct {
	r     *Rows
	c     *conn.Conn
	sub   *conn.Subflow
	from  conn.Side
	of    *connRows                      // the connection's; nil: not asked for yet
	lines [metrics.NumSeries]*SeriesLine // nil: none yet
}

// Value enters a row.
func (l *seriesRows) Value(s metrics.Series, t int64, value float64) {
	b := &l.r.series
	if line := l.lines[s]; line != nil && b.n < seriesBlock {
		b.rows[b.n] = SeriesRow{line, t - l.c.Start, value}
		b.n++
	} else if l.ready(s) {
		l.Value(s, t, value)
	}
}

// Values enters several rows.
func (l *seriesRows) Values(s metrics.Series, t int64, values []stats.Weighted, off float64) {
	t -= l.c.Start
	for len(values) > 0 && l.ready(s) {
		b, line := &l.r.series, l.lines[s]
		rows := b.rows[b.n:min(b.n+uint(len(values)), seriesBlock)]
		for i := range rows {
			rows[i] = SeriesRow{line, t, values[i].Value + off}
		}
		b.n += uint(len(rows))
		values = values[len(rows):]
	}
}

// ready sees to it that a series has its line and room in the block; false where
// no row of it is to be written.
func (l *seriesRows) ready(s metrics.Series) bool {
	if l.lines[s] == nil && l.line(s) == nil {
		return false
	}
	if l.r.series.n == seriesBlock {
		l.r.flush()
	}
	return true
}

// line makes what the rows of a series have in common; nil where none is to be
// written.
func (l *seriesRows) line(s metrics.Series) *SeriesLine {
	if l.of == nil {
		if l.of = l.r.open[l.c]; l.of == nil {
			return nil
		}
	}
	at := l.of.cell(l.sub, l.from)
	if at == nil {
		return nil
	}
	l.lines[s] = &SeriesLine{Cell: *at, Line: at.Place*uint64(metrics.NumSeries) + uint64(s), Metric: s.String()}
	return l.lines[s]
}

// flush gives the sink the rows of series that wait.
func (r *Rows) flush() {
	rows := r.series.rows[:r.series.n]
	if r.series.n = 0; r.err == nil && len(rows) > 0 {
		r.err = r.sink.Series(rows)
	}
}
