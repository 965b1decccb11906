package rows

import (
	"mpanalyze/internal/build"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
)

// Stream makes the rows of a [RowSink] from what happens to connections. It is a
// [conn.Module].
type Stream struct {
	sink     report.RowSink
	path     func(*conn.Subflow) string
	wanted   func(*conn.Conn) bool
	paired   func(*conn.Conn) bool // connections whose chunks come from [Stream.Chunk]; nil with one capture
	only     report.Direction      // rows of the other direction are left out; empty for both
	err      error
	unmapped bool // the sink takes no mappings

	open   map[*conn.Conn]*connRows // rows of connections that have not ended
	places uint64                   // numbers given to cells so far

	event report.EventRow // scratch memory for the sink
	mem   fill.Memory     // memory for values of event
	blocks
}

// New returns a stream that gives sink the rows of the connections for which wanted
// returns true. If only is not empty, it gives only the rows of that direction.
func New(sink report.RowSink, path func(*conn.Subflow) string, wanted func(*conn.Conn) bool, only report.Direction) *Stream {
	_, unmapped := sink.(report.Unmapped)
	return &Stream{sink: sink, path: path, wanted: wanted, only: only, unmapped: unmapped, open: map[*conn.Conn]*connRows{}}
}

// Finish gives the sink the remaining rows and returns its first error. No row is
// written afterwards.
func (r *Stream) Finish() error {
	r.flushSeries()
	r.flushChunks()
	r.flushMappings()
	return r.err
}

// Open begins the rows of a connection.
func (r *Stream) Open(c *conn.Conn) conn.Observer {
	o := &connRows{r: r, c: c}
	r.open[c] = o
	return o
}

// ready reports whether rows of c on data of side from are wanted. Only connections of
// Multipath TCP have rows. The rows begin with the SYN/ACK, because it gives the
// connection its number.
func (r *Stream) ready(c *conn.Conn, from conn.Side) bool {
	return r.err == nil && c.Kind == conn.Multipath && r.wanted(c) && (r.only == "" || r.only == build.DirectionOf(from))
}

// connRows writes the rows of one connection.
type connRows struct {
	conn.Nop
	r       *Stream
	c       *conn.Conn
	cells   cells
	pending map[uint64]report.MappingRow // by packet: runs that ended before their checksums were settled; bounded by maxPendingRows
}

// BySegment makes it get segments, so that chunks are parts of them, as in the figures.
func (*connRows) BySegment() {}

func (o *connRows) Packet(p *conn.Packet) {
	if p.Mapping != nil && !o.r.unmapped {
		o.mapping(p)
	}
	for i := range p.Checks {
		o.checked(p, &p.Checks[i])
	}
	for i := range p.Pieces {
		if p.Pieces[i].Kind != dss.First {
			o.copied(p, &p.Pieces[i])
		}
	}
}

// copied writes a chunk that is a retransmission or a reinjection. Only the time at which
// it passed is known.
func (o *connRows) copied(p *conn.Packet, piece *dss.Piece) {
	at := o.cell(p.Sub, p.From)
	if at == nil || o.r.paired != nil && o.r.paired(o.c) {
		return
	}
	row := o.r.nextChunk()
	*row = report.ChunkRow{
		Cell: at, Packet: int64(piece.Packet), DSN: int64(piece.Data.Start), SSN: int64(piece.SSN),
		Length: piece.Data.Len(), Kind: chunkKind(piece.Kind),
		Sent: report.NoTime, Acked: report.NoTime, DataAcked: report.NoTime, Arrived: report.NoTime, Delivered: report.NoTime,
	}
	o.passed(row, p.From, piece.Time)
}

// passed enters the time at which the capture saw a chunk. It is the time of sending or
// of arrival, depending on where the capture was taken.
func (o *connRows) passed(row *report.ChunkRow, from conn.Side, at int64) {
	if o.arrives(from) {
		row.Arrived = at - o.c.Start
	} else {
		row.Sent = at - o.c.Start
	}
}

// arrives reports whether the capture was taken at the receiver of the data of side
// from.
func (o *connRows) arrives(from conn.Side) bool {
	v, _ := o.c.Vantage()
	return v == conn.AtA && from == conn.B || v == conn.AtB && from == conn.A
}

// Settled writes the rows of chunks.
func (o *connRows) Settled(s *conn.Subflow, from conn.Side, run []dss.Chunk) {
	if o.r.paired != nil {
		return
	}
	if at := o.cell(s, from); at != nil {
		o.lives(at, from, run)
	}
}

// lives writes the rows of chunks as one capture shows them.
func (o *connRows) lives(at *report.Cell, from conn.Side, run []dss.Chunk) {
	arrive, start := o.arrives(from), o.c.Start
	for len(run) > 0 {
		rows := o.r.nextChunks(len(run))
		for i := range rows {
			live(&rows[i], at, &run[i], arrive, start)
		}
		run = run[len(rows):]
	}
}

// live fills a row with the times of a chunk; start is the start of its connection. It
// sets field by field, because the compiler would make a literal on the stack and copy
// it.
func live(row *report.ChunkRow, at *report.Cell, k *dss.Chunk, arrive bool, start int64) {
	row.Cell, row.Packet, row.DSN, row.SSN, row.Length, row.Kind = at, int64(k.Packet), int64(k.Data.Start), int64(k.SSN), k.Data.Len(), report.ChunkFirst
	row.Acked, row.DataAcked = since(start, k.Acked), since(start, k.DataAcked)
	if arrive {
		row.Sent, row.Arrived, row.Delivered = report.NoTime, k.FirstSeen-start, since(start, k.InOrder)
	} else {
		row.Sent, row.Arrived, row.Delivered = k.FirstSeen-start, report.NoTime, report.NoTime
	}
}

// since returns the time t in the form of rows; NoTime if t is 0.
func since(start, t int64) int64 {
	if t == 0 {
		return report.NoTime
	}
	return t - start
}

// Event writes an event.
func (o *connRows) Event(e *conn.Event) {
	at := o.cell(e.Sub, e.From)
	if at == nil {
		return
	}
	row := &o.r.event
	*row = report.EventRow{Cell: *at, Packet: int64(e.Packet), T: e.Time - o.c.Start, Kind: report.EventKind(e.Kind), Detail: e.Detail, EventFacts: build.Facts(&o.r.mem, &e.Facts)}
	if e.Packet == 0 {
		row.Place, row.Direction = 0, ""
	}
	o.r.err = o.r.sink.Event(row)
}

// Close writes what is left.
func (o *connRows) Close(int64) {
	o.endRuns()
	delete(o.r.open, o.c)
}
