package evidence

import (
	"errors"
	"math"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// Names of the series that are none of [subflowFigures].
const (
	unackedSegmentsSeries = "kernel_unacked_segments"
	sendQueueSeries       = "kernel_send_queue_bytes"
	receiveQueueSeries    = "kernel_receive_queue_bytes"
	sendMemorySeries      = "kernel_send_memory_bytes"
	unackedSeries         = "kernel_unacknowledged_bytes"
)

// SeriesNames returns the names of all series that records have.
func SeriesNames() (names []string) {
	for i := range subflowFigures {
		if name := subflowFigures[i].series; name != "" {
			names = append(names, name)
		}
	}
	return append(names, unackedSegmentsSeries, sendQueueSeries, receiveQueueSeries, sendMemorySeries, unackedSeries)
}

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
	w := kernelSeries{Series: o, places: map[*socket]*place{}, lines: map[lineKey]*report.SeriesLine{}}
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
			if f.Kind != hosts.SS || f.Status == hosts.Unused {
				continue
			}
			err := hosts.Reread(f, func(r *hosts.Row) { w.row(h, r) })
			if err = errors.Join(err, w.flush()); err != nil {
				return err
			}
		}
	}
	return nil
}

// place is where the rows of a socket belong, and how many were read.
type place struct {
	cell     *report.Cell
	incoming *report.Cell // of the data that the host receives
	aligned  *aligned     // nil for a socket of Multipath TCP
	start    int64        // of the connection, ns since the Unix epoch
	rows     int64
	info     int64
}

// lineKey is a series of a place.
type lineKey struct {
	cell   *report.Cell
	metric string
}

// kernelSeries writes the series of all sockets.
type kernelSeries struct {
	Series
	places map[*socket]*place // bounded by the sockets
	lines  map[lineKey]*report.SeriesLine
	block  []report.SeriesRow // bounded by seriesBlock
	err    error
}

// seriesBlock is how many rows go to the sink at once.
const seriesBlock = 256

// firstPlace is above the numbers that packets' rows give to their cells.
const firstPlace = 1 << 48

// add enters the sockets of a subflow and of its connection.
func (w *kernelSeries) add(j *joinedTCP) {
	if !j.of.multipath || !w.Selected(j.of.id) {
		return
	}
	for side, a := range j.sides {
		if a != nil {
			w.place(a.socket, side, &place{cell: &report.Cell{Connection: j.of.id, Subflow: j.id, Path: j.path}, aligned: a, start: j.of.start})
		}
	}
	for side, s := range j.of.mptcp {
		if s != nil && w.places[s] == nil {
			w.place(s, side, &place{cell: &report.Cell{Connection: j.of.id, Subflow: report.NoSubflow}, start: j.of.start})
		}
	}
}

// place enters a socket: its direction is the one in which its host sends.
func (w *kernelSeries) place(s *socket, side int, p *place) {
	p.cell.Direction = report.Directions[side]
	p.cell.Place = firstPlace + 2*uint64(len(w.places))
	p.incoming = new(*p.cell)
	p.incoming.Direction = report.Directions[1-side]
	p.incoming.Place++
	w.places[s] = p
}

// row writes the values of a row.
func (w *kernelSeries) row(h *host, r *hosts.Row) {
	if r.Listening() || w.err != nil {
		return
	}
	p := w.of(h, r)
	if p == nil {
		return
	}
	p.rows++
	if p.aligned == nil {
		w.connection(h, p, r)
		return
	}
	if !r.Info() {
		return
	}
	at, ok := p.time(h, r)
	p.info++
	if !ok {
		return
	}
	at -= p.start
	for i := range subflowFigures {
		f := &subflowFigures[i]
		if v, has := f.value(r); has && f.series != "" {
			w.value(p.cell, f.series, at, v)
		}
	}
	w.value(p.cell, unackedSegmentsSeries, at, r.Value(hosts.UnackedSegments))
	w.value(p.cell, sendQueueSeries, at, float64(r.SendQ))
	w.overlay(p, at, r)
}

// of returns the place of a row; nil if it belongs to no subflow.
func (w *kernelSeries) of(h *host, r *hosts.Row) *place {
	if r.MPTCP {
		return w.places[h.mptcp(r)]
	}
	for _, s := range h.tcp[pair{r.Local, r.Peer}] {
		if p := w.places[s]; p != nil && p.rows < s.rows {
			return p
		}
	}
	return nil
}

// time returns the time of a row of a subflow.
func (p *place) time(h *host, r *hosts.Row) (at int64, ok bool) {
	s := p.aligned.socket
	if p.info%s.stride == 0 {
		if i := p.info / s.stride; i < int64(len(s.kept)) {
			return p.aligned.time(int(i))
		}
	}
	return h.time(r.Stamp)
}

// connection writes the values of a row of Multipath TCP.
func (w *kernelSeries) connection(h *host, p *place, r *hosts.Row) {
	at, ok := h.time(r.Stamp)
	if !ok {
		return
	}
	at -= p.start
	w.received(p, at, r)
	w.value(p.cell, receiveQueueSeries, at, float64(r.RecvQ))
	if r.Has(hosts.MemW) {
		w.value(p.cell, sendMemorySeries, at, r.Value(hosts.MemW))
	}
	base := hosts.Hexadecimal
	if r.File.Base == hosts.Decimal {
		base = hosts.Decimal
	}
	if v := r.Unacked[base]; !math.IsNaN(v) && r.Words&hosts.Fallback == 0 {
		w.value(p.cell, unackedSeries, at, v)
	}
}

// value writes a value; at is since the connection's start.
func (w *kernelSeries) value(cell *report.Cell, metric string, at int64, v float64) {
	if !w.Wanted(metric) || w.Only != "" && w.Only != cell.Direction {
		return
	}
	k := lineKey{cell, metric}
	line := w.lines[k]
	if line == nil {
		line = &report.SeriesLine{Cell: cell, Line: firstPlace + uint64(len(w.lines)), Metric: metric}
		w.lines[k] = line
	}
	w.block = append(w.block, report.SeriesRow{SeriesLine: line, T: at, Value: v})
	if len(w.block) == seriesBlock {
		w.err = w.flush()
	}
}

// flush gives the sink the rows that wait.
func (w *kernelSeries) flush() error {
	if w.err == nil && len(w.block) > 0 {
		w.err = w.Sink.Series(w.block)
	}
	w.block = w.block[:0]
	return w.err
}
