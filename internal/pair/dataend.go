package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/seq"
)

// closed takes the figures when the connection is over in both captures.
func (b *connPair) finish() {
	if b.over || !b.ends[0].closed || !b.ends[1].closed {
		return
	}
	b.over = true
	for side := range b.dirs {
		b.dirs[side].align()
		b.dirs[side].matchDelivered(true)
		b.dirs[side].decideDelays()
		v := &b.dirs[side].chunks
		v.release(b.pair, len(v.settled))
	}
	for _, w := range b.ends {
		delete(b.pair.joined, w.conn)
	}
	c := Conn{ID: [2]int{b.ends[0].conn.Order, b.ends[1].conn.Order}, Flipped: b.flipped, At: b.at}
	for side := range b.dirs {
		d := &b.dirs[side]
		d.OneSided += d.oneSided(b.ends[b.at[side]].conn.Spaces[b.sideAt(b.at[side], conn.Side(side))].SndUna())
		d.Delivery.samples = d.delivery.list
		c.Dirs[side] = new(d.ConnDir) // a pointer into d would keep both connections
	}
	b.pair.conns = append(b.pair.conns, c)
}

// oneSided returns the octets that one capture alone shows, of runs that were
// let go or are still here: what was sent and DATA_ACKed, up to ack, and what
// was delivered.
func (d *dataDirection) oneSided(ack seq.DSN, acked bool) int64 {
	n := d.sent.missed + d.delivered.missed
	for _, r := range d.sent.list[d.sent.head:] {
		if acked && r.End <= ack {
			n += r.open
		}
	}
	for _, r := range d.delivered.list[d.delivered.head:] {
		n += r.open
	}
	return n
}
