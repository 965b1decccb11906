package subflow

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
