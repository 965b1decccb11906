package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
)

// burstSize is how many packets are matched in a row. What the rest of the analysis does with
// a packet drives what is needed to match it, code and data, out of the nearest
// caches: in a row it costs much less. To another processor each packet would
// cost two lines of the cache that change hands, which is most of what matching takes.
const burstSize = 256

// burst is what was deferred: packets that are to be matched, and what packets
// said of the data.
type burst struct {
	packets []event
	news    []news
	pieces  []piece      // of news that have several
	runs    []arrivedRun // bounded, as those are, by what the packets of a burst show
	used    [2]int       // how many places for packets and news were used since forget
}

// news is what a packet said of the data.
type news struct {
	dir          *pairedData
	lane         *lane
	time         int64
	single       piece // the only one, where nothing else is said
	pieces, runs int32 // how many of those in the burst are its own
	sub          int32 // with whole: that the run arrived on
	leaves       bool  // the data, as opposed to arriving
	whole        bool  // the only piece is also the only run: it came in order at once
}

// piece is what is kept of a run of payload.
type piece struct {
	dataRange
	kind dss.PieceKind
}

// open makes place for what is deferred.
func (b *burst) open() {
	b.packets, b.news = make([]event, 0, burstSize), make([]news, 0, burstSize+1)
}

// say returns the place for what a packet says of the data: one that is to be
// matched, or the first after all were.
func (b *burst) say() *news {
	n := len(b.news)
	b.news = b.news[:n+1]
	return &b.news[n]
}

// take keeps what most packets say: one piece that is not in order yet, or is
// so at once. It reports whether that was all.
func (x *news) take(pkt *conn.Packet) bool {
	if len(pkt.Pieces) != 1 || len(pkt.InOrder) > 1 {
		return false
	}
	k := &pkt.Pieces[0]
	x.whole = false
	if len(pkt.InOrder) == 1 {
		c := pkt.InOrder[0]
		if c.Data != k.Data || c.Seen != x.time {
			return false
		}
		x.whole, x.sub = true, c.Sub
	}
	x.single.dataRange, x.single.kind = k.Data, k.Kind
	x.pieces, x.runs = 0, 0
	return true
}

// take keeps what other packets say, of which x tells how much it is.
func (b *burst) take(x *news, pkt *conn.Packet) {
	x.single, x.whole = piece{}, false
	x.pieces, x.runs = int32(len(pkt.Pieces)), int32(len(pkt.InOrder))
	for i := range pkt.Pieces {
		b.pieces = append(b.pieces, piece{pkt.Pieces[i].Data, pkt.Pieces[i].Kind})
	}
	for _, c := range pkt.InOrder {
		b.runs = append(b.runs, arrivedRun{c.Data, c.Seen, pkt.Seg.Time, c.Sub})
	}
}

// flush matches what was deferred.
func (p *Pair) flush() {
	if len(p.loose) > 0 {
		p.align()
	}
	b := &p.burst
	for i := range b.packets {
		b.packets[i].lane.take(&b.packets[i])
	}
	pieces, runs := b.pieces, b.runs
	for i := range b.news {
		n := &b.news[i]
		if n.pieces|n.runs == 0 {
			n.dir.learn(n)
			continue
		}
		n.dir.learnMany(n, pieces[:n.pieces], runs[:n.runs])
		pieces, runs = pieces[n.pieces:], runs[n.runs:]
	}
	b.used = [2]int{max(b.used[0], len(b.packets)), max(b.used[1], len(b.news))}
	b.packets, b.news, b.pieces, b.runs = b.packets[:0], b.news[:0], b.pieces[:0], b.runs[:0]
}

// forget drops what leads to connections that may be over.
func (b *burst) forget() {
	packets, said := b.packets[:b.used[0]], b.news[:b.used[1]]
	b.used = [2]int{}
	for i := range packets {
		packets[i].lane = nil
	}
	for i := range said {
		said[i].dir, said[i].lane = nil, nil
	}
}
