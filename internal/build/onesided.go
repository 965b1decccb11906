package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/symptoms"
)

// OneSided takes a connection with a few captured packets of one end and no handshake.
// Its report is the same as that of [Builder.Add]. It has no verdicts, because the
// packets show too little.
func (b *Builder) OneSided(f *conn.OneSided) error {
	defer b.memory.Reuse()
	out := b.connectionWith(b.oneSided.of(f), oneEnd)
	out.Short, out.Verdicts = true, b.memory.Verdicts.Of(nil)
	return b.store(out, nil)
}

// oneSided holds the figures of one such connection.
type oneSided struct {
	figures metrics.Connection
	conn    conn.Conn
	sub     metrics.Sub
}

// of returns the figures of f. They are valid until the next call.
func (x *oneSided) of(f *conn.OneSided) *metrics.Connection {
	f.FillConn(&x.conn)
	if x.figures.Conn == nil {
		x.sub.Subflow = symptoms.Subflow{Sub: x.conn.Subflows[0]}
		x.figures.Conn, x.figures.Subs = &x.conn, []*metrics.Sub{&x.sub}
	}
	return &x.figures
}
