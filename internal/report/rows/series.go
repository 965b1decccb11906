package rows

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// Series returns the sink for the series of one direction of sub or, if sub is nil, of
// c ([metrics.Config]).
func (r *Stream) Series(c *conn.Conn, sub *conn.Subflow, from conn.Side) metrics.SeriesSink {
	return &seriesRows{r: r, c: c, sub: sub, from: from, lines: make([]*report.SeriesLine, len(metrics.AllSeries()))}
}

// seriesRows writes the series of one direction of a connection or subflow.
type seriesRows struct {
	r     *Stream
	c     *conn.Conn
	sub   *conn.Subflow
	from  conn.Side
	of    *connRows            // the connection's; nil: not asked for yet
	lines []*report.SeriesLine // by [metrics.Series.Index]; nil: none yet
}

// Value enters a row.
func (l *seriesRows) Value(s *metrics.Series, t int64, value float64) {
	b := &l.r.blocks
	if line := l.lines[s.Index()]; line != nil && b.seriesCount < seriesBlock {
		b.series[b.seriesCount] = report.SeriesRow{SeriesLine: line, T: t - l.c.Start, Value: value}
		b.seriesCount++
	} else if l.ready(s) {
		l.Value(s, t, value)
	}
}

// Values enters several rows.
func (l *seriesRows) Values(s *metrics.Series, t int64, values []stats.Weighted, off float64) {
	t -= l.c.Start
	for len(values) > 0 && l.ready(s) {
		b, line := &l.r.blocks, l.lines[s.Index()]
		rows := b.series[b.seriesCount:min(b.seriesCount+uint(len(values)), seriesBlock)]
		for i := range rows {
			rows[i] = report.SeriesRow{SeriesLine: line, T: t, Value: values[i].Value + off, Weight: values[i].Weight}
		}
		b.seriesCount += uint(len(rows))
		values = values[len(rows):]
	}
}

// Omitted counts values without a row, for a sink that wants to know.
func (l *seriesRows) Omitted(s *metrics.Series, n int64) {
	if sink, ok := l.r.sink.(report.Omitting); ok && l.ready(s) {
		sink.Omitted(n)
	}
}

// ready makes sure that a series has its line, and that the block has room. It returns
// false if no row of the series is wanted.
func (l *seriesRows) ready(s *metrics.Series) bool {
	if l.lines[s.Index()] == nil && l.line(s) == nil {
		return false
	}
	if l.r.seriesCount == seriesBlock {
		l.r.flushSeries()
	}
	return true
}

// line makes the common part of the rows of a series; nil if no row of it is wanted.
func (l *seriesRows) line(s *metrics.Series) *report.SeriesLine {
	if l.of == nil {
		if l.of = l.r.open[l.c]; l.of == nil {
			return nil
		}
	}
	at := l.of.cell(l.sub, l.from)
	if at == nil {
		return nil
	}
	l.lines[s.Index()] = &report.SeriesLine{Cell: at, Line: at.Place*uint64(len(l.lines)) + uint64(s.Index()), Metric: s.String()}
	return l.lines[s.Index()]
}
