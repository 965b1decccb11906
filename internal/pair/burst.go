package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
)

// How many packets are matched in a row. What the rest of the analysis does with
// a packet drives what is needed to match it, code and data, out of the nearest
// caches: in a row it costs much less. Where that is done beside, rows are longer,
// as one has to be woken for each.
const (
	burstSize       = 256
	burstSizeBeside = 1024
	// MaxBeside is how many bursts may wait for their turn: memory.
	MaxBeside = 2
)

// burst is what was deferred: packets that are to be matched, and what packets
// said of the data.
type burst struct {
	packets []event
	news    []news
	pieces  []piece      // of news that have several
	runs    []arrivedRun // bounded, as those are, by what the packets of a burst show
	ends    [2]reached   // how far the captures have come
	match   func()
	used    [2]int // how many places for packets and news were used since forget
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

// open makes place for the bursts.
func (p *Pair) open() {
	size := burstSize
	if p.opt.Beside != nil {
		size = burstSizeBeside
	}
	for i := range p.bursts {
		if i == 0 || p.opt.Beside != nil {
			b := &burst{packets: make([]event, 0, size), news: make([]news, 0, size+1)}
			b.match = func() { p.matchBurst(b) }
			p.bursts[i] = b
		}
	}
	p.burst = p.bursts[0]
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

// pass has a burst matched, and returns the next.
func (p *Pair) pass() *burst {
	if p.opt.Beside == nil {
		p.flush()
		return p.burst
	}
	p.ready()
	p.opt.Beside.Do(p.burst.match)
	p.filled = (p.filled + 1) % len(p.bursts)
	p.burst = p.bursts[p.filled]
	return p.burst
}

// flush matches what was deferred. When it returns nothing is done beside.
func (p *Pair) flush() {
	p.wait()
	p.ready()
	p.burst.match()
}

// wait returns when nothing is done beside any more.
func (p *Pair) wait() {
	if p.opt.Beside != nil {
		p.opt.Beside.Wait()
	}
}

// ready notes what is known of the captures when a burst is to be matched: beside
// that they go on.
func (p *Pair) ready() {
	if len(p.loose) > 0 {
		p.align()
	}
	for e := range p.ends {
		p.burst.ends[e] = p.ends[e].reached
	}
}

// matchBurst matches what a burst holds.
func (p *Pair) matchBurst(b *burst) {
	for e := range p.ends {
		p.ends[e].told = b.ends[e]
	}
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
func (p *Pair) forget() {
	for _, b := range p.bursts {
		if b != nil {
			b.forget()
		}
	}
}

// forget does so in a burst that was matched.
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
