package rows

import (
	"mpanalyze/internal/build"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// cells holds the state for each direction of a connection and of its subflows. It is
// made on first use.
type cells struct {
	whole [2]state
	subs  [][2]state // by the ID of the subflow; the tracker bounds their number
}

// state is the state for one direction of a connection or subflow.
type state struct {
	cell *report.Cell
	run  *mappingRun // nil: no mapping yet
}

// of returns the state for a direction of sub or, if sub is nil, of the connection. It
// is valid until the next call.
func (l *cells) of(sub *conn.Subflow, from conn.Side) *state {
	if sub == nil {
		return &l.whole[from&1]
	}
	for sub.ID >= len(l.subs) {
		l.subs = append(l.subs, [2]state{})
	}
	return &l.subs[sub.ID][from&1]
}

// cell returns the first columns of rows, which never change; nil where no such row is
// wanted.
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

// cell makes the first columns of rows, with a new number.
func (r *Stream) cell(c *conn.Conn, sub *conn.Subflow, from conn.Side) *report.Cell {
	r.places++
	cell := &report.Cell{Place: r.places, Connection: c.ID, Direction: build.DirectionOf(from), Subflow: report.NoSubflow}
	if sub != nil {
		cell.Subflow, cell.Path = sub.ID, r.path(sub)
	}
	return cell
}
