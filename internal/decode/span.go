package decode

// A span is the rest of a packet from some header on: the captured bytes, and the
// number of bytes on the wire, which is never smaller.
type span struct {
	data []byte
	wire int
}

// newSpan returns the span of data that had wire bytes on the wire. If a file gives a smaller
// length than it holds, the number of bytes that it holds counts.
func newSpan(data []byte, wire int) span { return span{data, max(wire, len(data))} }

// has reports whether the next n bytes were captured.
func (b span) has(n int) bool { return len(b.data) >= n }

// missing returns the outcome of a packet whose next n bytes are needed but were not
// captured: either the packet or its captured part ends before them.
func (b span) missing(n int) Outcome {
	if b.wire < n {
		return Malformed
	}
	return Cut
}

// from returns what follows the next n bytes, which must have been captured.
func (b span) from(n int) span { return span{b.data[n:], b.wire - n} }

// take returns the next wire bytes without the bytes behind them, such as the padding of a short
// Ethernet frame. If the length goes beyond the end of the frame, take uses it nevertheless: the
// sender of the header knew the length better than a tool that changed the lengths in the file.
func (b span) take(wire int) span {
	if len(b.data) > wire {
		b.data = b.data[:wire]
	}
	b.wire = wire
	return b
}
