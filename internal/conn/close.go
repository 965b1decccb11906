package conn

import (
	"fmt"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// closing notes who ends a subflow first, and how.
func (t *Table) closing(p *Packet) {
	sub, s := p.Sub, p.Seg
	kind, how := EventFIN, "FIN"
	switch {
	case p.TCP.Sent.Stray:
		return
	case s.Flags&packet.RST != 0:
		if sub.reset {
			return // RSTs come in bursts, one per packet in flight
		}
		sub.reset = true
		kind, how = EventReset, "RST"
		if reason := resetReason(s); reason != "" {
			how += ": " + reason
		}
	case !p.TCP.Sent.NewFIN:
		return
	default:
		sub.endAfterFallback(p.From)
	}
	if !sub.HasCloser && !sub.join.stripped && (sub.State == subflow.Refused || sub.Refused()) {
		kind, how = EventJoinRefused, "refused by "+how
	}
	if !sub.HasCloser {
		sub.ClosedBy, sub.HasCloser, sub.CloseCause = p.From, true, how
	}
	if p.Conn.Kind == Multipath {
		p.event(kind, fmt.Sprintf("%v: %s", p.From, how))
	}
}

// resetReason returns why a RST says that it is sent (RFC 8684, Section 3.6).
func resetReason(s *packet.Segment) (reason string) {
	mptcp.Walk(s.RareOptions(), func(kind mptcp.Subtype, opt []byte) bool {
		var o mptcp.TCPRST
		if kind == mptcp.SubTCPRST && mptcp.ParseTCPRST(opt, &o) == nil {
			reason = o.Reason.String()
		}
		return reason == ""
	})
	return reason
}

// end counts a subflow out of the live ones.
func (t *Table) end(sub *Subflow, cause string) {
	if sub.ended {
		return
	}
	sub.ended = true
	sub.Conn.live--
	if cause != "" && !sub.HasCloser {
		sub.CloseCause = cause
	}
}
