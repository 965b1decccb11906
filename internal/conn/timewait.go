package conn

import (
	"bytes"
	"cmp"
	"slices"
)

// timeWait remembers the 4-tuples of finished connections, as TIME-WAIT does (RFC
// 9293).
type timeWait struct {
	known map[key]int32  // index in list of the latest end of each 4-tuple
	list  []timeWaitFlow // ring in the order of the ends; bounded by maxTimeWait
	next  int
}

// maxTimeWait bounds the 4-tuples that are remembered, so that late packets count and
// stragglers do not look like new connections: 12 MB.
const maxTimeWait = 1 << 16

// timeWaitFlow is a 4-tuple and the time of its end, ns. early says that the table gave
// it up while it was open, again that another connection uses it now.
type timeWaitFlow struct {
	at int64
	key
	early bool
	again bool
	order int // [Conn.Order]
	closedEnds
}

// ordered returns the same key for both directions of a connection.
func (k key) ordered() key {
	if cmp.Or(bytes.Compare(k.src.Addr[:], k.dst.Addr[:]), cmp.Compare(k.src.Port, k.dst.Port)) > 0 {
		return k.reverse()
	}
	return k
}

// add remembers a 4-tuple, of either direction. If it had to forget another one to make
// room, full is true, and endedAt is the time at which that one ended, ns.
func (r *timeWait) add(k key, now int64, early bool, order int) (endedAt int64, full bool) {
	if r.known == nil {
		r.known = make(map[key]int32)
	}
	at, f := r.next, timeWaitFlow{at: now, key: k.ordered(), early: early, order: order}
	if at == len(r.list) {
		if at == cap(r.list) {
			r.list = slices.Grow(r.list, max(at, 64)) // append grows a long list by a quarter, and copies it four times as often
		}
		r.list = append(r.list, f)
	} else {
		if old := &r.list[at]; r.known[old.key] == int32(at) { // it did not end again since
			delete(r.known, old.key)
			endedAt, full = old.at, true
		}
		r.list[at] = f
	}
	r.known[f.key] = int32(at)
	r.next = (at + 1) % maxTimeWait
	return endedAt, full
}

// has reports whether packets with key k may still come from a finished connection: it
// ended within two MSL, or was given up early.
func (r *timeWait) has(k key, now int64) (early, ok bool) {
	if len(r.known) == 0 {
		return false, false
	}
	at, ok := r.known[k.ordered()]
	if !ok {
		return false, false
	}
	f := &r.list[at]
	return f.early, f.early || now-f.at < twoMSL
}

// replace says that another connection uses key k, which was added before, from now on.
func (r *timeWait) replace(k key) {
	if at, ok := r.known[k.ordered()]; ok {
		r.list[at].again = true
	}
}

// replaced reports whether a connection ended within two MSL, after which another one uses
// its key k.
func (r *timeWait) replaced(k key, now int64) bool {
	at, ok := r.known[k.ordered()]
	return ok && r.list[at].again && now-r.list[at].at < twoMSL
}
