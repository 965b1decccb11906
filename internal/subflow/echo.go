package subflow

import "mpanalyze/internal/packet"

// isEchoNew reports whether s is the first packet of this direction with payload that
// echoes its TSecr.
func (snd *Sender) isEchoNew(s *packet.Segment) bool {
	return s.Have&packet.HasTimestamps != 0 && (int32(s.TSEcr-snd.lastTSEcr) > 0 || !snd.hasTSEcr)
}

// farHalfRTT returns the far half of a round trip, which ends when s echoes a timestamp
// for the first time; 0 where it is not known. before is the time of the payload before
// s, ns, 0 for none. After a pause there is no sample: the host sent s when the
// application wrote, not when the echoed packet arrived.
func (snd *Sender) farHalfRTT(s *packet.Segment, peer *Sender, before int64) int64 {
	snd.lastTSEcr, snd.hasTSEcr, snd.echoes = s.TSEcr, true, snd.hasTSEcr
	first, ok := peer.echoed(s.TSEcr)
	if !ok || s.Have&packet.Untimed != 0 {
		return 0
	}
	rtt := s.Time - first
	if pause := s.Time - before; before == 0 || pause > rtt/2 {
		return 0
	}
	return rtt
}

// echoed returns when val was first sent. If that is not known, all timestamps may have
// been dropped, and segHeaderLen = 0 makes the next payload note its own: see isLikeLast.
func (snd *Sender) echoed(val uint32) (first int64, ok bool) {
	if first, ok = snd.timestamps.firstSent(val); !ok {
		snd.segHeaderLen = 0
	}
	return first, ok
}

// timestampsOf returns both timestamps of a packet as one number, 0 where it has none.
func timestampsOf(s *packet.Segment) uint64 { return uint64(s.TSVal) | uint64(s.TSEcr)<<32 }
