package seq

// Wire is a 32-bit sequence or acknowledgment number as the TCP header or a
// 4-byte MPTCP field carries it, modulo 2^32 (RFC 9293, Section 3.4).
type Wire uint32

// Less reports whether w precedes o. It assumes that they are less than 2^31 apart.
func (w Wire) Less(o Wire) bool { return int32(w-o) < 0 }

// Sub returns the signed distance from o to w in bytes.
func (w Wire) Sub(o Wire) int32 { return int32(w - o) }

// SSN is a position in one direction of a subflow's byte stream, relative to
// the initial sequence number and unwrapped to 64 bits: the SYN is at 0, the
// first byte of payload at 1 (RFC 8684, Section 3.3.1).
type SSN int64

// DSN is a position in one direction of a connection's data sequence space,
// relative to the initial data sequence number and unwrapped: the IDSN itself
// is at 0, the first byte of data at 1 (RFC 8684, Section 3.2).
type DSN int64

// Position is any unwrapped position.
type Position interface{ ~int64 }

// Unwrap returns the position nearest to near that has w as its low 32 bits, counted
// from base.
func Unwrap[T Position](w, base Wire, near T) T {
	return near + T(int32(uint32(w-base)-uint32(near)))
}

// Range is the half-open range of positions [Start, End).
type Range[T Position] struct{ Start, End T }

// Len returns the number of positions in r; it is negative where End precedes
// Start.
func (r Range[T]) Len() int64 { return int64(r.End - r.Start) }

// Empty reports whether r holds no position.
func (r Range[T]) Empty() bool { return r.End <= r.Start }

// Contains reports whether p lies in r.
func (r Range[T]) Contains(p T) bool { return r.Start <= p && p < r.End }

// Overlaps reports whether r and o share a position.
func (r Range[T]) Overlaps(o Range[T]) bool { return r.Start < o.End && o.Start < r.End }

// Intersect returns the positions in both r and o; the result may be empty,
// then its Start is not significant.
func (r Range[T]) Intersect(o Range[T]) Range[T] {
	return Range[T]{max(r.Start, o.Start), min(r.End, o.End)}
}
