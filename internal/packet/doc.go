// Package packet has the type [Segment], one TCP segment as a flat value, and the parser of a TCP
// header. It knows bytes, not sessions, and needs only the standard library.
package packet
