package diagnose

import (
	"fmt"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
	"mpanalyze/internal/textwrap"
)

// plain judges why a TCP connection is not Multipath TCP.
func (j *judge) plain(t *report.TCP) {
	s := j.m.Subs[0]
	h := &s.Handshake
	syn, answer := j.packet("SYN with MP_CAPABLE", h.SYN, -1), j.packet("SYN/ACK without MP_CAPABLE", h.SYNACK, -1)
	switch {
	case s.Sub.Joined:
		j.plainJoin()
	case !h.SYN.Seen():
	case h.SYNCut || h.Asked && h.SYNACKCut:
		j.cut()
	case !h.Asked:
		j.unasked(s)
	case h.PlainRetry.Seen() && (h.SYNACK.Seen() || s.Reset.Seen()):
		j.add(report.VerdictSYNDropped, report.Critical,
			fmt.Sprintf("the SYN with MP_CAPABLE got no answer and was repeated without it after %s: something on the way drops SYNs with MPTCP options, or they were lost by chance",
				durationText(h.PlainRetry.Time-h.SYN.Time)),
			syn, j.packet("SYN without MP_CAPABLE", h.PlainRetry, -1), j.packet("SYN/ACK", h.SYNACK, -1))
	case t.State == report.SubflowRefused:
		j.add(report.VerdictRefused, report.Critical, "b answered the SYN with RST: nothing listens there, or a firewall refuses it",
			syn, j.packet("RST", s.Reset.PacketRef, -1))
	case !h.SYNACK.Seen() && answered(s):
	case !h.SYNACK.Seen() && j.early(-1, max(h.SYN.Time, h.PlainRetry.Time), fmt.Sprintf("no SYN of %d has an answer", h.SYNs), syn):
	case !h.SYNACK.Seen() && h.PlainRetry.Seen():
		j.add(report.VerdictUnanswered, report.Critical, fmt.Sprintf("no SYN of %d got an answer, those without MP_CAPABLE neither: b is not there, or the way to it is down", h.SYNs),
			syn, j.packet("SYN without MP_CAPABLE", h.PlainRetry, -1), number("SYNs", float64(h.SYNs), "count")).Remedy = "Check that b is up, and routes and firewalls on the way there."
	case !h.SYNACK.Seen():
		j.add(report.VerdictUnanswered, report.Critical,
			fmt.Sprintf("no SYN of %d got an answer: b is not there, or something on the way drops SYNs with MPTCP options", h.SYNs),
			syn, number("SYNs", float64(h.SYNs), "count"))
	case j.unusable():
	case j.unanswerable(syn, answer):
	case j.at(conn.B):
		j.add(report.VerdictPeerPlain, report.Critical,
			"the SYN arrived with MP_CAPABLE and b itself answered without: b does not speak MPTCP on this socket, or only version 0",
			syn, answer)
	case j.m.Vantage == conn.Unknown && !h.Third.Seen() && j.early(-1, h.SYNACK.Time, "the SYN/ACK came without MP_CAPABLE, and the third packet, which tells where the capture was taken, has not come", syn, answer):
	default:
		j.add(report.VerdictNotGranted, report.Critical,
			"the SYN asked for MPTCP and the SYN/ACK came without MP_CAPABLE. "+possibilities(
				"b does not speak MPTCP on this port", otherVersion(j.m.Conn.Offers[conn.OfferSYN].Version),
				"MP_CAPABLE was removed from the SYN on the way",
				"MP_CAPABLE was removed from the SYN/ACK on the way")+"; a capture at b shows which",
			syn, answer)
	}
}

// plainJoin judges a SYN with MP_JOIN that was taken for plain TCP because its connection
// has more subflows than are followed.
func (j *judge) plainJoin() {
	s := j.m.Subs[0]
	h := &s.Handshake
	syn := j.packet("SYN with MP_JOIN", h.SYN, -1)
	const beyond = ", one of more joins than are followed of one connection"
	switch {
	case !h.SYNACK.Seen() && answered(s):
	case !h.SYNACK.Seen() && s.Reset.Seen():
		j.add(report.VerdictJoinRefused, report.Critical, "b answered the SYN with MP_JOIN by RST, "+reason(&s.Reset)+beyond, syn, j.packet("RST", s.Reset.PacketRef, -1))
	case !h.SYNACK.Seen() && j.early(-1, h.SYN.Time, fmt.Sprintf("no SYN with MP_JOIN of %d has an answer", h.SYNs), syn):
	case !h.SYNACK.Seen():
		j.add(report.VerdictJoinUnanswered, report.Critical, fmt.Sprintf("no SYN with MP_JOIN of %d got an answer%s", h.SYNs, beyond),
			syn, number("SYNs", float64(h.SYNs), "count"))
	case !h.Granted && !h.SYNACKCut:
		j.add(report.VerdictJoinNotGranted, report.Critical, "the SYN with MP_JOIN was answered by a SYN/ACK without"+beyond, syn, j.packet("SYN/ACK without MP_JOIN", h.SYNACK, -1))
	}
}

// unasked judges a SYN without MP_CAPABLE. If its sender sends MP_TCPRST, which only a host
// with MPTCP does, the option was removed.
func (j *judge) unasked(s *metrics.Sub) {
	syn := j.packet("SYN without MPTCP option", s.Handshake.SYN, -1)
	use := s.OptionUse(conn.A)
	switch {
	case j.at(conn.A):
		j.add(report.VerdictNotRequested, report.Minor, "a did not ask for MPTCP", syn)
	case s.Reset.HasReason && s.Reset.From == conn.A:
		j.add(report.VerdictJoinStripped, report.Critical,
			"the SYN came without an MPTCP option, yet a ended the subflow with MP_TCPRST ("+s.Reset.Reason.String()+
				"): it was a join whose MP_JOIN was removed on the way to the capture",
			syn, j.packet("SYN/ACK without MP_JOIN", s.Handshake.SYNACK, -1), j.packet("RST with MP_TCPRST", s.Reset.PacketRef, -1))
	case use.Packets > 0:
		j.add(report.VerdictNotGranted, report.Critical,
			"the SYN came without an MPTCP option, yet later packets of a carry some: MP_CAPABLE was removed from the SYN on the way to the capture",
			syn, j.packet("packet of a with an MPTCP option", use.First, -1))
	default:
		j.add(report.VerdictNotRequested, report.Minor, notRequested, syn)
	}
}

// notRequested is the text for most plain connections.
var notRequested = "the SYN does not ask for MPTCP. " +
	possibilities("a does not use MPTCP", "MP_CAPABLE was removed from the SYN on the way") + "; a capture at a shows which"

// possibleText begins a list of causes.
const possibleText = "Possible from what is seen here: "

// possibilities lists the causes that a capture does not decide between.
func possibilities(all ...string) string {
	return possibleText + strings.Join(all[:len(all)-1], "; ") + "; or " + all[len(all)-1]
}

// setup judges the handshake of the initial subflow.
func (j *judge) setup() {
	h := &j.m.Subs[0].Handshake
	if h.SYNs <= 1 && h.SYNACKs <= 1 || !h.SYN.Seen() || !h.Third.Seen() || !j.timed() {
		return
	}
	length := h.Third.Time - h.SYN.Time
	v := j.add(report.VerdictSetupSlow, warningIf(length >= slowSetup),
		fmt.Sprintf("the initial handshake took %s because its packets were lost and repeated: %s", durationText(length), repeats(h)),
		j.packet("first SYN", h.SYN, 0), j.packet("third packet", h.Third, 0))
	v.Subflow = subflowID(0)
	j.partOfAll(v, length)
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

// repeats says how often the packets of a handshake were sent.
func repeats(h *symptoms.Handshake) string {
	return fmt.Sprintf("%s, %s", textwrap.Count(h.SYNs, "SYN"), textwrap.Count(h.SYNACKs, "SYN/ACK"))
}

// warningIf returns the severity of a warning if much is true, otherwise that of a note.
func warningIf(much bool) report.Severity {
	if much {
		return report.Major
	}
	return report.Minor
}
