package evidence

import (
	"errors"
	"math"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// Series says which rows a sink gets.
type Series struct {
	Sink     report.RowSink
	Wanted   func(metric string) bool
	Selected func(connection int) bool
	Only     report.Direction // rows of the other direction are left out; empty for both
}

// WriteSeries reads the samples once more and gives their values to a sink: a row for each
// value, with its time in the capture. Values without a time are left out.
func (x *Records) WriteSeries(o Series) error {
	w := kernelSeries{Series: o, places: map[*socket]*place{}}
	for _, list := range x.joined {
		for _, j := range list {
			w.add(j)
		}
	}
	for _, h := range x.hosts {
		for _, f := range h.Files {
			if f.Kind != hosts.SS || f.Status == report.RecordUnused || len(w.places) == 0 {
				continue
			}
			var failed error
			err := hosts.Reread(f, func(r *hosts.Row) {
				if p := w.of(h, r); p != nil && failed == nil {
					failed = w.row(p, r)
				}
			})
			if err = errors.Join(err, failed); err != nil {
				return err
			}
		}
	}
	return nil
}

// place is where the rows of a socket belong, and how many were read.
type place struct {
	socket  *socket
	cells   [2]*report.Cell      // of the data that the host sends, and receives
	lines   []*report.SeriesLine // by terms; nil until there is a value
	aligned *aligned             // nil for a socket of Multipath TCP
	start   int64                // of the connection, ns since the Unix epoch
	rows    int64
	info    int64
}

// kernelSeries writes the series of all sockets.
type kernelSeries struct {
	Series
	places map[*socket]*place // bounded by the sockets
	lines  uint64             // of all places
	block  []report.SeriesRow // of one row; bounded by its series
}

// firstPlace is above the numbers that packets' rows give to their cells.
const firstPlace = 1 << 48

// add enters the sockets of a subflow and of its connection.
func (w *kernelSeries) add(j *joinedTCP) {
	if !j.of.multipath || !w.Selected(j.of.id) {
		return
	}
	for side := range sides {
		if a := j.sides[side]; a != nil {
			w.place(side, report.Cell{Connection: j.of.id, Subflow: j.id, Path: j.path}, &place{socket: a.socket, aligned: a, start: j.of.start})
		}
		if s := j.of.mptcp[side]; s != nil && w.places[s] == nil {
			w.place(side, report.Cell{Connection: j.of.id, Subflow: report.NoSubflow}, &place{socket: s, start: j.of.start})
		}
	}
}

// place enters a socket.
func (w *kernelSeries) place(side int, cell report.Cell, p *place) {
	for i := range p.cells {
		cell.Direction = report.Directions[side^i]
		cell.Place = firstPlace + 2*uint64(len(w.places)) + uint64(i)
		p.cells[i] = new(cell)
	}
	p.lines = make([]*report.SeriesLine, len(terms()))
	w.places[p.socket] = p
}

// of returns the place of a row; nil if it belongs to no subflow.
func (w *kernelSeries) of(h *host, r *hosts.Row) *place {
	if r.MPTCP {
		return w.places[h.mptcp[keyOfMPTCP(r)]]
	}
	for _, s := range h.tcp[pair{r.Local, r.Peer}] {
		if p := w.places[s]; p != nil && p.rows < s.rows {
			return p
		}
	}
	return nil
}

// row writes the values of a row. One that listens, and one of TCP without information, has none.
func (w *kernelSeries) row(p *place, r *hosts.Row) error {
	if r.Listening() {
		return nil
	}
	p.rows++
	if !r.MPTCP && !r.Info() {
		return nil
	}
	at, timed := p.time(r)
	p.info++
	w.block = w.block[:0]
	for i, x := range terms() {
		cell := p.cells[one(x.Incoming)]
		if !timed || !x.Series || x.MPTCP != p.socket.mptcp || !w.Wanted(x.Name) || w.Only != "" && w.Only != cell.Direction {
			continue
		}
		v := x.of(&reading{now: &r.Values})
		if math.IsNaN(v) {
			continue
		}
		if p.lines[i] == nil {
			p.lines[i] = &report.SeriesLine{Cell: cell, Line: firstPlace + w.lines, Metric: x.Name}
			w.lines++
		}
		w.block = append(w.block, report.SeriesRow{SeriesLine: p.lines[i], T: at - p.start, Value: v})
	}
	if len(w.block) == 0 {
		return nil
	}
	return w.Sink.Series(w.block)
}

// time returns the time of a row.
func (p *place) time(r *hosts.Row) (at int64, ok bool) {
	if i := p.info / p.socket.stride; p.aligned != nil && p.info%p.socket.stride == 0 && i < int64(len(p.socket.kept)) {
		return p.aligned.time(int(i))
	}
	return p.socket.of.time(r.Stamp)
}
