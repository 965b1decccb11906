package diagnose

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// resetJoin enters a verdict on a subflow that was reset.
func (j *judge) resetJoin(s *metrics.Sub, code report.VerdictCode, severity report.Severity, form string, likely bool, facts ...fact) {
	v := j.add(code, severity, form, append(reset(&s.Reset),
		j.packet("SYN with MP_JOIN", s.Handshake.SYN, s.Sub.ID), j.packet("third packet", s.Handshake.Third, s.Sub.ID), j.packet("RST", s.Reset.PacketRef, s.Sub.ID))...)
	enter(v, facts...)
	if likely {
		v.Certainty = report.Likely
	}
}

// abortedJoin judges a subflow that was reset before it carried anything, and not because the
// connection was over. It is no more than a warning where nothing was left for it to carry: then
// the connection may have been about to close.
func (j *judge) abortedJoin(s *metrics.Sub) {
	valid := s.Sub.HMAC != conn.HMACInvalid
	closing := valid && s.Reset.From == j.mainSender() && j.allAnnounced(s.Reset.From, s.Reset.Time)
	severity, halfClosed := report.Critical, fact{}
	if closing {
		severity = report.Major
	}
	for _, end := range [2]conn.Side{conn.B, conn.A} { // some hosts accept no further subflow after a DATA_FIN; of two, that of a is named
		if j.ended(end, s.Reset.PacketRef) {
			halfClosed = word("half_closed", side(end))
		}
	}
	j.resetJoin(s, report.VerdictJoinAborted, severity, "", closing, when(!valid, "hmac"), halfClosed, when(closing, "announced"))
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
