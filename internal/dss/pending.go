package dss

import (
	"slices"

	"mpanalyze/internal/seq"
)

// The bounds of what a lane keeps until a mapping covers it: one may come after
// the first segment that it covers (RFC 8684, Section 3.3.1). Beyond them the
// oldest run is counted as unmapped and forgotten, copies of others first.
const (
	maxPending      = 256
	maxPendingBytes = 4 << 20
)

// wait keeps the part r of p until a mapping covers it. A retransmission waits
// only where it repeats what waits already: one that does not is a keep-alive
// probe with an octet of garbage (RFC 9293, Section 3.8.4), or too old to
// matter.
func (l *SubflowSpace) wait(whole *Payload, r seq.Range[seq.SSN]) {
	p := *whole
	if !p.New && !l.awaits(r) {
		return
	}
	if p.Bytes != nil {
		p.Bytes = append([]byte{}, cut(p.Bytes, int64(r.Start-p.Start), r.Len())...)
	}
	p.Range = r
	l.pend(p)
}

// pend enters p, whose bytes are the lane's own, among what waits.
func (l *SubflowSpace) pend(p Payload) {
	l.pending = append(l.pending, p)
	l.pendingBytes += len(p.Bytes)
	for len(l.pending) > maxPending || l.pendingBytes > maxPendingBytes {
		i := max(0, slices.IndexFunc(l.pending, func(p Payload) bool { return !p.New }))
		l.UnmappedBytes += l.pending[i].Len()
		l.pendingBytes -= len(l.pending[i].Bytes)
		l.pending = slices.Delete(l.pending, i, i+1)
	}
}

// awaits reports whether any of r waits for a mapping.
func (l *SubflowSpace) awaits(r seq.Range[seq.SSN]) bool {
	for i := range l.pending {
		if l.pending[i].Overlaps(r) {
			return true
		}
	}
	return false
}

// HasUnmapped reports whether any payload waits for a mapping.
func (l *SubflowSpace) HasUnmapped() bool { return len(l.pending) > 0 }

// FirstUnmapped returns the payload that waits for a mapping: how many runs, and
// the first of them.
func (l *SubflowSpace) FirstUnmapped() (n int, first Payload) {
	if len(l.pending) == 0 {
		return 0, Payload{}
	}
	return len(l.pending), l.pending[0]
}

// resolve places the waiting payload that the mapping of r now covers, and adds
// to f what it is.
func (sp *Space) resolve(l *SubflowSpace, r seq.Range[seq.SSN], f *Result) {
	if !l.awaits(r) {
		return
	}
	sp.moved = byAll // the next packet may be another lane's
	waiting := l.pending
	l.pending, l.pendingBytes = l.resolved[:0], 0
	for i := range waiting {
		if p := &waiting[i]; p.Overlaps(r) {
			sp.AddPayload(l, p, f)
		} else {
			l.pend(*p)
		}
	}
	clear(waiting)
	l.resolved = waiting
}

// DropUnmapped gives up the payload that still waits for a mapping.
func (l *SubflowSpace) DropUnmapped() {
	for _, p := range l.pending {
		l.UnmappedBytes += p.Len()
	}
	l.pending, l.pendingBytes = nil, 0
}
