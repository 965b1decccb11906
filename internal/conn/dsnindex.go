package conn

import "mpanalyze/internal/dss"

// dsnIndex finds connections by the data sequence numbers that they have come to,
// so that the search for the connection of an orphan does not look at all. Each
// space stands in a list of those with a number of about the same size: by all 64
// bits where these are known, and by the lower 32, as numbers of 4 octets show
// no more.
//
// The lists are as of the latest refresh. Spaces move on meanwhile, but not by a
// list's width: see [Table.refreshIndex].
type dsnIndex struct {
	lists map[uint64]*dsnEntry // by [listOf]; nil until the first orphan is looked for
	since int                  // [Table.sinceSweep] at the latest refresh

	compared int // spaces with orphans, by all searches
}

// dsnEntry is the place of a space in a list.
type dsnEntry struct {
	conn       *Conn        // of which the space is; nil where it is
	orphan     *pendingFlow // of which no connection was made yet
	side       Side         // whose data the space is of
	list       uint64
	next, prev *dsnEntry
	in         bool
}

// dsnEntries are those of the spaces of one connection: by 64 bits, and by 32.
type dsnEntries [2][2]dsnEntry

const (
	// wideList is the width of a list by 64 bits, as a power of two: a number
	// that agrees lies within [maxDistance] of what the space has come to.
	wideList = 30
	// narrowList is the same by 32 bits. Numbers of 4 octets are proof only where
	// one of them lies within 2^11 octets of its space: see [proofBits].
	narrowList = 20
	// maxCandidates bounds the spaces that one search compares with an orphan.
	maxCandidates = 128
	// fewOpen is how many connections may be looked at for each orphan.
	fewOpen = 64
)

// The kinds of list: by 64 bits; by 32 of spaces that have 64; by 32 of others.
const (
	byWide uint64 = iota << 62
	byLower
	byNarrow
)

// listOf returns the name of the list of a kind that a number stands in, or of one
// that is so many steps above it.
func listOf(kind, n uint64, step int) uint64 {
	if kind == byWide {
		return kind | (n>>wideList+uint64(step))&(1<<(64-wideList)-1)
	}
	return kind | (n>>narrowList+uint64(step))&(1<<(32-narrowList)-1)
}

// enter puts the spaces of c in the lists where they belong now.
func (x *dsnIndex) enter(c *Conn) {
	if x.lists == nil || c.finished || c.Kind != Multipath || c.noMatching {
		return
	}
	at := c.nextDSNs()
	if c.entries == nil && (at[A].ok || at[B].ok) {
		c.entries = new(dsnEntries)
	}
	x.put(c.entries, at, dsnEntry{conn: c})
}

// enterPending puts the numbers that an orphan has shown in the lists, or what those of a
// fragment have come to.
func (x *dsnIndex) enterPending(o *pendingFlow) {
	switch {
	case x.lists == nil:
	case o.noMatching:
		x.leavePending(o)
	case o.oneSided:
		x.put(&o.entries[0], o.endsAt, dsnEntry{orphan: o})
	default:
		for sender := range o.entries {
			x.put(&o.entries[sender], [2]wireDSN{o.latest[0][sender], o.latest[1][sender]}, dsnEntry{orphan: o})
		}
	}
}

// put puts the places of spaces that have come to the numbers at where they belong.
func (x *dsnIndex) put(all *dsnEntries, at [2]wireDSN, of dsnEntry) {
	for side, n := range at {
		if !n.ok {
			continue
		}
		lower := byNarrow
		of.side = Side(side)
		if n.wide {
			lower = byLower
			x.move(&all[side][0], of, listOf(byWide, n.value, 0))
		}
		x.move(&all[side][1], of, listOf(lower, n.value, 0))
	}
}

// move puts a place in front of a list, if it does not stand in it.
func (x *dsnIndex) move(p *dsnEntry, of dsnEntry, list uint64) {
	if p.in && p.list == list {
		return
	}
	x.takeOut(p)
	first := x.lists[list]
	*p = of
	p.list, p.next, p.in = list, first, true
	if first != nil {
		first.prev = p
	}
	x.lists[list] = p
}

// takeOut takes a place out of its list.
func (x *dsnIndex) takeOut(p *dsnEntry) {
	if !p.in {
		return
	}
	if p.next != nil {
		p.next.prev = p.prev
	}
	switch {
	case p.prev != nil:
		p.prev.next = p.next
	case p.next != nil:
		x.lists[p.list] = p.next
	default:
		delete(x.lists, p.list)
	}
	*p = dsnEntry{}
}

// leave takes the spaces of a connection out of the lists.
func (x *dsnIndex) leave(c *Conn) {
	if c.entries != nil {
		x.forget(c.entries)
		c.entries = nil
	}
}

// leavePending takes the numbers of an orphan out of the lists.
func (x *dsnIndex) leavePending(o *pendingFlow) {
	for sender := range o.entries {
		x.forget(&o.entries[sender])
	}
}

// forget takes places out of the lists.
func (x *dsnIndex) forget(all *dsnEntries) {
	for side := range all {
		for i := range all[side] {
			x.takeOut(&all[side][i])
		}
	}
}

// refreshIndex puts all spaces in the lists where they belong now, unless so few
// packets passed since the latest time that no space can have moved far.
func (t *Table) refreshIndex() {
	x := &t.dsnIndex
	switch passed := t.sinceSweep - x.since; {
	case x.lists == nil:
		x.lists = make(map[uint64]*dsnEntry)
	case passed > 0 && t.open.n <= fewOpen || 4*passed >= t.open.n:
	default:
		return
	}
	x.since = t.sinceSweep
	for c := range t.open.all() {
		x.enter(c)
	}
}

// candidates calls f for the spaces that may have come to about the number n,
// which is of 64 bits or of 32, until f returns false.
func (x *dsnIndex) candidates(n wireDSN, f func(p *dsnEntry) bool) {
	kinds := [2]uint64{byWide, byNarrow}
	if !n.wide {
		kinds[0] = byLower
	}
	for _, kind := range kinds {
		for step := -1; step <= 1; step++ {
			for p := x.lists[listOf(kind, n.value, step)]; p != nil; p = p.next {
				if !f(p) {
					return
				}
			}
		}
	}
}

// search is the search for what an orphan belongs to.
type search struct {
	*pendingFlow
	best  *dsnEntry    // of the connections and fragments that agree with it
	score int          // in bits
	other *pendingFlow // of those that wait the first that does
	side  [2]Side      // of best and of other: who sent the first packet, then
	left  int          // how many it may still be compared with
}

// search looks for the open connection or fragment in whose spaces the orphan's
// numbers lie, and for another orphan. Of several connections that agree as well it is
// the one that began last.
func (t *Table) search(o *pendingFlow) (x search) {
	x = search{pendingFlow: o, left: maxCandidates}
	if o.latest == ([2][2]wireDSN{}) {
		return x
	}
	t.refreshIndex()
	for way := range o.latest {
		for _, n := range o.latest[way] {
			if !n.ok {
				continue
			}
			t.dsnIndex.candidates(n, func(p *dsnEntry) bool {
				switch {
				case p.orphan == o:
					return true
				case p.conn == nil && !p.orphan.oneSided:
					x.compareOrphan(p.orphan)
				default:
					x.compare(p, p.side^Side(way))
				}
				t.dsnIndex.compared++
				x.left--
				return x.left > 0
			})
		}
	}
	if x.score < proofBits {
		x.best = nil
	}
	return x
}

// compare compares the orphan with a connection or fragment, of which side s sent its
// first packet.
func (x *search) compare(p *dsnEntry, s Side) {
	if p.conn != nil && !x.mayJoin(p.conn, s) {
		return
	}
	b := x.agrees(p.nextDSNs(), s)
	if b > x.score || b == x.score && x.best != nil && (p.order() > x.best.order() || p.order() == x.best.order() && s < x.side[0]) {
		x.best, x.side[0], x.score = p, s, b
	}
}

// compareOrphan compares it with another orphan, one of which has no token.
func (x *search) compareOrphan(other *pendingFlow) {
	if x.join != nil && other.join != nil || x.other != nil && x.other.order <= other.order {
		return
	}
	for _, s := range []Side{A, B} {
		if bits, _ := x.agreesWith(other, s); bits >= proofBits {
			x.other, x.side[1] = other, s
			return
		}
	}
}

// order returns the place of a connection in the order of creation.
func (p *dsnEntry) order() int {
	if p.conn == nil {
		return p.orphan.known.Order
	}
	return p.conn.Order
}

// nextDSNs returns what the spaces of a connection have come to.
func (p *dsnEntry) nextDSNs() [2]wireDSN {
	if p.conn == nil {
		return p.orphan.endsAt
	}
	return p.conn.nextDSNs()
}

// nextDSNs returns what the spaces of c have come to.
func (c *Conn) nextDSNs() [2]wireDSN {
	return [2]wireDSN{nextDSN(&c.Spaces[A]), nextDSN(&c.Spaces[B])}
}

// mayJoin reports whether an orphan whose first packet came from side s may be a
// subflow of c, whatever their numbers say.
func (o *pendingFlow) mayJoin(c *Conn, s Side) bool {
	if c.finished || c.Kind != Multipath {
		return false
	}
	return o.join == nil || !c.Hosts[s.Other()].HasToken // else it joins by another token
}

// isFull reports whether c has as many subflows as are followed, or as many without a
// captured handshake, where the orphan has none either.
func (c *Conn) isFull(o *pendingFlow) bool {
	return len(c.Subflows) >= maxSubflows || o.join == nil && c.subflowsNoSYN >= maxNoSYN
}

// nextDSN returns what a space has come to.
func nextDSN(sp *dss.Space) wireDSN {
	base, wide, known := sp.Base()
	return wireDSN{base + uint64(sp.SndNxt()), wide, known}
}
