package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// Sent is what the subflow found out about one packet's place in the stream.
type Sent struct {
	Range        seq.Range[seq.SSN] // the payload's position; empty without payload
	Parts        []Part             // the payload by kind, ascending; none where all of it continues the stream; valid until the next packet
	Segments     int64              // segments that the payload counts as; valid with payload
	NewFIN       bool               // the first sight of the stream's FIN
	Stray        bool               // the sequence number fits no window: nothing was counted
	WindowClosed bool               // the window that the sender of the packet offers closed
	Effect       Effect             // of a RST

	probe bool // a keep-alive or window probe
}

// HasNew reports whether any of the payload was never seen before on the
// subflow.
func (o *Sent) HasNew() bool {
	for i := range o.Parts {
		if o.Parts[i].Kind == New {
			return true
		}
	}
	return len(o.Parts) == 0 && !o.Range.Empty()
}

// reset forgets the packet before, and keeps room for parts.
func (o *Sent) reset() {
	o.Range = seq.Range[seq.SSN]{}
	o.Parts = o.Parts[:0]
	o.NewFIN, o.Stray, o.WindowClosed, o.probe, o.Effect = false, false, false, false, EffectUnknown
}

// continues is reset for payload at r, where the stream stands.
func (o *Sent) continues(r seq.Range[seq.SSN]) {
	o.Range.Start, o.Range.End = r.Start, r.End
	o.Parts = o.Parts[:0]
	o.NewFIN, o.Stray, o.WindowClosed, o.probe, o.Effect = false, false, false, false, EffectUnknown
}

// send takes one packet of this direction and fills out. The packet's
// acknowledgment belongs to the other direction: see [Sender.ack].
func (h *Sender) send(s *packet.Segment, out *Sent) {
	out.reset()
	if s.Flags&packet.RST != 0 {
		h.sendRST(s, out)
		return
	}
	syn := s.Flags&packet.SYN != 0
	if syn && !h.syncs(s) || !syn && h.open && h.isFar(h.ssn(s.Seq)) {
		h.Strays++
		out.Stray = true
		return
	}
	if !h.open {
		h.begin(s.Seq - 1)
	}
	h.seen(s)
	out.WindowClosed = !syn && h.offers(s)
	start := seq.SSN(1)
	if !syn {
		start = h.ssn(s.Seq)
	}
	if s.PayloadLen == 0 && s.Flags&(packet.SYN|packet.FIN|packet.ACK) == packet.ACK {
		h.PureACKs++
	}
	if h.isProbe(s, start) {
		h.KeepAlives++
		out.probe = true
		out.Range = seq.Range[seq.SSN]{Start: start, End: start}
		return
	}
	end := start + seq.SSN(s.PayloadLen)
	out.Range = seq.Range[seq.SSN]{Start: start, End: end}
	if s.PayloadLen > 0 {
		h.data(s, out)
	}
	if s.Flags&packet.FIN != 0 {
		h.sendFIN(end, s, out)
	}
}

// sendRST takes a packet with RST. Its octets, if any, are words about the
// reason and no part of the stream (RFC 9293, Section 3.5.3), and its number
// may be an answer to nothing that this end ever sent.
func (h *Sender) sendRST(s *packet.Segment, out *Sent) {
	if h.open && h.isFar(h.ssn(s.Seq)) {
		h.Strays++
		out.Stray = true
		return
	}
	h.seen(s)
	h.Resets++
	if h.open {
		at := h.ssn(s.Seq)
		out.Range = seq.Range[seq.SSN]{Start: at, End: at}
	}
}

// seen counts the packet and its options, whatever it carries.
func (h *Sender) seen(s *packet.Segment) {
	h.clock(s)
	h.Packets++
	h.latest = s.Time
	if s.Have&packet.OptionsCut != 0 && s.Flags&packet.SYN == 0 {
		h.OptionsCut++
	}
	h.SACKBlocks += int64(s.NSACK)
}

// isTimely reports whether a packet comes after no longer silence than others did,
// not before the one before, and with its timestamp: then its times tell nothing.
func (h *Sender) isTimely(s *packet.Segment) bool {
	return uint64(s.Time-h.latest) <= uint64(h.MaxIdle) && (h.stamps.repeats(s.TSVal) || s.Have&packet.HasTimestamps == 0)
}

// clock notes the silence before a packet and its timestamp.
func (h *Sender) clock(s *packet.Segment) {
	idle := s.Time - h.latest
	if idle > h.MaxIdle && h.Packets > 0 {
		h.MaxIdle = idle
	}
	if idle < 0 {
		h.peak = max(h.peak, h.latest)
	}
	if s.Have&packet.HasTimestamps != 0 {
		h.stamps.sent(s.TSVal, s.Time)
		h.hasTS = true
	}
}

// offered is a window as a direction keeps it, not 0 where there is one.
func offered(window uint16) uint32 { return uint32(window) + 1 }

// offers takes the window and reports whether it closed.
func (h *Sender) offers(s *packet.Segment) (shut bool) {
	if shut = s.Window == 0 && h.window != offered(0); shut {
		h.ZeroWindows++
	}
	h.window = offered(s.Window)
	return shut
}

// syncs takes the position and the offers of a SYN or SYN/ACK. It reports
// false if the initial sequence number contradicts one that the other end has
// acknowledged: then it belongs to another connection.
func (h *Sender) syncs(s *packet.Segment) bool {
	switch same := h.isn == s.Seq; {
	case h.open && h.syn && same:
		h.SYNs++
		h.mark(seq.Range[seq.SSN]{Start: 0, End: 1}, s.Time)
		return true
	case h.open && h.syn && h.una > 0:
		return false
	case h.open && !same:
		h.restart()
	}
	h.SYNs++
	h.isn, h.open, h.syn = s.Seq, true, true
	h.nxt = max(h.nxt, 1)
	if h.una == 0 { // else its acknowledgment was captured before it
		h.inflight.push(seq.Range[seq.SSN]{Start: 0, End: 1}, s.Time, 0)
	}
	h.hasTS = s.Have&packet.HasTimestamps != 0
	h.sackOK = s.Have&packet.HasSACKPermitted != 0
	h.wscale, h.hasWScale = 0, s.Have&packet.HasWScale != 0
	if h.hasWScale {
		h.wscale = s.WScale
	}
	return true
}

// minKeepAlive is the shortest silence after which a repeated last octet is
// taken for a keep-alive, in nanoseconds: sockets set that interval in whole
// seconds.
const minKeepAlive = 1e9

// isProbe reports whether a packet that starts at position start is a
// keep-alive or a window probe: nothing is outstanding, and it points at the
// last octet acknowledged to make the other end answer (RFC 9293, Sections
// 3.8.4 and 3.8.6.1). The octet that old stacks put there is not the stream's;
// it differs from a needless retransmission of a lone octet by the silence
// before it.
func (h *Sender) isProbe(s *packet.Segment, start seq.SSN) bool {
	if start != h.nxt-1 || h.una != h.nxt || s.Flags&(packet.SYN|packet.FIN|packet.ACK) != packet.ACK {
		return false
	}
	return s.PayloadLen == 0 || s.PayloadLen == 1 && s.Time-h.LastData >= minKeepAlive
}

// sendFIN notes the end of the stream.
func (h *Sender) sendFIN(at seq.SSN, s *packet.Segment, out *Sent) {
	h.FINs++
	r := seq.Range[seq.SSN]{Start: at, End: at + 1}
	switch {
	case !h.finSeen:
		h.fin, h.finSeen, out.NewFIN = at, true, true
		if at >= h.nxt {
			if at > h.nxt {
				h.skip(at, s)
			}
			h.extend(r, s.Time, 0)
		}
	case at == h.fin:
		h.mark(r, s.Time)
	}
}

// data counts and classifies a packet's payload.
func (h *Sender) data(s *packet.Segment, out *Sent) {
	h.count(s)
	n := h.segments(s)
	h.Segments += n
	out.Segments = n
	if out.Range.Start < h.nxt {
		h.old(n, s, out)
		return
	}
	if out.Range.Start > h.nxt {
		h.skip(out.Range.Start, s)
	}
	h.extend(out.Range, s.Time, h.unit)
}

// next is data for payload that goes on where the stream stands.
func (h *Sender) next(s *packet.Segment, out *Sent) {
	h.count(s)
	n := h.segments(s)
	h.Segments += n
	out.Segments = n
	h.inflight.push(out.Range, s.Time, h.unit)
	h.nxt = out.Range.End
}

// count counts a packet with payload, but for its segments.
func (h *Sender) count(s *packet.Segment) {
	h.CapturedSegments++
	h.Bytes += int64(s.PayloadLen)
	h.LastData = s.Time
}

// segments returns how many segments a packet with payload is.
func (h *Sender) segments(s *packet.Segment) (n int64) {
	if s.OptLen+1 != h.options {
		h.measure(s)
	}
	if int64(s.PayloadLen) <= h.unit { // nearly every packet
		return 1
	}
	return units(int64(s.PayloadLen), h.unit)
}

// measure finds the unit of packet s. No payload comes before the first that is
// measured.
func (h *Sender) measure(s *packet.Segment) {
	if h.FirstData == 0 {
		h.FirstData = s.Time
	}
	mss := int64(h.mss)
	if mss == 0 {
		mss = defaultMSS
	}
	h.options, h.unit, h.stamped = s.OptLen+1, max(1, mss-int64(s.OptLen)), stampsOf(s)
}
