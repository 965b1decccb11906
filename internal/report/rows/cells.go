package rows

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/build"
)

// cells are the places of a connection's rows, made on first use: one for each
// direction of the connection and of each of its subflows.
type cells struct {
	whole [2]place
	subs  [][2]place // by the ID of the subflow, of which the tracker bounds the number
}

// place is what is kept of a place.
type place struct {
	cell *report.Cell
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
func (o *connRows) cell(sub *conn.Subflow, from conn.Side) *report.Cell {
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
func (r *Stream) cell(c *conn.Conn, sub *conn.Subflow, from conn.Side) *report.Cell {
	r.places++
	cell := &report.Cell{Place: r.places, Connection: c.ID, Direction: build.DirectionOf(from), Subflow: report.NoSubflow}
	if sub != nil {
		cell.Subflow, cell.Path = sub.ID, r.path(sub)
	}
	return cell
}
