package diagnose

import (
	"fmt"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
)

// unanswerable judges a SYN whose MP_CAPABLE the peer may have ignored because of its
// version or its flags (RFC 8684, Section 3.1): the answer had no MP_CAPABLE.
func (j *judge) unanswerable(proofs ...report.Proof) bool {
	asked := j.m.Conn.Offers[conn.OfferSYN]
	switch fault := asked.Fault(); {
	case !asked.Seen:
		return false
	case asked.Version > 1:
		j.add(report.VerdictVersion, report.Critical,
			fmt.Sprintf("the SYN asks for version %d of MPTCP, which has not been defined, and b answered without MP_CAPABLE", asked.Version), proofs...)
	case fault != "":
		j.add(report.VerdictFlags, report.Critical,
			fmt.Sprintf("in the MP_CAPABLE of the SYN (%s) %s: hosts ignore such an option (RFC 8684, Section 3.1), and b answered without", flags(asked), fault), proofs...)
	case asked.Version == 0 && j.at(conn.B):
		j.add(report.VerdictVersion, report.Critical,
			"the SYN asks for version 0 of MPTCP (RFC 6824) and b itself answered without MP_CAPABLE. "+
				possibilities(otherVersion(0), "b does not speak MPTCP on this socket"), proofs...)
	default:
		return false
	}
	return true
}

// unusable judges a SYN/ACK whose MP_CAPABLE grants nothing: it has a version that is not
// defined, or a form that its version does not have.
func (j *judge) unusable() bool {
	h, asked, answer := &j.m.Subs[0].Handshake, j.m.Conn.Offers[conn.OfferSYN], j.m.Conn.Offers[conn.OfferSYNACK]
	if !answer.Seen {
		return false
	}
	proofs := []report.Proof{j.packet("SYN with MP_CAPABLE", h.SYN, -1), j.packet("SYN/ACK with MP_CAPABLE", h.SYNACK, -1)}
	if answer.Version > 1 {
		j.add(report.VerdictVersion, report.Critical,
			fmt.Sprintf("the SYN asks for version %d of MPTCP and the SYN/ACK answers with version %d, which has not been defined: data runs as plain TCP", asked.Version, answer.Version), proofs...)
		return true
	}
	j.add(report.VerdictNotGranted, report.Critical,
		fmt.Sprintf("the MP_CAPABLE of the SYN/ACK has a form that version %d of MPTCP does not have, so that it grants nothing: data runs as plain TCP", answer.Version), proofs...)
	return true
}

// otherVersion is the text of the possibility that b does not support the version that was
// asked for.
func otherVersion(asked uint8) string {
	if asked == 0 {
		return "b speaks only version 1 of MPTCP (RFC 8684), as Linux does since 5.6"
	}
	return "b speaks only version 0 of MPTCP (RFC 6824)"
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
	code, text := report.VerdictFlags, ""
	switch {
	case asked.Seen && granted.Seen && asked.Version != granted.Version:
		code = report.VerdictVersion
		text = fmt.Sprintf("the SYN asks for version %d of MPTCP and the SYN/ACK answers with version %d: the ends have no version in common, and the connection fell back to TCP", asked.Version, granted.Version)
	case granted.Seen && granted.Fault() != "":
		text = fmt.Sprintf("in the MP_CAPABLE of the SYN/ACK (%s) %s: a ignored it, and the connection fell back to TCP", flags(granted), granted.Fault())
	case third.Seen && granted.Seen && third.Version != granted.Version:
		code = report.VerdictVersion
		text = fmt.Sprintf("SYN and SYN/ACK agree on version %d of MPTCP, but the MP_CAPABLE of the third ACK has version %d: b ignored it, and the connection fell back to TCP", granted.Version, third.Version)
	case third.Seen && third.Fault() != "":
		text = fmt.Sprintf("in the MP_CAPABLE of the third ACK (%s) %s: b ignored it, and the connection fell back to TCP", flags(third), third.Fault())
	default:
		return false
	}
	j.add(code, report.Critical, text,
		j.packet("SYN with MP_CAPABLE", h.SYN, 0), j.packet("SYN/ACK with MP_CAPABLE", h.SYNACK, 0), j.packet("third packet", h.Third, 0)).Subflow = subflowID(0)
	return true
}
