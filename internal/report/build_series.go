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
	n    int
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
	line := l.lines[s]
	if line == nil {
		if line = l.line(s); line == nil {
			return
		}
	}
	b := &l.r.series
	if b.n == seriesBlock {
		l.r.flush()
	}
	b.rows[b.n%seriesBlock] = SeriesRow{line, t - l.c.Start, value}
	b.n++
}

// Values enters several rows.
func (l *seriesRows) Values(s metrics.Series, t int64, values []stats.Weighted, off float64) {
	line := l.lines[s]
	if line == nil {
		if line = l.line(s); line == nil {
			return
		}
	}
	t -= l.c.Start
	for len(values) > 0 {
		b := &l.r.series
		if b.n == seriesBlock {
			l.r.flush()
		}
		rows := b.rows[b.n:min(b.n+len(values), seriesBlock)]
		for i := range rows {
			rows[i] = SeriesRow{line, t, values[i].Value + off}
		}
		b.n += len(rows)
		values = values[len(rows):]
	}
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
