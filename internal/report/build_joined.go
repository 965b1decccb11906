package report

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/pair"
)

// LeaveChunks says that two captures tell of chunks, by [Rows.Chunk] and
// [Rows.Alone], and of which connections they do so together by now.
func (r *Rows) LeaveChunks(joined func(*conn.Conn) bool) { r.joined = joined }

// Alone writes what the sender's capture alone tells of a chunk.
func (r *Rows) Alone(s *conn.Subflow, from conn.Side, k *dss.Chunk) {
	o := connRows{r: r, c: s.Conn}
	o.life(s, from, k)
}

// Chunk writes what two captures tell of a chunk.
func (r *Rows) Chunk(k *pair.Chunk) {
	c := k.Sub.Conn
	if !r.ready(c, k.From) {
		return
	}
	name, ok := r.names[k.Sub]
	if !ok {
		name = r.path(k.Sub) // not kept: the connection may be over
	}
	row := &r.chunk
	*row = ChunkRow{
		Cell:   Cell{Connection: c.ID, Direction: direction(k.From), Subflow: k.Sub.ID, Path: name},
		Packet: int64(k.Packet), DSN: int64(k.Data.Start), SSN: int64(k.SSN), Length: k.Data.Len(),
		Kind: ChunkFirst, Sent: since(c, k.Seen), Acked: since(c, k.Acked), DataAcked: since(c, k.DataAcked),
		Arrived: since(c, k.Arrived), Delivered: since(c, k.Delivered),
	}
	switch k.Kind {
	case dss.Retransmission:
		row.Kind = ChunkRetransmission
	case dss.Reinjection:
		row.Kind = ChunkReinjection
	}
	r.err = r.sink.Chunk(row)
}
