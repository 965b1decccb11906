package diagnose

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// tooLate judges a subflow that was reset because the connection was over.
func (j *judge) tooLate(s *metrics.Sub) {
	sender := j.mainSender()
	known := j.ended(sender, s.Reset.PacketRef)
	j.resetJoin(s, report.VerdictTooShort, report.Minor, "late", !known, only(!known, word("copies", side(sender))))
}

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
	severity := report.Critical
	if closing {
		severity = report.Major
	}
	j.resetJoin(s, report.VerdictJoinAborted, severity, "", closing, when(!valid, "hmac"), j.halfClosed(s.Reset.PacketRef), when(closing, "announced"))
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

// halfClosed returns which host had announced the end of its data before a subflow was reset at k: some
// hosts then accept no further subflow.
func (j *judge) halfClosed(k symptoms.PacketRef) fact {
	for _, s := range sides {
		if j.ended(s, k) {
			return word("half_closed", side(s))
		}
	}
	return fact{}
}
