package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// Send takes one packet of this direction and fills out. The packet's
// acknowledgment belongs to the other direction: see [Half.Ack].
func (h *Half) Send(s *packet.Segment, out *Sent) {
	*out = Sent{}
	h.seen(s)
	if s.Flags&packet.SYN != 0 {
		h.sendSYN(s)
	}
	if !h.open {
		if s.Flags&packet.RST != 0 && s.PayloadLen == 0 {
			return
		}
		h.begin(s.Seq-1, false)
	}
	start := h.SSN(s.Seq)
	if s.Flags&packet.SYN != 0 {
		start++
	}
	if d := start - h.nxt; d > farAway || d < -farAway {
		h.Strays++
		out.Stray = true
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

// seen counts the packet and its options, whatever it carries.
func (h *Half) seen(s *packet.Segment) {
	h.Packets++
	if h.FirstSeen == 0 {
		h.FirstSeen = s.Time
	} else {
		h.MaxIdle = max(h.MaxIdle, s.Time-h.Latest)
	}
	h.Latest = s.Time
	if s.Have&packet.HasTimestamps != 0 {
		h.stamps.sent(s.TSVal, s.Time)
		h.hasTS = true
	}
	if s.Flags&packet.RST != 0 {
		h.Resets++
	} else if s.PayloadLen == 0 && s.Flags&(packet.SYN|packet.FIN) == 0 && s.Flags&packet.ACK != 0 {
		h.PureACKs++
	}
	h.SACKBlocks += int64(s.NSACK)
	if s.Flags&(packet.SYN|packet.RST) == 0 {
		if s.Window == 0 && (!h.windowSeen || h.window != 0) {
			h.ZeroWindows++
		}
		h.window, h.windowSeen = s.Window, true
	}
}

// sendSYN reads what a SYN or SYN/ACK negotiates.
func (h *Half) sendSYN(s *packet.Segment) {
	h.SYNs++
	if h.open && h.isn == s.Seq && h.syn {
		h.repeat(seq.Range[seq.SSN]{Start: 0, End: 1}, s)
		return
	}
	h.begin(s.Seq, true)
	h.nxt = 1
	h.inflight.push(flight{Range: seq.Range[seq.SSN]{Start: 0, End: 1}, first: s.Time, last: s.Time})
	h.hasTS = s.Have&packet.HasTimestamps != 0
	h.sackOK = s.Have&packet.HasSACKPermitted != 0
	if s.Have&packet.HasWScale != 0 {
		h.wscale, h.hasWScale = s.WScale, true
	}
}

// sendFIN notes the end of the stream.
func (h *Half) sendFIN(at seq.SSN, s *packet.Segment, out *Sent) {
	h.FINs++
	r := seq.Range[seq.SSN]{Start: at, End: at + 1}
	switch {
	case !h.finSeen:
		h.fin, h.finSeen, out.NewFIN = at, true, true
		if at >= h.nxt {
			if at > h.nxt {
				h.gaps.Add(seq.Range[seq.SSN]{Start: h.nxt, End: at})
				h.gaps.DropOldest(maxGaps)
			}
			h.inflight.push(flight{Range: r, first: s.Time, last: s.Time})
			h.nxt = at + 1
		}
	case at == h.fin:
		n := len(h.parts)
		h.repeat(r, s)
		h.parts = h.parts[:n] // the FIN is no payload
	}
}

// data counts and classifies a packet's payload.
func (h *Half) data(s *packet.Segment, out *Sent) {
	mss := int64(h.mss)
	if mss == 0 {
		mss = DefaultMSS
	}
	h.unit = max(1, mss-int64(s.OptLen))
	prior := h.LastData
	out.Segments = h.Units(int64(s.PayloadLen))
	h.Segments += out.Segments
	h.CapturedSegments++
	h.Bytes += int64(s.PayloadLen)
	if h.FirstData == 0 {
		h.FirstData = s.Time
	}
	h.LastData = s.Time
	h.pauseFloor = prior
	h.payload(out.Range, s, out)
	for _, p := range out.Parts {
		if p.Kind == Retransmit {
			h.RexmitSegments += h.Units(p.Len())
			h.RexmitBytes += p.Len()
		}
	}
	if out.OutOfOrder {
		h.OutOfOrder += out.Segments
	}
}
