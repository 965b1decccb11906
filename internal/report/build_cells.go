package report

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
)

// cells are the places of a connection's rows, made on first use: one for each
// direction of the connection and of each of its subflows.
type cells struct {
	whole [2]place
	subs  [][2]place // by the ID of the subflow, of which the tracker bounds the number
}

// place is what is kept of a place.
type place struct {
	cell *Cell
	run  *mappingRun // nil: no mapping yet
}

// of returns what is kept of a place, valid until the next call; sub is nil for
// the connection.
func (l *cells) of(sub *conn.Subflow, from conn.Side) *place {
	if sub == nil {
		return &l.whole[from&1]
	}
	for sub.ID >= len(l.subs) {
		l.subs = append(l.subs, [2]place{})
	}
	return &l.subs[sub.ID][from&1]
}

// cell returns the cell of a place, which never changes; nil where no row of it
// is to be written.
func (o *connRows) cell(sub *conn.Subflow, from conn.Side) *Cell {
	at := o.cells.of(sub, from)
	switch {
	case o.r.err != nil:
		return nil
	case at.cell == nil && o.r.ready(o.c, from):
		at.cell = o.r.cell(o.c, sub, from)
	}
	return at.cell
}

// cell makes the cell of a place, with a number of its own.
func (r *Rows) cell(c *conn.Conn, sub *conn.Subflow, from conn.Side) *Cell {
	r.places++
	cell := &Cell{Place: r.places, Connection: c.ID, Direction: direction(from), Subflow: NoSubflow}
	if sub != nil {
		cell.Subflow, cell.Path = sub.ID, r.path(sub)
	}
	return cell
}

// Series returns what takes the values of series of one direction of sub or,
// where that is nil, of c ([metrics.Config]).
func (r *Rows) Series(c *conn.Conn, sub *conn.Subflow, from conn.Side) metrics.SeriesSink {
	return &seriesRows{r: r, c: c, sub: sub, from: from}
}

// seriesRows writes the series of one place.
type seriesRows struct {
	r    *Rows
	c    *conn.Conn
	sub  *conn.Subflow
	from conn.Side
	of   *connRows                     // the connection's; nil: not asked for yet
	rows [metrics.NumSeries]*SeriesRow // nil: none yet
}

// Value writes a row. Of the one before of its series only time and value
// change.
func (l *seriesRows) Value(s metrics.Series, t int64, value float64) {
	row := l.rows[s]
	if row == nil {
		if row = l.row(s); row == nil {
			return
		}
	}
	if l.r.err != nil {
		return
	}
	row.T, row.Value = t-l.c.Start, value
	if err := l.r.sink.Series(row); err != nil {
		l.r.err = err
	}
}

// row makes the row of a series; nil where none is to be written.
func (l *seriesRows) row(s metrics.Series) *SeriesRow {
	if l.of == nil {
		if l.of = l.r.open[l.c]; l.of == nil {
			return nil
		}
	}
	at := l.of.cell(l.sub, l.from)
	if at == nil {
		return nil
	}
	l.rows[s] = &SeriesRow{Cell: *at, Line: at.Place*uint64(metrics.NumSeries) + uint64(s), Metric: s.String()}
	return l.rows[s]
}
