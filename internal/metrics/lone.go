package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/symptoms"
)

// Lone holds the figures of connections of which nothing but a SYN was captured, one in
// place of the other.
type Lone struct {
	figures Connection
	conn    conn.Conn
	sub     Sub
	k       Collector
	amounts amounts // nothing passed
}

// Of returns the figures of one.
func (x *Lone) Of(l *conn.LoneSYN) *Connection {
	l.FillConn(&x.conn)
	syn := symptoms.PacketRef{Packet: l.Packet, Time: l.Time}
	x.sub = Sub{Subflow: symptoms.Subflow{
		Sub: x.conn.Subflows[0], Handshake: symptoms.Handshake{SYN: syn, SYNs: 1, Asked: l.Joined || l.Offer.Seen},
	}}
	x.figures = Connection{Conn: &x.conn, k: &x.k, Subs: append(x.figures.Subs[:0], &x.sub), amounts: &x.amounts}
	x.figures.place()
	return &x.figures
}
