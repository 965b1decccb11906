package diagnose

import (
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
)

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
	var text strings.Builder
	for i := range 8 {
		if o.Flags&(mptcp.CapableChecksum>>i) != 0 {
			text.WriteString(string(rune('A' + i)))
		}
	}
	if text.String() == "" {
		return "no flag set"
	}
	return "flags " + text.String()
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
