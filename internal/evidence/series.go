package evidence

import (
	"errors"

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
	if len(w.places) == 0 {
		return nil
	}
	for _, h := range x.hosts {
		for _, f := range h.Files {
			if f.Kind != hosts.SS || f.Status == report.RecordUnused {
				continue
			}
			err := hosts.Reread(f, func(r *hosts.Row) { w.row(h, r) })
			if err = errors.Join(err, w.err); err != nil {
				return err
			}
		}
	}
	return nil
}

// place is where the rows of a socket belong, and how many were read.
type place struct {
	mptcp   bool
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
	err    error
}

// firstPlace is above the numbers that packets' rows give to their cells.
const firstPlace = 1 << 48

// add enters the sockets of a subflow and of its connection.
func (w *kernelSeries) add(j *joinedTCP) {
	if !j.of.multipath || !w.Selected(j.of.id) {
		return
	}
	for side, a := range j.sides {
		if a != nil {
			w.place(a.socket, side, report.Cell{Connection: j.of.id, Subflow: j.id, Path: j.path}, &place{aligned: a, start: j.of.start})
		}
	}
	for side, s := range j.of.mptcp {
		if s != nil && w.places[s] == nil {
			w.place(s, side, report.Cell{Connection: j.of.id, Subflow: report.NoSubflow}, &place{mptcp: true, start: j.of.start})
		}
	}
}

// place enters a socket.
func (w *kernelSeries) place(s *socket, side int, cell report.Cell, p *place) {
	for i := range p.cells {
		cell.Direction = report.Directions[side^i]
		cell.Place = firstPlace + 2*uint64(len(w.places)) + uint64(i)
		p.cells[i] = new(cell)
	}
	p.lines = make([]*report.SeriesLine, len(terms()))
	w.places[s] = p
}

// row writes the values of a row. A row of TCP without information has none.
func (w *kernelSeries) row(h *host, r *hosts.Row) {
	if r.Listening() || w.err != nil {
		return
	}
	p := w.of(h, r)
	if p == nil {
		return
	}
	p.rows++
	if !r.MPTCP && !r.Info() {
		return
	}
	at, ok := p.time(h, r)
	p.info++
	if !ok {
		return
	}
	w.block = w.block[:0]
	w.values(p, at-p.start, r)
	if len(w.block) > 0 {
		w.err = w.Sink.Series(w.block)
	}
}

// values writes the values of a row that was read at a time since the connection's start.
func (w *kernelSeries) values(p *place, at int64, r *hosts.Row) {
	for i, all := 0, terms(); i < len(all); i++ {
		x := &all[i]
		cell := p.cells[one(x.Incoming)]
		v, has := x.value(r)
		if !has || !x.Series || x.MPTCP != p.mptcp || !w.Wanted(x.Name) || w.Only != "" && w.Only != cell.Direction {
			continue
		}
		if p.lines[i] == nil {
			p.lines[i] = &report.SeriesLine{Cell: cell, Line: firstPlace + w.lines, Metric: x.Name}
			w.lines++
		}
		w.block = append(w.block, report.SeriesRow{SeriesLine: p.lines[i], T: at, Value: v})
	}
}

// of returns the place of a row; nil if it belongs to no subflow.
func (w *kernelSeries) of(h *host, r *hosts.Row) *place {
	if r.MPTCP {
		return w.places[h.mptcp[mptcpKeyOf(r)]]
	}
	for _, s := range h.tcp[pair{r.Local, r.Peer}] {
		if p := w.places[s]; p != nil && p.rows < s.rows {
			return p
		}
	}
	return nil
}

// time returns the time of a row.
func (p *place) time(h *host, r *hosts.Row) (at int64, ok bool) {
	if a := p.aligned; a != nil && p.info%a.socket.stride == 0 {
		if i := p.info / a.socket.stride; i < int64(len(a.socket.kept)) {
			return a.time(int(i))
		}
	}
	return h.time(r.Stamp)
}
