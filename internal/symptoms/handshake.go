package symptoms

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// Handshake is how a subflow was opened.
type Handshake struct {
	SYN    PacketRef // the first SYN
	SYNACK PacketRef // the first SYN/ACK
	Third  PacketRef // the initiator's first packet after the SYN/ACK
	Usable PacketRef // the responder's first packet after that

	SYNs, SYNACKs int64
	ThirdPackets  int64     // the initiator's packets with MP_CAPABLE or MP_JOIN after the SYN/ACK
	Repeated      PacketRef // the latest SYN/ACK or third packet that was sent again
	Asked         bool      // the first SYN carries MP_CAPABLE or MP_JOIN
	Granted       bool      // a SYN/ACK carries it
	SYNCut        bool      // the first SYN shows no such option because the capture cut its options
	SYNACKCut     bool      // the same for the SYN/ACK
	PlainRetry    PacketRef // a repeated SYN without the option, after a SYN that had it
	Over          bool      // it is over, or was over before the capture
}

// Uncaptured reports whether neither SYN nor SYN/ACK was captured.
func (h *Handshake) Uncaptured() bool { return !h.SYN.Seen() && !h.SYNACK.Seen() }

// packet takes a packet of the handshake.
func (h *Handshake) packet(p *conn.Packet) {
	s := p.Seg
	if p.From == p.Sub.Initiator && h.SYNACK.Seen() && s.Flags&packet.SYN == 0 && opens(s) {
		if h.ThirdPackets++; h.ThirdPackets > 1 {
			h.Repeated = refTo(p)
		}
	}
	switch {
	case s.Flags&(packet.SYN|packet.ACK) == packet.SYN:
		h.syn(p)
	case s.Flags&packet.SYN != 0:
		if h.SYNACKs++; h.SYNACKs > 1 {
			h.Repeated = refTo(p)
		}
		h.SYNACK.First(refTo(p))
		h.Granted = h.Granted || opens(s)
		h.SYNACKCut = !h.Granted && s.Have&packet.OptionsCut != 0
	case !h.Third.Seen():
		if h.SYNACK.Seen() && p.From == p.Sub.Initiator {
			h.Third = refTo(p)
		}
		h.Over = h.Uncaptured()
	case p.From != p.Sub.Initiator && !h.Over:
		h.Usable, h.Over = refTo(p), true
	}
}

func (h *Handshake) syn(p *conn.Packet) {
	h.SYNs++
	switch asks := opens(p.Seg); {
	case !h.SYN.Seen():
		h.SYN, h.Asked = refTo(p), asks
		h.SYNCut = !asks && p.Seg.Have&packet.OptionsCut != 0
	case h.Asked && !asks:
		h.PlainRetry.First(refTo(p))
	}
}

// opens reports whether a SYN carries MP_CAPABLE or MP_JOIN.
func opens(s *packet.Segment) bool {
	return mptcp.Has(s.OtherMPTCP(), mptcp.SubCapable, mptcp.SubJoin)
}

// Reset is the first RST of a subflow that took effect.
type Reset struct {
	PacketRef // none where the subflow was not reset

	From      conn.Side
	Reason    mptcp.ResetReason // valid with HasReason
	HasReason bool              // the RST carries MP_TCPRST (RFC 8684, Section 3.6)
}

// packet takes a RST.
func (r *Reset) packet(p *conn.Packet) {
	if r.Seen() || p.TCP.Sent.Effect == subflow.Ignored {
		return
	}
	o, ok := mptcp.ResetOf(p.Seg.OtherMPTCP())
	*r = Reset{refTo(p), p.From, o.Reason, ok}
}
