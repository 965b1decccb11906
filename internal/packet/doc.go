// Package packet is one TCP segment as a flat value, [Segment], and the parser
// of a TCP header into it. It knows bytes, not sessions, and needs only the
// standard library.
package packet
