package diagnose

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/subflow"
)

// joins judges the further subflows, or why there are none.
func (j *judge) joins() {
	if len(j.m.Subs) == 1 && !j.m.Subs[0].Sub.Joined {
		j.alone()
		return
	}
	for i, s := range j.subflows() {
		if s.Sub.Joined && !s.Sub.NoSYN && s.Handshake.SYN.Seen() {
			n := len(j.out)
			j.join(s)
			for k := n; k < len(j.out); k++ {
				j.out[k].Subflow = subflowID(i)
			}
		}
	}
}

// join judges the handshake of one join.
func (j *judge) join(s *metrics.Sub) {
	h, id := &s.Handshake, s.Sub.ID
	if h.Granted && h.SYNs == 1 && h.SYNACKs == 1 && !s.Reset.Seen() {
		return
	}
	syn, rst, syns := j.packet("SYN with MP_JOIN", h.SYN, id), j.packet("RST", s.Reset.PacketRef, id), counted("syns", "", h.SYNs)
	responder := s.Sub.Initiator.Other()
	switch {
	case !h.SYNACK.Seen() && answered(s):
	case s.Reset.Seen() && j.neverCarried(s) && s.Sub.HMAC != conn.HMACInvalid && j.over(&s.Reset):
		j.tooLate(s)
	case !h.SYNACK.Seen() && !s.Reset.Seen() && j.overSoon(h):
		j.add(report.VerdictTooShort, report.Minor, "soon", syn).Certainty = report.Likely
	case !h.SYNACK.Seen() && s.Reset.Seen():
		unclear := !s.Reset.HasReason && !j.at(responder)
		j.add(report.VerdictJoinRefused, report.Critical, "",
			append(reset(&s.Reset), word("responder", side(responder)), when(len(j.m.Subs) == 1, "alone"), when(unclear, "unclear"), syn, rst)...)
	case !h.SYNACK.Seen() && j.early(id, h.SYN.Time, "join", syns, syn):
	case !h.SYNACK.Seen():
		j.add(report.VerdictJoinUnanswered, report.Critical, "", syn, counted("syns", "SYNs", h.SYNs))
	case !h.Granted && h.SYNACKCut: // the verdict on cut options says so
	case !h.Granted:
		form := ""
		if j.at(responder) {
			form = "itself"
		}
		j.add(report.VerdictJoinNotGranted, report.Critical, form, word("responder", side(responder)), syn, j.packet("SYN/ACK without MP_JOIN", h.SYNACK, id), rst)
	case s.Reset.Seen() && j.neverCarried(s) && j.m.Conn.DataFIN[s.Reset.From] == 0 && j.allAnnounced(s.Reset.From, s.Reset.Time) &&
		j.early(id, s.Reset.Time, "reset", rst): // a DATA_FIN would explain it
	case s.Reset.Seen() && j.neverCarried(s):
		j.abortedJoin(s)
	case h.SYNs > 1 || h.SYNACKs > 1:
		j.slow(s)
	}
}

// neverCarried reports whether a subflow never carried data.
func (j *judge) neverCarried(s *metrics.Sub) bool {
	return s.Sub.Senders[conn.A].Bytes == 0 && s.Sub.Senders[conn.B].Bytes == 0
}

// slow judges a join whose handshake was repeated.
func (j *judge) slow(s *metrics.Sub) {
	h, id := &s.Handshake, s.Sub.ID
	end := h.Usable
	if !end.Seen() {
		end = h.Third
	}
	if !h.SYN.Seen() || !end.Seen() || !j.timed() {
		return
	}
	length := end.Time - h.SYN.Time
	v := j.add(report.VerdictJoinSlow, warningIf(length >= slowSetup), "",
		lasted("took", "", length), word("initiator", side(s.Sub.Initiator)), counted("syns", "", h.SYNs), counted("synacks", "", h.SYNACKs),
		j.packet("SYN with MP_JOIN", h.SYN, id), j.packet("third packet", h.Third, id), j.packet("confirmation", h.Usable, id))
	j.partOfAll(v, length)
}

// Connections below these bounds end too soon to use a second path.
const (
	fewBytes = report.FewBytes
	shortRun = 1e9 // ns
)

// slowSetup is the time of a handshake from which on it is slow, ns.
const slowSetup = 1e9

// alone judges a connection without further subflows.
func (j *judge) alone() {
	if !j.c.Handshake || j.c.Fallback != nil || j.has(report.VerdictUncaptured) {
		return
	}
	h := &j.m.Subs[0].Handshake
	for s, packet := range [2]subflow.Stamp{h.SYN, h.SYNACK} {
		if j.m.Conn.Offers[s].JoinRefused() {
			j.add(report.VerdictJoinForbidden, report.Minor, "", word("by", side(conn.Side(s))), j.packet("MP_CAPABLE with flag C", packet, 0))
		}
	}
	bytes, long := j.c.A2B.Volume()+j.c.B2A.Volume(), j.m.Conn.Last()-j.m.Conn.Start
	matters := (len(j.out) == 0 || j.out[0].Severity != report.Critical) && float64(bytes) >= fewBytes && long >= shortRun && (j.c.State != report.ConnOpen || j.m.Conn.Until-j.start >= report.AnswerTime)
	// A capture that is not at a does not show SYNs that were lost before it.
	v := j.add(report.VerdictSinglePath, warningIf(matters), "", lasted("lasted", "", long), when(!j.at(conn.A), "elsewhere"),
		j.packet("SYN with MP_CAPABLE", h.SYN, 0), number("", "application bytes", float64(bytes), "bytes"))
	enter(v, j.offered()...)
	concernsBytes(v, bytes)
}
