package subflow

// fewPackets is the least number of packets of one end that proves a missing direction where no
// handshake was captured: the first ones may acknowledge what passed before the capture began.
const fewPackets = 8

// Unseen reports whether the capture has no packet of an end although the other end got some: it
// has one direction alone, as behind an asymmetric route or a filter for one host. An end that
// never answered is not unseen. One of these proves that packets came since the capture began:
//   - the other end sends a RST after its SYN, which without an answer it does not (RFC 9293, Section 3.10.5)
//   - it acknowledges, and its SYN or SYN/ACK is captured, too
//   - it acknowledges more than it did at first
//   - it echoes one timestamp after another (RFC 7323, Section 4.3)
func (f *Flow) Unseen(from Side) bool {
	h, other := f.senders(from)
	switch {
	case h.Packets+h.Strays > 0:
		return false
	case other.SYNs > 0:
		return h.started || other.opened && other.Resets > 0
	}
	return h.started && other.Packets >= fewPackets && (h.sndUna > 1 || other.echoes)
}
