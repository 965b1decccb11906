package diagnose

import (
	"cmp"
	"slices"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// plain judges why a TCP connection is not Multipath TCP.
func (j *judge) plain(t *report.TCP) {
	s := j.m.Subs[0]
	if h := &s.Handshake; !s.Sub.Joined && h.SYN.Seen() && (h.SYNCut || h.Asked && h.SYNACKCut) {
		j.cut()
		return
	}
	j.decide("plain", map[string]any{"s": s, "refused": t.State == report.SubflowRefused})
	if slices.ContainsFunc(j.out, mayBeJoin) {
		j.unfinished(s, -1)
	}
}

// reset returns the words on a RST: which host sent it, and the reason in its MP_TCPRST.
func reset(r *symptoms.Reset) []fact {
	if !r.HasReason {
		return []fact{word("by", side(r.From))}
	}
	return []fact{word("by", side(r.From)), counted("reason", "", int64(r.Reason)), word("reset", cmp.Or(r.Reason.String(), "unknown"))}
}

// converter names the server behind a converter, and what the converter says where it did not connect (RFC 8803, Section 4).
func (j *judge) converter() {
	f := j.m.Subs[0].Sub.FastOpen()
	if f == nil || f.Convert[conn.A] == nil {
		return
	}
	peer, named := f.Convert[conn.A].Peer()
	if !named {
		return
	}
	v := j.add(report.VerdictConverter, report.Minor, "", word("peer", peer.String()), j.packet("SYN with the Connect TLV", j.m.Subs[0].Handshake.SYN, -1))
	if answer := f.Convert[conn.B]; answer == nil {
		v.Form = "asked"
	} else if why := answer.Failure(); why != "" {
		v.Form, v.Severity = "failed", report.Critical
		enter(v, word("error", why))
	}
}

// partOfAll enters the time that a handshake took, and its share of the connection's time.
func (j *judge) partOfAll(v *report.Verdict, ns int64) {
	costs(v, min(percent(ns, j.m.Conn.Last()-j.m.Conn.Start), 100), ns)
}

// withoutMPTCP enters, in the verdicts on why a connection is plain TCP, what it carried.
func (j *judge) withoutMPTCP(t *report.TCP) {
	n := int64(0)
	for _, d := range []*report.SubDir{t.A2B, t.B2A} {
		if d != nil {
			n += report.Known(d.BytesUnique)
		}
	}
	for i := range j.out {
		if v := &j.out[i]; v.Code != report.VerdictOptionsCut {
			concernsBytes(v, n)
		}
	}
}

// faulty returns the words on an MP_CAPABLE with flags for which the peer ignores it.
func faulty(packet string, o conn.Offer, peer conn.Side) []fact {
	return []fact{word("packet", packet), word("flags", flags(o)), word("fault", o.Fault()), word("peer", side(peer))}
}

// flags names the flags that are set in an offer.
func flags(o conn.Offer) string {
	set := strings.Map(func(name rune) rune {
		if o.Flags&(mptcp.CapableChecksum>>(name-'A')) == 0 {
			return -1
		}
		return name
	}, "ABCDEFGH")
	if set == "" {
		return "no flag set"
	}
	return "flags " + set
}
