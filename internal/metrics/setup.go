package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// Setup is how a subflow was opened: its handshake, and the RST that may have
// ended it.
type Setup struct {
	SYN    Mark // the first SYN
	SYNACK Mark
	Third  Mark // the initiator's first packet after the SYN/ACK
	Usable Mark // the responder's first packet after that

	SYNs, SYNACKs int64
	Asked         bool // the first SYN carries MP_CAPABLE or MP_JOIN
	Granted       bool // so does the SYN/ACK
	SYNCut        bool // the first SYN shows neither because the capture cut its options
	SYNACKCut     bool // so does the SYN/ACK
	Bare          Mark // a repeated SYN that leaves the option out, after one that had it

	Reset       Mark // the first RST
	ResetFrom   conn.Side
	ResetReason mptcp.ResetReason // valid with HasReason
	HasReason   bool              // the RST carries MP_TCPRST (RFC 8684, Section 3.6)

	over bool
}

// packet takes a packet of the handshake, or a RST.
func (u *Setup) packet(p *conn.Packet) {
	s := p.Seg
	switch {
	case s.Flags&packet.RST != 0:
		if p.TCP.Sent.Effect != subflow.Ignored {
			u.reset(p)
		}
	case s.Flags&(packet.SYN|packet.ACK) == packet.SYN:
		u.syn(p)
	case s.Flags&packet.SYN != 0:
		if u.SYNACKs++; !u.SYNACK.Seen() {
			u.SYNACK = markOf(p)
		}
		u.Granted = u.Granted || opens(s)
		u.SYNACKCut = !u.Granted && s.Have&packet.OptionsCut != 0
	case !u.Third.Seen():
		if u.SYNACK.Seen() && p.From == p.Sub.Initiator {
			u.Third = markOf(p)
		}
		u.over = !u.SYN.Seen() && !u.SYNACK.Seen() // begun before the capture
	case p.From != p.Sub.Initiator:
		u.Usable, u.over = markOf(p), true
	}
}

func (u *Setup) syn(p *conn.Packet) {
	u.SYNs++
	switch asks := opens(p.Seg); {
	case !u.SYN.Seen():
		u.SYN, u.Asked = markOf(p), asks
		u.SYNCut = !asks && p.Seg.Have&packet.OptionsCut != 0
	case u.Asked && !asks && !u.Bare.Seen():
		u.Bare = markOf(p)
	}
}

func (u *Setup) reset(p *conn.Packet) {
	if u.Reset.Seen() {
		return
	}
	u.Reset, u.ResetFrom = markOf(p), p.From
	mptcp.Walk(p.Seg.OtherMPTCP(), func(kind mptcp.Subtype, opt []byte) bool {
		var o mptcp.TCPRST
		if kind == mptcp.SubTCPRST && mptcp.ParseTCPRST(opt, &o) == nil {
			u.ResetReason, u.HasReason = o.Reason, true
		}
		return !u.HasReason
	})
}

// opens reports whether a SYN carries MP_CAPABLE or MP_JOIN.
func opens(s *packet.Segment) (yes bool) {
	mptcp.Walk(s.OtherMPTCP(), func(kind mptcp.Subtype, _ []byte) bool {
		yes = kind == mptcp.SubCapable || kind == mptcp.SubJoin
		return !yes
	})
	return yes
}

// Talk is how one host uses MPTCP options on one subflow after the SYNs.
type Talk struct {
	First, Last Mark  // packets with an option
	Packets     int64 // packets with an option
	Silence     Mark  // the first packet after Last; it has none
	Silent      int64 // packets after Last
	FirstCut    Mark  // packets that show no option because the capture cut them off
	Cut         int64
}

// packet takes a packet of the host that is no SYN. RSTs are left out, too: a host
// that has forgotten a connection sends them without options.
func (t *Talk) packet(p *conn.Packet) {
	s := p.Seg
	switch {
	case s.Have&packet.HasDSS != 0 || s.OtherLen > 0:
		if t.Last = markOf(p); t.Packets == 0 {
			t.First = t.Last
		}
		if t.Packets++; t.Silent > 0 {
			t.Silent, t.Silence = 0, Mark{}
		}
	case s.Have&packet.OptionsCut != 0:
		if t.Cut++; t.Cut == 1 {
			t.FirstCut = markOf(p)
		}
	default:
		if t.Silent++; t.Silent == 1 {
			t.Silence = markOf(p)
		}
	}
}
