package decode

// A span is what is left of a packet from some header on: the octets that were
// captured and the number of octets that were on the wire. There are never
// more of the former than of the latter.
type span struct {
	data []byte
	wire int
}

// newSpan returns the span of data that was wire octets long. A file that says
// that less was on the wire than it holds is believed for what it holds.
func newSpan(data []byte, wire int) span { return span{data, max(wire, len(data))} }

// has reports whether the next n octets were captured.
func (b span) has(n int) bool { return len(b.data) >= n }

// missing says what it means that n octets are needed and were not captured:
// the packet ends before them, or only its capture does.
func (b span) missing(n int) Outcome {
	if b.wire < n {
		return Malformed
	}
	return Cut
}

// from returns what follows the next n octets, which must have been captured.
func (b span) from(n int) span { return span{b.data[n:], b.wire - n} }

// take returns the next wire octets and leaves out what follows them, such as
// the padding of a short Ethernet frame. A length beyond the end of the frame
// is believed: the header's sender knew it better than a tool that rewrote
// the file's lengths.
func (b span) take(wire int) span {
	if len(b.data) > wire {
		b.data = b.data[:wire]
	}
	b.wire = wire
	return b
}
