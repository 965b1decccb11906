package dss

import (
	"slices"

	"mpanalyze/internal/seq"
)

// The bounds of the payload that waits for a mapping. Payload may wait because a
// mapping may come after the first segment that it covers (RFC 8684, Section 3.3.1). At
// the bound the oldest payload is counted as unmapped and dropped, retransmissions
// first.
const (
	maxPending      = 256
	maxPendingBytes = 4 << 20
)

// keepUnmapped keeps the part r of whole until a mapping covers it. A retransmission is
// kept only if it repeats payload that waits. Any other retransmission is too old to
// matter, or it is a keep-alive with a byte that is not part of the stream (RFC 9293,
// Section 3.8.4).
func (sub *SubflowSpace) keepUnmapped(whole *Payload, r seq.Range[seq.SSN]) {
	p := *whole
	if !p.New && !sub.anyPending(r) {
		return
	}
	if p.Bytes != nil {
		p.Bytes = append([]byte{}, CapturedPart(p.Bytes, int64(r.Start-p.Start), r.Len())...)
	}
	p.Range = r
	sub.addPending(p)
}

// addPending appends p to the payload that waits. p.Bytes must not be used by others.
func (sub *SubflowSpace) addPending(p Payload) {
	sub.pending = append(sub.pending, p)
	sub.pendingBytes += int32(len(p.Bytes))
	for len(sub.pending) > maxPending || sub.pendingBytes > maxPendingBytes {
		i := max(0, slices.IndexFunc(sub.pending, func(p Payload) bool { return !p.New }))
		sub.UnmappedBytes += sub.pending[i].Len()
		sub.pendingBytes -= int32(len(sub.pending[i].Bytes))
		sub.pending = slices.Delete(sub.pending, i, i+1)
	}
}

// anyPending reports whether any of r waits for a mapping.
func (sub *SubflowSpace) anyPending(r seq.Range[seq.SSN]) bool {
	for i := range sub.pending {
		if sub.pending[i].Overlaps(r) {
			return true
		}
	}
	return false
}

// HasUnmapped reports whether any payload waits for a mapping.
func (sub *SubflowSpace) HasUnmapped() bool { return len(sub.pending) > 0 }

// FirstUnmapped returns the payload that waits for a mapping: the number of its runs,
// and the first of them.
func (sub *SubflowSpace) FirstUnmapped() (n int, first Payload) {
	if len(sub.pending) == 0 {
		return 0, Payload{}
	}
	return len(sub.pending), sub.pending[0]
}

// placePending enters the waiting payload that the mapping of r now covers, and adds
// its pieces to f.
func (sp *Space) placePending(sub *SubflowSpace, r seq.Range[seq.SSN], f *Result) {
	if !sub.anyPending(r) {
		return
	}
	sp.rcvNxtMoved = true
	waiting := sub.pending
	sub.pending, sub.pendingBytes = sub.sparePending[:0], 0
	for i := range waiting {
		if p := &waiting[i]; p.Overlaps(r) {
			sp.AddPayload(sub, p, f)
		} else {
			sub.addPending(*p)
		}
	}
	clear(waiting)
	sub.sparePending = waiting
}

// DropUnmapped counts the payload that still waits for a mapping as unmapped, and drops
// it.
func (sub *SubflowSpace) DropUnmapped() {
	for _, p := range sub.pending {
		sub.UnmappedBytes += p.Len()
	}
	sub.pending, sub.pendingBytes = nil, 0
}
