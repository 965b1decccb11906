package diagnose

import (
	"fmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// tooLate judges a subflow that was reset because the connection was over.
func (j *judge) tooLate(s *metrics.Sub, path string) {
	text := fmt.Sprintf("%s was reset by %s (%s) because the connection was over before it could be used", path, side(s.Reset.From), reason(&s.Reset))
	sender := j.mainSender()
	known := j.ended(sender, s.Reset.PacketRef)
	if !known {
		text += fmt.Sprintf(": after that %s sent only copies of its data, and its DATA_FIN", side(sender))
	}
	j.resetJoin(s, report.VerdictTooShort, report.Minor, text, !known)
}

// resetJoin enters a verdict on a subflow that was reset.
func (j *judge) resetJoin(s *metrics.Sub, code report.VerdictCode, severity report.Severity, text string, likely bool) {
	v := j.add(code, severity, text,
		j.packet("SYN with MP_JOIN", s.Handshake.SYN, s.Sub.ID), j.packet("third packet", s.Handshake.Third, s.Sub.ID), j.packet("RST", s.Reset.PacketRef, s.Sub.ID))
	if likely {
		v.Certainty = report.Likely
	}
}

// abortedJoin judges a subflow that was reset before it carried anything, and not because the
// connection was over. It is no more than a warning where nothing was left for it to carry: then
// the connection may have been about to close.
func (j *judge) abortedJoin(s *metrics.Sub, path string) {
	text := fmt.Sprintf("%s was reset by %s before it carried anything: %s%s%s", path, side(s.Reset.From), reason(&s.Reset), hmac(s), j.halfClosed(s.Reset.PacketRef))
	severity := report.Critical
	if s.Sub.HMAC != conn.HMACInvalid && s.Reset.From == j.mainSender() && j.allAnnounced(s.Reset.From, s.Reset.Time) {
		severity = report.Major
		text += fmt.Sprintf("; %s had announced all its data before, so the connection may have been about to close, or its limit of subflows is lower", side(s.Reset.From))
	}
	j.resetJoin(s, report.VerdictJoinAborted, severity, text, severity != report.Critical)
}

func hmac(s *metrics.Sub) string {
	if s.Sub.HMAC == conn.HMACInvalid {
		return "; the HMAC of its MP_JOIN is not valid"
	}
	return ""
}

// mainSender returns the host that sent most of the data.
func (j *judge) mainSender() conn.Side {
	if j.c.A2B.Volume() > j.c.B2A.Volume() {
		return conn.A
	}
	return conn.B
}

// over reports whether the connection was over at a reset: the host that sent most of the data had
// sent its DATA_FIN; or it reset the subflow itself, announced no new data after that, and its
// DATA_FIN came soon. Then its first DATA_FIN was lost before the capture: what came after the
// reset was only copies of what had been lost, too.
func (j *judge) over(r *symptoms.Reset) bool {
	sender := j.mainSender()
	if j.ended(sender, r.PacketRef) {
		return true
	}
	fin := j.m.Conn.DataFIN[sender]
	return r.From == sender && fin != 0 && fin-r.Time <= report.AnswerTime && j.allAnnounced(sender, r.Time)
}

// allAnnounced reports whether all data that a side ever sent was announced by mappings before a
// time.
func (j *judge) allAnnounced(s conn.Side, before int64) bool {
	at := j.m.Conn.Announced[s]
	return at != 0 && at < before
}

// overSoon reports whether the connection was over before an only SYN of a join could be repeated:
// the timer is a second at first (RFC 6298, Section 2.1).
func (j *judge) overSoon(h *symptoms.Handshake) bool {
	fin := j.m.Conn.DataFIN[j.mainSender()]
	return h.SYNs == 1 && fin != 0 && fin-h.SYN.Time < firstTimeout
}

// firstTimeout is the retransmission timeout of a SYN, ns.
const firstTimeout = 1e9

// halfClosed returns a sentence for a verdict on a subflow that was reset at k, where one
// direction had ended before: some hosts then accept no further subflow.
func (j *judge) halfClosed(k symptoms.PacketRef) string {
	for _, s := range [2]conn.Side{conn.A, conn.B} {
		if j.ended(s, k) {
			return fmt.Sprintf("; %s had announced the end of its own data (DATA_FIN), after which hosts may take no further subflow", side(s))
		}
	}
	return ""
}
