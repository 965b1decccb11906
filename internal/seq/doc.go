// Package seq is the arithmetic of sequence numbers: the 32-bit numbers on the wire,
// which wrap (RFC 9293, Section 3.4), the 64-bit positions that they stand for,
// half-open ranges of positions, and sets of such ranges.
//
// Multipath TCP has three kinds of number. Each has its own type, so that the compiler
// refuses to mix them: [Wire] is a number in a TCP header, [SSN] is a position in one
// direction of a subflow, [DSN] is a position in one direction of the connection's data
// sequence space.
package seq
