package subflow

import "mpanalyze/internal/packet"

// isEchoNew reports whether s, a payload of this direction, is the first to echo
// its timestamp.
func (h *Sender) isEchoNew(s *packet.Segment) bool {
	return s.Have&packet.HasTimestamps != 0 && (int32(s.TSEcr-h.lastTSEcr) > 0 || !h.hasTSEcr)
}

// far returns the far half round trip that the echoed timestamp of s closes,
// which is new, when the payload before it passed at time before, 0 for none. A
// segment after a pause says when the application spoke and not when the echoed
// packet arrived, so it gives none.
func (h *Sender) far(s *packet.Segment, peer *Sender, before int64) int64 {
	h.lastTSEcr, h.hasTSEcr = s.TSEcr, true
	first, ok := peer.echoed(s.TSEcr)
	if !ok {
		return 0
	}
	rtt := s.Time - first
	if pause := s.Time - before; before == 0 || pause > rtt/2 {
		return 0
	}
	return rtt
}

// echoed returns when val was first sent. Where that is not known every timestamp
// may have been forgotten, so that the next payload has to be looked at.
func (h *Sender) echoed(val uint32) (first int64, ok bool) {
	if first, ok = h.stamps.echoed(val); !ok {
		h.options = 0
	}
	return first, ok
}

// stampsOf returns both timestamps of a packet as one number, 0 where it has none.
func stampsOf(s *packet.Segment) uint64 { return uint64(s.TSVal) | uint64(s.TSEcr)<<32 }
