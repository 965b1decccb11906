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
	newest uint64 // value of the last in buf and 1; 0 where none is left
	buf    []stamp
	head   int
}

// repeats reports whether val is that of the packet before, as in most packets.
func (s *stamps) repeats(val uint32) bool { return s.newest == uint64(val)+1 }

// sent notes that a packet with val passed at time t, unless a later value was
// seen that may still be echoed.
func (s *stamps) sent(val uint32, t int64) {
	if s.newest != 0 && int32(val-uint32(s.newest-1)) <= 0 {
		return
	}
	n := len(s.buf)
	if n == cap(s.buf) || n-s.head >= maxStamps {
		n = s.makeRoom()
	}
	s.buf = s.buf[:n+1]
	s.buf[n] = stamp{val, t}
	s.newest = uint64(val) + 1
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

// isOldest reports whether nothing older than val is left, and val is.
func (s *stamps) isOldest(val uint32) bool {
	return uint(s.head) < uint(len(s.buf)) && s.buf[s.head].val == val
}

// echoed returns when val was first sent. Echoes do not go backwards but for
// reordering, so that what is older than val is forgotten; val itself stays.
func (s *stamps) echoed(val uint32) (first int64, ok bool) {
	for s.head < len(s.buf) && int32(s.buf[s.head].val-val) < 0 {
		s.head++
	}
	if s.head == len(s.buf) {
		s.buf, s.head, s.newest = s.buf[:0], 0, 0
		return 0, false
	}
	if s.buf[s.head].val != val {
		return 0, false
	}
	return s.buf[s.head].first, true
}
