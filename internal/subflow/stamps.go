package subflow

import "slices"

// maxStamps bounds the timestamps that one direction remembers: eight seconds
// of a millisecond clock. Beyond it the oldest are forgotten.
const maxStamps = 8192

// stamp is a TCP timestamp value and when it was first seen on the wire.
type stamp struct {
	val   uint32
	first int64 // ns
}

// stamps are the TSval of one direction that the other end may still echo, in
// ascending order (RFC 7323, Section 3).
type stamps struct {
	buf    []stamp
	head   int
	newest uint32 // value of the last in buf, if any is left
}

// isNew reports whether a packet with val is to be noted: no later one was seen
// that may still be echoed.
func (s *stamps) isNew(val uint32) bool { return len(s.buf) == s.head || int32(val-s.newest) > 0 }

// sent notes that the first packet with val passed at time t; see isNew.
func (s *stamps) sent(val uint32, t int64) {
	n := len(s.buf)
	if n == cap(s.buf) || n-s.head >= maxStamps {
		n = s.makeRoom()
	}
	s.buf = s.buf[:n+1]
	s.buf[n] = stamp{val, t}
	s.newest = val
}

// makeRoom makes room for one more, within the bound, and returns how many are
// in the buffer.
func (s *stamps) makeRoom() int {
	if len(s.buf)-s.head >= maxStamps {
		s.head++
	}
	if len(s.buf) == cap(s.buf) && s.head > len(s.buf)/2 {
		n := copy(s.buf, s.buf[s.head:])
		s.buf, s.head = s.buf[:n], 0
	}
	s.buf = slices.Grow(s.buf, 1)
	return len(s.buf)
}

// echoed returns when val was first sent. Echoes do not go backwards but for
// reordering, so that what is older than val is forgotten; val itself stays.
func (s *stamps) echoed(val uint32) (first int64, ok bool) {
	for s.head < len(s.buf) && int32(s.buf[s.head].val-val) < 0 {
		s.head++
	}
	if s.head == len(s.buf) {
		s.buf, s.head = s.buf[:0], 0
		return 0, false
	}
	if s.buf[s.head].val != val {
		return 0, false
	}
	return s.buf[s.head].first, true
}
