package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
)

// burstSize is how many packets are matched in a row. What the rest of the
// analysis does with a packet drives what is needed to match it, code and data,
// out of the nearest caches: in a row it costs much less.
const burstSize = 64

// burst is what was deferred: packets that are to be matched, and what packets
// said of the data.
type burst struct {
	packets []deferred // bounded by burstSize
	news    []news     // bounded by burstSize, as are the packets with pieces and runs
	pieces  []piece
	runs    []arrivedRun
}

func newBurst() burst {
	return burst{packets: make([]deferred, 0, burstSize), news: make([]news, 0, burstSize)}
}

// deferred is a packet that is to be matched.
type deferred struct {
	event
	link *link
	at   End
}

// news is what a packet said of the data.
type news struct {
	w            *watch
	link         *link
	time         int64
	pieces, runs int // how many of those in the burst are its own
	from         conn.Side
}

// piece is what is kept of a run of payload.
type piece struct {
	dataRange
	kind dss.PieceKind
}

// put returns the place of the next packet that is to be matched.
func (p *Pair) put(l *link, at End) *event {
	n := len(p.burst.packets)
	if n == burstSize {
		p.flush()
		n = 0
	}
	p.burst.packets = p.burst.packets[:n+1]
	d := &p.burst.packets[n]
	d.link, d.at = l, at
	return &d.event
}

// defers keeps what a packet says of the data.
func (p *Pair) defers(w *watch, pkt *conn.Packet) {
	b := &p.burst
	if len(b.news) == burstSize {
		p.flush()
	}
	n := len(b.news)
	b.news = b.news[:n+1]
	x := &b.news[n]
	x.w, x.link, x.time, x.from = w, w.links[pkt.Sub.ID], pkt.Seg.Time, pkt.From
	if x.link == nil {
		x.link = w.flows[pkt.Sub.ID].link
	}
	x.pieces, x.runs = len(pkt.Pieces), len(pkt.InOrder)
	for i := range pkt.Pieces {
		b.pieces = append(b.pieces, piece{pkt.Pieces[i].Data, pkt.Pieces[i].Kind})
	}
	for _, c := range pkt.InOrder {
		b.runs = append(b.runs, arrivedRun{c.Data, c.Seen, pkt.Seg.Time, c.Sub})
	}
}

// flush matches what was deferred.
func (p *Pair) flush() {
	b := &p.burst
	for i := range b.packets {
		d := &b.packets[i]
		d.link.take(d.at, &d.event)
		d.link = nil
	}
	b.packets = b.packets[:0]
	pieces, runs := b.pieces, b.runs
	for i := range b.news {
		n := &b.news[i]
		n.w.learn(n, pieces[:n.pieces], runs[:n.runs])
		pieces, runs = pieces[n.pieces:], runs[n.runs:]
		n.w, n.link = nil, nil
	}
	b.news, b.pieces, b.runs = b.news[:0], b.pieces[:0], b.runs[:0]
}
