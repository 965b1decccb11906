package subflow

// fewPackets is the least number of packets of one end that proves a missing direction where no
// handshake was captured: the first ones may acknowledge what passed before the capture began.
const fewPackets = 8

// Unseen reports whether the capture has no packet of an end although the other end got some: it
// has one direction alone, as behind an asymmetric route or a filter for one host. An end that
// never answered is not unseen. The other end acknowledges something, and one of these shows that
// it came since the capture began:
//   - the SYN or SYN/ACK before this acknowledgment is captured (RFC 9293, Section 3.5)
//   - it acknowledges more than it did at first
//   - it echoes one timestamp after another (RFC 7323, Section 4.3)
func (f *Flow) Unseen(from Side) bool {
	h, other := f.senders(from)
	if h.Packets+h.Strays > 0 || !h.started {
		return false
	}
	return other.SYNs > 0 || other.Packets >= fewPackets && (h.sndUna > 1 || other.echoes)
}
