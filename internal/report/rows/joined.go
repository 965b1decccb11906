package rows

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/pair"
	"mpanalyze/internal/report"
)

// LeaveChunks says that rows on chunks come from [Stream.Chunk] and [Stream.Alone],
// because there are two captures. paired reports whether both captures are known to
// have a connection.
func (r *Stream) LeaveChunks(paired func(*conn.Conn) bool) { r.paired = paired }

// Alone writes a chunk that only the sender's capture shows.
func (r *Stream) Alone(s *conn.Subflow, from conn.Side, k *dss.Chunk) {
	if at := r.cellOf(s, from); at != nil {
		o := connRows{r: r, c: s.Conn}
		live(r.nextChunk(), at, k, o.arrives(from), s.Conn.Start)
	}
}

// Chunk writes a chunk that two captures show.
func (r *Stream) Chunk(k *pair.Chunk) {
	c := k.Sub.Conn
	at := r.cellOf(k.Sub, k.From)
	if at == nil {
		return
	}
	row := r.nextChunk()
	*row = report.ChunkRow{
		Cell:   at,
		Packet: int64(k.Packet), DSN: int64(k.Data.Start), SSN: int64(k.SSN), Length: k.Data.Len(),
		Kind: chunkKind(k.Kind), Sent: since(c.Start, k.FirstSeen), Acked: since(c.Start, k.Acked), DataAcked: since(c.Start, k.DataAcked),
		Arrived: since(c.Start, k.Arrived), Delivered: since(c.Start, k.Delivered),
	}
}

// chunkKind returns the name of a kind. Data that is sent again at another position of
// its own subflow counts as reinjected, too.
func chunkKind(k dss.PieceKind) report.ChunkKind {
	return [...]report.ChunkKind{
		dss.First: report.ChunkFirst, dss.Retransmission: report.ChunkRetransmission, dss.Reinjection: report.ChunkReinjection, dss.ReinjectedSame: report.ChunkReinjection,
	}[k]
}

// cellOf returns the first columns of rows on a subflow; nil where no such row is
// wanted. The connection may have ended; then a new Cell is made.
func (r *Stream) cellOf(sub *conn.Subflow, from conn.Side) *report.Cell {
	if o := r.open[sub.Conn]; o != nil {
		return o.cell(sub, from)
	}
	if !r.ready(sub.Conn, from) {
		return nil
	}
	return r.cell(sub.Conn, sub, from)
}
