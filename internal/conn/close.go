package conn

import (
	"fmt"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// noteClose notes who ends a subflow first, and how.
func (t *Table) noteClose(p *Packet) {
	sub := p.Sub
	_, a := sub.Senders[A].FIN()
	if _, b := sub.Senders[B].FIN(); a && b && !sub.closing && !sub.ended {
		sub.closing = true
		p.Conn.closing++
	}
	switch {
	case p.Seg.Flags&packet.RST != 0:
		t.processRST(p)
	case !p.TCP.Sent.Stray && p.TCP.Sent.NewFIN:
		sub.endAfterFallback(p.From)
		t.subflowCloses(p, EventFIN, "FIN", Facts{})
	}
}

// Flags of [Subflow.reportedRST]: which kinds of RST of one end were reported.
const (
	rstIgnored  uint8 = 1 << iota // the receiver ignored it
	rstAccepted                   // the receiver accepted it, as far as known
)

// processRST takes a RST. A host may send many RSTs at once, one for each packet in
// flight. Without MP_TCPRST and MP_FASTCLOSE they say nothing new, so only the first
// one of each end is reported.
func (t *Table) processRST(p *Packet) {
	effect := p.TCP.Sent.Effect
	if p.TCP.Sent.Stray && effect != subflow.Ignored {
		return // it belongs to another connection
	}
	f := Facts{Effective: effective(effect)}
	fastclose := resetOptions(p.Seg, &f)
	p.Sub.countReset(p.From, &f)
	reported := rstAccepted
	if effect == subflow.Ignored {
		reported = rstIgnored
	}
	if p.Sub.reportedRST[p.From]&reported != 0 && !f.Reason.Known && !fastclose {
		return
	}
	p.Sub.reportedRST[p.From] |= reported
	how := "RST"
	if code, ok := f.Reason.Value(); ok {
		how += ": " + mptcp.ResetReason(code).String()
	}
	if effect != subflow.Ignored {
		t.subflowCloses(p, EventReset, how, f)
	} else if p.Conn.Kind == Multipath {
		p.emitWith(EventReset, fmt.Sprintf("%v: %s; its number is not the one that %v waits for, so %v ignores it",
			p.From, how, p.From.Other(), p.From.Other()), f)
	}
}

// subflowCloses takes a FIN or RST that ends a subflow.
func (t *Table) subflowCloses(p *Packet, kind EventKind, how string, f Facts) {
	sub := p.Sub
	if !sub.HasCloser && !sub.join.stripped && (sub.State == subflow.Refused || sub.Refused()) {
		kind, how = EventJoinRefused, "refused by "+how
	}
	if !sub.HasCloser {
		sub.ClosedBy, sub.HasCloser, sub.CloseCause = p.From, true, how
		if sub.withdrawn() && (p.Conn.DataFIN[A] == 0 || p.Conn.DataFIN[B] == 0) {
			sub.CloseCause = CausedByRemoveAddr
		}
	}
	if p.Conn.Kind == Multipath {
		p.emitWith(kind, p.From.String()+": "+how, f)
	}
}

// CausedByRemoveAddr is [Subflow.CloseCause] of a subflow whose address was withdrawn:
// both ends then close it (RFC 8684, Section 3.4.2).
const CausedByRemoveAddr = "rm_addr"

// withdrawn reports whether the address of either end was withdrawn.
func (s *Subflow) withdrawn() bool { return s.withdrawnAt[A] != 0 || s.withdrawnAt[B] != 0 }

// withdraw notes that side from withdraws the address with an id, for subflows that
// have not ended.
func (c *Conn) withdraw(from Side, id uint8, now int64) {
	for _, s := range c.Subflows {
		own := s.AddressID[from]
		if !s.Joined {
			own = 0 // the initial subflow has id 0 (RFC 8684, Section 3.2)
		}
		if own == int(id) && !s.Done() && s.withdrawnAt[from] == 0 {
			s.withdrawnAt[from] = now
		}
	}
}

// explainSilentEnds sets the cause for subflows that neither end closed, if one end
// withdrew its address and sent nothing from it since.
func (c *Conn) explainSilentEnds() {
	for _, s := range c.Subflows {
		for side, at := range s.withdrawnAt {
			if at != 0 && s.CloseCause == "" && s.Senders[side].Last() <= at {
				s.CloseCause = CausedByRemoveAddr
			}
		}
	}
}

// subflowEnded notes that a subflow is no longer live.
func (t *Table) subflowEnded(sub *Subflow, cause string) {
	if sub.ended {
		return
	}
	sub.ended = true
	if sub.closing {
		sub.Conn.closing--
	}
	if cause != "" && !sub.HasCloser {
		sub.CloseCause = cause
	}
	if sub.Conn.live--; sub.Conn.live == 0 && !sub.Conn.finished {
		t.hasEnded(sub.Conn, sub)
	}
}
