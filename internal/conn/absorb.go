package conn

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"mpanalyze/internal/packet"
)

// NewShare returns a table that takes a part of the connections of a capture, as
// a [Sharing] gives them out. Its packets come through [Table.Part], and
// [Table.Sweep] says when it is to look for ended connections.
func NewShare(opt Options, modules ...Module) *Table {
	t := NewTable(opt, modules...)
	t.sweepAt = math.MaxInt64
	return t
}

// Part takes those of segs that were given to the table. The first of segs has a
// position among the packets of all shares; the connection that begins with a
// packet, one at the most, is numbered by the packet's: so the numbers of all
// shares have the order that those of one table have, but gaps.
//
// The numbers of routes spare a look at addresses and ports.
func (t *Table) Part(position int, segs []packet.Segment, given []Given) {
	for _, g := range given {
		s, d := &segs[g.index], (*Direction)(nil)
		if int(g.route) < len(t.routes) {
			d = t.routes[g.route]
		}
		if d != nil && d.isUsual(s) {
			t.usual(s, d)
			continue
		}
		at := position + int(g.index)
		t.position, t.nextSeq, t.nextID = at, at, at
		t.unusual(s)
		t.remember(g.route, s)
	}
}

// remember notes the direction of a packet under the number of its route.
func (t *Table) remember(route uint16, s *packet.Segment) {
	d := t.cache.recentOfAny(s)
	if d == nil {
		return
	}
	if missing := int(route) + 1 - len(t.routes); missing > 0 {
		t.routes = append(t.routes, make([]*Direction, missing)...)
	}
	t.routes[route], d.route = d, route
}

// forget drops what is known of both directions of k besides the map. They are
// still there.
func (t *Table) forget(k key) {
	t.cache.forget(k)
	for _, k := range [2]key{k, k.reverse()} {
		if d := t.flows[k]; d != nil && int(d.route) < len(t.routes) {
			t.routes[d.route] = nil
		}
	}
}

// Sweep looks for connections that have ended by the time now.
func (t *Table) Sweep(now int64) {
	t.since = len(t.open)
	t.sweep(now)
	t.sweepAt = math.MaxInt64
}

// Absorb makes t, a share, the table of all connections, as it would be if it
// had taken every packet of both shares that h gave out. The other one is of no
// use afterwards.
func (t *Table) Absorb(other *Table, h *Sharing) {
	t.now, t.since, t.sweepAt = max(t.now, other.now), h.since, h.sweepAt
	t.nextSeq, t.nextID = h.given, h.given
	bySeq := func(a, b *Conn) int { return cmp.Compare(a.Seq, b.Seq) }
	t.open, t.live = append(t.open, other.open...), t.live+other.live
	slices.SortFunc(t.open, bySeq)
	t.halfs = append(t.halfs, other.halfs...)
	slices.SortFunc(t.halfs, bySeq)
	maps.Copy(t.flows, other.flows)
	maps.Copy(t.tokens, other.tokens)
	t.retired.absorb(&other.retired)
	all := slices.Concat(t.Warnings.list, other.Warnings.list)
	slices.SortStableFunc(all, func(a, b Warning) int { return cmp.Compare(a.position, b.position) })
	t.Warnings = Warnings{lost: t.Warnings.lost + other.Warnings.lost}
	for _, w := range all {
		t.Warnings.add(w)
	}
}

// absorb adds what another ring remembers. Neither is full, as a [Sharing] gives
// out fewer flows than fit in.
func (r *retired) absorb(other *retired) {
	r.list = append(r.list, other.list...)
	slices.SortStableFunc(r.list, func(a, b tombstone) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.conn, b.conn))
	})
	if r.when == nil {
		r.when = make(map[key]int64)
	}
	maps.Copy(r.when, other.when)
}
