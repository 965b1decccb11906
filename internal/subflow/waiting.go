package subflow

import (
	"cmp"

	"mpanalyze/internal/seq"
)

// Oversized counts the segments that wait for an acknowledgment and are larger than each that was
// acknowledged, and returns the size of the least of them, bytes of payload. It returns 0 unless the
// first that waits is one of them. passed says whether a segment that was sent after it was SACKed.
func (snd *Sender) Oversized() (n, least int64, passed bool) {
	for p := range snd.rtxQueue.list.All() {
		unit := max(1, p.marks.segBytes())
		switch size := min(p.Len(), unit); {
		case p.marks&sacked != 0:
			passed = true
		case size > snd.Largest:
			if n += segments(p.Len(), unit); least == 0 || size < least {
				least = size
			}
		case n == 0:
			return 0, 0, false
		}
	}
	return n, least, passed
}

// Outstanding reports whether the segment with this sequence number waits for an acknowledgment. What does not wait, no message
// about it is believed (RFC 5927, Section 4.1).
func (snd *Sender) Outstanding(w seq.Wire) bool {
	p := snd.ssn(w)
	return snd.started && p >= max(0, snd.sndUna) && p < snd.sndNxt
}

// SentOver returns the time in which the segments of r were sent that wait for an acknowledgment and were sent
// once, ns.
func (snd *Sender) SentOver(r seq.Range[seq.SSN]) int64 {
	var first, last *rtxEntry
	for p := range snd.rtxQueue.list.All() {
		if r.Overlaps(p.Range) && p.marks&rexmitted == 0 {
			first, last = cmp.Or(first, p), p
		}
	}
	if first == nil {
		return 0
	}
	return last.sent - first.sent
}
