package conn

import "mpanalyze/internal/dss"

// dsnIndex finds connections by the data sequence numbers that they have reached, so
// that the search for the connection of a pending flow does not look at all of them.
// Each space is in a list of spaces with about the same number: in one by all 64 bits
// where they are known, and in one by the lower 32 bits, which is all that 4-byte
// numbers show.
//
// The lists are as of the latest refresh. Spaces advance meanwhile, but by less than
// the width of a list: see [Table.refreshIndex].
type dsnIndex struct {
	lists map[uint64]*dsnEntry // by [listOf]; nil until the first search
	since int                  // [Table.sinceSweep] at the latest refresh

	compared int // number of comparisons by all searches
}

// dsnEntry is an element of a list: a space of a connection or of a pending flow.
type dsnEntry struct {
	conn       *Conn        // nil for a pending flow
	pending    *pendingFlow // nil for a connection
	side       Side         // the sender of the data
	list       uint64
	next, prev *dsnEntry
	in         bool
}

// dsnEntries are the entries of a connection's two spaces: by 64 bits, and by 32.
type dsnEntries [2][2]dsnEntry

const (
	// wideList is the width of a list by 64 bits, as a power of two. That is enough,
	// because a number that agrees lies within [maxDistance] of the number that the
	// space has reached.
	wideList = 30
	// narrowList is the width by 32 bits. Numbers of 4 bytes prove something only if
	// one of them lies within 2^11 bytes of the number that the space has reached: see
	// [proofBits].
	narrowList = 20
	// maxCandidates bounds the spaces that one search looks at.
	maxCandidates = 128
	// fewOpen is the number of connections that every search may look at.
	fewOpen = 64
)

// The kinds of list: by 64 bits; by 32 bits, of spaces that have 64; by 32 bits, of
// others.
const (
	byWide uint64 = iota << 62
	byLower
	byNarrow
)

// listOf returns the key of the list for number n, or with a step of 1 or -1 the key of
// the list above or below that.
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

// enterPending puts the numbers that a pending flow has shown in the lists. For a
// one-sided flow it puts in the numbers that its spaces have reached.
func (x *dsnIndex) enterPending(pf *pendingFlow) {
	switch {
	case x.lists == nil:
	case pf.noMatching:
		x.leavePending(pf)
	case pf.oneSided:
		x.put(&pf.entries[0], pf.endsAt, dsnEntry{pending: pf})
	default:
		for sender := range pf.entries {
			x.put(&pf.entries[sender], [2]wireDSN{pf.latest[0][sender], pf.latest[1][sender]}, dsnEntry{pending: pf})
		}
	}
}

// put moves entries to the lists of the numbers at.
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

// move puts an entry at the front of a list, unless it is in that list.
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

// takeOut removes an entry from its list.
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

// leave removes the entries of a connection.
func (x *dsnIndex) leave(c *Conn) {
	if c.entries != nil {
		x.forget(c.entries)
		c.entries = nil
	}
}

// leavePending removes the entries of a pending flow.
func (x *dsnIndex) leavePending(pf *pendingFlow) {
	for sender := range pf.entries {
		x.forget(&pf.entries[sender])
	}
}

// forget removes entries from their lists.
func (x *dsnIndex) forget(all *dsnEntries) {
	for side := range all {
		for i := range all[side] {
			x.takeOut(&all[side][i])
		}
	}
}

// refreshIndex puts all spaces in the lists where they belong now, unless so few
// packets passed since the latest time that no space can have advanced far.
func (t *Table) refreshIndex() {
	x := &t.dsnIndex
	switch passed := t.sinceSweep - x.since; {
	case x.lists == nil:
		x.lists = make(map[uint64]*dsnEntry)
	case passed > 0 && t.numConns() <= fewOpen || 4*passed >= t.numConns():
	default:
		return
	}
	x.since = t.sinceSweep
	for c := range t.open.all() {
		x.enter(c)
	}
}

// candidates calls f for the spaces that may have reached about number n until f
// returns false.
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

// search is the search for the connection of a pending flow.
type search struct {
	*pendingFlow
	best  *dsnEntry    // the connection or one-sided flow that agrees best
	score int          // of best, in bits
	other *pendingFlow // the earliest other pending flow that agrees
	side  [2]Side      // for best and for other: who sent the first packet of the flow, if it belongs there
	left  int          // number of comparisons left
}

// search finds the open connection or one-sided flow whose spaces have reached about
// the same numbers as the flow, and another pending flow with about the same numbers.
// If several connections agree equally well, it takes the one that began last.
func (t *Table) search(pf *pendingFlow) (x search) {
	x = search{pendingFlow: pf, left: maxCandidates}
	if pf.latest == ([2][2]wireDSN{}) {
		return x
	}
	t.processQueued() // which moves the numbers
	t.refreshIndex()
	for sender := range pf.latest {
		for _, n := range pf.latest[sender] {
			if !n.ok {
				continue
			}
			t.dsnIndex.candidates(n, func(p *dsnEntry) bool {
				switch {
				case p.pending == pf:
					return true
				case p.conn == nil && !p.pending.oneSided:
					x.comparePending(p.pending)
				default:
					x.compare(p, p.side^Side(sender))
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

// compare compares the flow with p, on the assumption that side s of p's connection
// sent the flow's first packet.
func (x *search) compare(p *dsnEntry, s Side) {
	if p.conn != nil && !x.mayJoin(p.conn, s) {
		return
	}
	at := p.nextDSNs()
	b, _ := x.agrees(&[2][2]wireDSN{{at[A]}, {at[B]}}, s)
	if b > x.score || b == x.score && x.best != nil && (p.order() > x.best.order() || p.order() == x.best.order() && s < x.side[0]) {
		x.best, x.side[0], x.score = p, s, b
	}
}

// comparePending compares the flow with another pending flow; one of the two has no
// token.
func (x *search) comparePending(other *pendingFlow) {
	if x.joins && other.joins || x.other != nil && x.other.order <= other.order {
		return
	}
	for _, s := range []Side{A, B} {
		if bits, _ := x.agrees(&other.latest, s); bits >= proofBits {
			x.other, x.side[1] = other, s
			return
		}
	}
}

// order returns [Conn.Order] of the entry's connection.
func (p *dsnEntry) order() int {
	if p.conn == nil {
		return p.pending.known.Order
	}
	return p.conn.Order
}

// nextDSNs returns the numbers that the spaces of the entry's connection have reached.
func (p *dsnEntry) nextDSNs() [2]wireDSN {
	if p.conn == nil {
		return p.pending.endsAt
	}
	return p.conn.nextDSNs()
}

// nextDSNs returns the numbers that the spaces of c have reached.
func (c *Conn) nextDSNs() [2]wireDSN {
	return [2]wireDSN{nextDSN(&c.Spaces[A]), nextDSN(&c.Spaces[B])}
}

// mayJoin reports whether the flow may be a subflow of c if side s sent its first
// packet. It does not look at data sequence numbers.
func (pf *pendingFlow) mayJoin(c *Conn, s Side) bool {
	if c.finished || c.Kind != Multipath {
		return false
	}
	return !pf.joins || !c.Hosts[s.Other()].HasToken // otherwise it joins by another token
}

// isFullFor reports whether c has no room for the flow. It also has room for no more than maxNoSYN
// subflows without a captured handshake.
func (c *Conn) isFullFor(pf *pendingFlow) bool {
	return c.isFull() || !pf.joins && c.subflowsNoSYN >= maxNoSYN
}

// nextDSN returns the number that a space has reached.
func nextDSN(sp *dss.Space) wireDSN {
	base, wide, known := sp.Base()
	return wireDSN{base + uint64(sp.SndNxt()), wide, known}
}
