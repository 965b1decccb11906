package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// chain is what a [train] is where another capture tells of rates, bursts, window
// and signs, and only the order counts: packets that go on with the data of the
// one before, on whichever subflow, a piece of one size in each. They are counted
// and entered when something else comes.
type chain struct {
	end  seq.DSN // of its data; unread where no packet continues it
	size int64   // octets of each packet
	more int64   // packets behind its first one that are not entered
}

// away takes a packet with payload of a direction of which another capture tells
// what the sender shows.
func (w *way) away(p *conn.Packet, now int64) {
	d := w.out.dir
	if w.out.carried(p, now); d.looked.holds(now) {
		d.link(p.Pieces, now)
		d.queue.carried(d, now)
	} else {
		d.unlooked(p.Pieces)
	}
	d.placed(p, now)
}

// link takes the pieces of a packet, of which only the order counts.
func (d *Dir) link(list []dss.Piece, now int64) {
	c := &d.chain
	if len(list) == 1 && list[0].Data.Start == c.end && list[0].Data.Len() == c.size && list[0].Kind == dss.First {
		c.end = list[0].Data.End
		c.more++
		if d.Order.filling {
			d.Order.lateBy(now)
		}
		return
	}
	d.unchain()
	for i := range list {
		d.Order.take(d, list[i:], now)
	}
	if c.end = unread; len(list) == 1 && list[0].Kind == dss.First && (d.Order.filling || list[0].Data.End == d.Order.next) {
		c.end, c.size = list[0].Data.End, list[0].Data.Len()
	}
}

// unchain enters the chain.
func (d *Dir) unchain() {
	if c := &d.chain; c.more > 0 {
		d.Order.follow(c.more, c.size, c.end)
		c.more = 0
	}
	d.chain.end = unread
}
