package conn

import (
	"bytes"
	"cmp"
)

// retired remembers the 4-tuples of connections that are finished.
type retired struct {
	known map[key]retiree
	list  []tombstone // ring in the order of retirement; bounded by maxRetired
	next  int
}

// maxRetired bounds the 4-tuples that are remembered, so that stragglers do not look
// like new connections: 10 MB.
const maxRetired = 1 << 16

// retiree is what is known of a 4-tuple: the time of its end, ns, and whether the
// table gave it up while it was open.
type retiree struct {
	at    int64
	early bool
}

type tombstone struct {
	key
	at int64
}

// ordered is the same for both directions of a connection.
func (k key) ordered() key {
	if cmp.Or(bytes.Compare(k.src.Addr[:], k.dst.Addr[:]), cmp.Compare(k.src.Port, k.dst.Port)) > 0 {
		return k.reverse()
	}
	return k
}

// add remembers a 4-tuple, of either direction.
func (r *retired) add(k key, now int64, early bool) {
	if r.known == nil {
		r.known = make(map[key]retiree)
	}
	k = k.ordered()
	if len(r.list) < maxRetired {
		r.list = append(r.list, tombstone{k, now})
	} else {
		if old := &r.list[r.next]; r.known[old.key].at == old.at { // it did not end again since
			delete(r.known, old.key)
		}
		r.list[r.next] = tombstone{k, now}
		r.next = (r.next + 1) % maxRetired
	}
	r.known[k] = retiree{now, early}
}

// has reports whether packets of k may still come of what is finished: k ended so
// lately, or was open then.
func (r *retired) has(k key, now int64) (early, ok bool) {
	if len(r.known) == 0 {
		return false, false
	}
	e, ok := r.known[k.ordered()]
	return e.early, ok && (e.early || now-e.at < quiet)
}
