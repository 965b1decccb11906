package subflow

import "slices"

// maxTimestamps bounds the timestamps of one direction: eight seconds of a millisecond
// clock. At the bound the oldest are dropped.
const maxTimestamps = 8192

// timestamp is a TSval and when it was first captured.
type timestamp struct {
	val   uint32
	first int64 // ns
}

// timestamps are the TSvals of one direction that the other end may still echo, in
// ascending order (RFC 7323, Section 3).
type timestamps struct {
	latest uint32      // the last value in buf; valid with any
	any    bool        // buf has values
	buf    []timestamp // from head on
	head   int
}

// repeats reports whether val is the latest value. In most packets it is.
func (s *timestamps) repeats(val uint32) bool { return s.latest == val && s.any }

// add notes that a packet with val passed at time t, unless val is below the latest
// value.
func (s *timestamps) add(val uint32, t int64) {
	if s.any && int32(val-s.latest) <= 0 {
		return
	}
	n := len(s.buf)
	if n == cap(s.buf) || n-s.head >= maxTimestamps {
		n = s.makeRoom()
	}
	s.buf = s.buf[:n+1]
	s.buf[n] = timestamp{val, t}
	s.latest, s.any = val, true
}

// makeRoom makes room for one more, within the bound, and returns the number of values
// in buf.
func (s *timestamps) makeRoom() int {
	if len(s.buf)-s.head >= maxTimestamps {
		s.head++
	}
	if len(s.buf) == cap(s.buf) && s.head > len(s.buf)/2 {
		n := copy(s.buf, s.buf[s.head:])
		s.buf, s.head = s.buf[:n], 0
	}
	s.buf = slices.Grow(s.buf, 1)
	return len(s.buf)
}

// isOldest reports whether val is the oldest value left.
func (s *timestamps) isOldest(val uint32) bool {
	return uint(s.head) < uint(len(s.buf)) && s.buf[s.head].val == val
}

// firstSent returns when val was first sent. It drops older values, because echoes do
// not go backwards except by reordering; val itself stays.
func (s *timestamps) firstSent(val uint32) (first int64, ok bool) {
	for s.head < len(s.buf) && int32(s.buf[s.head].val-val) < 0 {
		s.head++
	}
	if s.head == len(s.buf) {
		s.buf, s.head, s.any = s.buf[:0], 0, false
		return 0, false
	}
	if s.buf[s.head].val != val {
		return 0, false
	}
	return s.buf[s.head].first, true
}
