package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
)

// burstSize is how many packets are matched in a row. What the rest of the
// analysis does with a packet drives what is needed to match it, code and data,
// out of the nearest caches: in a row it costs much less. A power of two.
const burstSize = 256

// burst is what was deferred: packets that are to be matched, and what packets
// said of the data.
type burst struct {
	packets  [burstSize]event
	nPackets int
	news     [burstSize]news
	nNews    int
	pieces   []piece      // of news that have several
	runs     []arrivedRun // bounded, as those are, by what the packets of a burst show
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

// full reports whether there is no place for another packet, or for what it may
// say of the data.
func (b *burst) full() bool { return max(b.nPackets, b.nNews) == burstSize }

// put returns the place of the next packet that is to be matched.
func (b *burst) put() *event {
	e := &b.packets[b.nPackets&(burstSize-1)]
	b.nPackets++
	return e
}

// say returns the place for what a packet says of the data.
func (b *burst) say() *news {
	n := &b.news[b.nNews&(burstSize-1)]
	b.nNews++
	return n
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
	b := &p.burst
	packets, said := b.packets[:b.nPackets], b.news[:b.nNews]
	b.nPackets, b.nNews = 0, 0
	for i := range packets {
		packets[i].lane.take(&packets[i])
	}
	pieces, runs := b.pieces, b.runs
	for i := range said {
		n := &said[i]
		if n.pieces|n.runs == 0 {
			n.dir.learn(n)
			continue
		}
		n.dir.learnMany(n, pieces[:n.pieces], runs[:n.runs])
		pieces, runs = pieces[n.pieces:], runs[n.runs:]
	}
	b.pieces, b.runs = b.pieces[:0], b.runs[:0]
}

// forget drops what leads to connections that may be over.
func (b *burst) forget() {
	for i := range b.packets {
		b.packets[i].lane = nil
		b.news[i].dir, b.news[i].lane = nil, nil
	}
}
