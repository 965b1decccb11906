package diagnose

import (
	"cmp"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// plain judges why a TCP connection is not Multipath TCP.
func (j *judge) plain(t *report.TCP) {
	s := j.m.Subs[0]
	h := &s.Handshake
	syn, answer := j.packet("SYN with MP_CAPABLE", h.SYN, -1), j.packet("SYN/ACK without MP_CAPABLE", h.SYNACK, -1)
	withoutOption := j.packet("SYN without MP_CAPABLE", h.PlainRetry, -1)
	syns := counted("syns", "SYNs", h.SYNs)
	switch {
	case s.Sub.Joined: // a warning says that its connection has more subflows than are followed
	case !h.SYN.Seen():
	case h.SYNCut || h.Asked && h.SYNACKCut:
		j.cut()
	case !h.Asked:
		j.unasked(s)
	case h.PlainRetry.Seen() && (h.SYNACK.Seen() || s.Reset.Seen()):
		j.add(report.VerdictSYNDropped, report.Critical, "", lasted("after", "", h.PlainRetry.Time-h.SYN.Time), syn, withoutOption, j.packet("SYN/ACK", h.SYNACK, -1))
	case t.State == report.SubflowRefused:
		j.add(report.VerdictRefused, report.Critical, "", syn, j.packet("RST", s.Reset.PacketRef, -1))
	case !h.SYNACK.Seen() && answered(s):
	case !h.SYNACK.Seen() && j.early(-1, max(h.SYN.Time, h.PlainRetry.Time), "syn", counted("syns", "", h.SYNs), syn):
	case !h.SYNACK.Seen() && h.PlainRetry.Seen():
		j.add(report.VerdictUnanswered, report.Critical, "plain_too", syn, withoutOption, syns)
	case !h.SYNACK.Seen():
		j.add(report.VerdictUnanswered, report.Critical, "", syn, syns)
	case j.unusable():
	case j.unanswerable(syn, answer):
	case j.at(conn.B):
		j.add(report.VerdictPeerPlain, report.Critical, "", syn, answer)
	case j.m.Vantage == conn.Unknown && !h.Third.Seen() && j.early(-1, h.SYNACK.Time, "third", syn, answer):
	default:
		j.add(report.VerdictNotGranted, report.Critical, "", counted("version", "", int64(j.m.Conn.Offers[conn.OfferSYN].Version)), syn, answer)
	}
}

// reset returns the words on a RST: which host sent it, and the reason in its MP_TCPRST.
func reset(r *symptoms.Reset) []fact {
	if !r.HasReason {
		return []fact{word("by", side(r.From))}
	}
	return []fact{word("by", side(r.From)), counted("reason", "", int64(r.Reason)), word("reset", cmp.Or(r.Reason.String(), "unknown"))}
}

// unasked judges a SYN without MP_CAPABLE. If its sender sends MP_TCPRST, which only a host
// with MPTCP does, the option was removed.
func (j *judge) unasked(s *metrics.Sub) {
	syn := j.packet("SYN without MPTCP option", s.Handshake.SYN, -1)
	use := s.OptionUse(conn.A)
	switch {
	case j.at(conn.A):
		j.add(report.VerdictNotRequested, report.Minor, "at_a", syn)
	case s.Reset.HasReason && s.Reset.From == conn.A:
		j.add(report.VerdictJoinStripped, report.Critical, "",
			append(reset(&s.Reset), syn, j.packet("SYN/ACK without MP_JOIN", s.Handshake.SYNACK, -1), j.packet("RST with MP_TCPRST", s.Reset.PacketRef, -1))...)
	case use.Packets > 0:
		j.add(report.VerdictNotGranted, report.Critical, "removed", syn, j.packet("packet of a with an MPTCP option", use.First, -1))
	case s.Handshake.SYNACK.Seen() && !s.Handshake.Third.Seen() && s.Reset.Seen() && s.Reset.From == conn.A:
		j.add(report.VerdictNotRequested, report.Minor, gaveUp, word("gave_up", "reset"), syn, j.packet("SYN/ACK", s.Handshake.SYNACK, -1), j.packet("RST", s.Reset.PacketRef, -1))
	case s.Handshake.SYNACKs > 1 && !s.Handshake.Third.Seen() && !s.Reset.Seen():
		j.add(report.VerdictNotRequested, report.Minor, gaveUp, word("gave_up", "silent"), syn, j.packet("SYN/ACK", s.Handshake.SYNACK, -1), counted("", "SYN/ACKs", s.Handshake.SYNACKs))
		j.unfinished(s, -1)
	default:
		j.add(report.VerdictNotRequested, report.Minor, "", syn)
	}
}

// gaveUp is the form of a verdict on a SYN without MP_CAPABLE whose sender reset the connection when the SYN/ACK
// came, or never answered it. So does a host that sent MP_JOIN and gets a SYN/ACK without (RFC 8684, Section
// 3.2), and a middlebox that drops what comes in the middle. A scanner of ports does the same, so it takes an open connection of
// Multipath TCP to that host and port from another address, and remains likely. A client that ends the handshake first, as
// one that only looks whether the server is there, is none.
const gaveUp = "gave_up"

// setup judges the handshake of the initial subflow.
func (j *judge) setup() {
	h := &j.m.Subs[0].Handshake
	if h.SYNs <= 1 && h.SYNACKs <= 1 || !h.SYN.Seen() || !h.Third.Seen() || !j.timed() {
		return
	}
	length := h.Third.Time - h.SYN.Time
	v := j.add(report.VerdictSetupSlow, warningIf(length >= slowSetup), "", lasted("took", "", length), counted("syns", "", h.SYNs), counted("synacks", "", h.SYNACKs),
		j.packet("first SYN", h.SYN, 0), j.packet("third packet", h.Third, 0))
	v.Subflow = subflowID(0)
	j.partOfAll(v, length)
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

// unanswerable judges a SYN whose MP_CAPABLE the peer may have ignored because of its
// version or its flags (RFC 8684, Section 3.1): the answer had no MP_CAPABLE.
func (j *judge) unanswerable(proofs ...fact) bool {
	asked := j.m.Conn.Offers[conn.OfferSYN]
	version := counted("asked", "", int64(asked.Version))
	switch fault := asked.Fault(); {
	case !asked.Seen:
		return false
	case asked.Version > 1:
		j.add(report.VerdictVersion, report.Critical, "undefined", append(proofs, version)...)
	case fault != "":
		j.add(report.VerdictFlags, report.Critical, "", append(proofs, faulty("SYN", asked, conn.B)...)...)
	case asked.Version == 0 && j.at(conn.B):
		j.add(report.VerdictVersion, report.Critical, "zero", append(proofs, counted("version", "", int64(asked.Version)))...)
	default:
		return false
	}
	return true
}

// faulty returns the words on an MP_CAPABLE with flags for which the peer ignores it.
func faulty(packet string, o conn.Offer, peer conn.Side) []fact {
	return []fact{word("packet", packet), word("flags", flags(o)), word("fault", o.Fault()), word("peer", side(peer))}
}

// unusable judges a SYN/ACK whose MP_CAPABLE grants nothing: it has a version that is not
// defined, or a form that its version does not have.
func (j *judge) unusable() bool {
	h, asked, answer := &j.m.Subs[0].Handshake, j.m.Conn.Offers[conn.OfferSYN], j.m.Conn.Offers[conn.OfferSYNACK]
	if !answer.Seen {
		return false
	}
	syn, synack := j.packet("SYN with MP_CAPABLE", h.SYN, -1), j.packet("SYN/ACK with MP_CAPABLE", h.SYNACK, -1)
	if answer.Version > 1 {
		j.add(report.VerdictVersion, report.Critical, "answer", counted("asked", "", int64(asked.Version)), counted("granted", "", int64(answer.Version)), syn, synack)
	} else {
		j.add(report.VerdictNotGranted, report.Critical, "malformed", counted("version", "", int64(answer.Version)), syn, synack)
	}
	return true
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

// mismatched judges a handshake with MP_CAPABLE in SYN and SYN/ACK in which one end ignored
// an option because of its version or its flags, so that data fell back to TCP.
func (j *judge) mismatched() bool {
	if j.c.FallbackCode == nil || *j.c.FallbackCode != report.FallbackThirdACK {
		return false
	}
	h, offers := &j.m.Subs[0].Handshake, &j.m.Conn.Offers
	asked, granted, third := offers[conn.OfferSYN], offers[conn.OfferSYNACK], offers[conn.OfferThird]
	code, form := report.VerdictFlags, ""
	var facts []fact
	switch {
	case asked.Seen && granted.Seen && asked.Version != granted.Version:
		code, form = report.VerdictVersion, "differ"
		facts = []fact{counted("asked", "", int64(asked.Version)), counted("granted", "", int64(granted.Version))}
	case granted.Seen && granted.Fault() != "":
		facts = faulty("SYN/ACK", granted, conn.A)
	case third.Seen && granted.Seen && third.Version != granted.Version:
		code, form = report.VerdictVersion, "third"
		facts = []fact{counted("granted", "", int64(granted.Version)), counted("third", "", int64(third.Version))}
	case third.Seen && third.Fault() != "":
		facts = faulty("third ACK", third, conn.B)
	default:
		return false
	}
	j.add(code, report.Critical, form,
		append(facts, j.packet("SYN with MP_CAPABLE", h.SYN, 0), j.packet("SYN/ACK with MP_CAPABLE", h.SYNACK, 0), j.packet("third packet", h.Third, 0))...).Subflow = subflowID(0)
	return true
}
