package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/symptoms"
)

// LoneSYN holds the figures of a connection that has only one captured SYN. Its memory
// serves for one such connection after the other.
type LoneSYN struct {
	figures Connection
	conn    conn.Conn
	sub     Sub
	k       Collector
	amounts amounts // always zero, because no data passed
}

// Of returns the figures of connection l. They are valid until the next call.
func (x *LoneSYN) Of(l *conn.LoneSYN) *Connection {
	l.FillConn(&x.conn)
	syn := symptoms.PacketRef{Packet: l.Packet, Time: l.Time}
	x.sub = Sub{Subflow: symptoms.Subflow{
		Sub: x.conn.Subflows[0], Handshake: symptoms.Handshake{SYN: syn, SYNs: 1, Asked: l.Joined || l.Offer.Seen},
	}}
	x.figures = Connection{Conn: &x.conn, k: &x.k, Subs: append(x.figures.Subs[:0], &x.sub), amounts: &x.amounts}
	x.figures.place()
	return &x.figures
}
