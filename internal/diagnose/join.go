package diagnose

import (
	"strconv"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/subflow"
	"mpanalyze/internal/symptoms"
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
	if h.Granted && h.SYNs == 1 && h.SYNACKs == 1 && h.ThirdPackets <= 1 && !s.Reset.Seen() {
		return
	}
	syn, rst, syns := j.packet("SYN with MP_JOIN", h.SYN, id), j.packet("RST", s.Reset.PacketRef, id), counted("syns", "", h.SYNs)
	responder := s.Sub.Initiator.Other()
	form := map[bool]string{true: "itself"}[j.at(responder)] // then the SYNs arrived, and nothing changed its answers
	switch {
	case !h.SYNACK.Seen() && answered(s):
	case s.Reset.Seen() && j.neverCarried(s) && s.Sub.HMAC != conn.HMACInvalid && j.over(&s.Reset):
		known := j.ended(j.mainSender(), s.Reset.PacketRef)
		j.resetJoin(s, report.VerdictTooShort, report.Minor, "late", !known, only(!known, word("copies", side(j.mainSender()))))
	case !h.SYNACK.Seen() && !s.Reset.Seen() && j.overSoon(h):
		j.add(report.VerdictTooShort, report.Minor, "soon", syn).Certainty = report.Likely
	case !h.SYNACK.Seen() && s.Reset.Seen() && s.Reset.From == responder && j.toClient(s, syn, rst):
	case !h.SYNACK.Seen() && s.Reset.Seen() && s.Reset.From == responder && j.m.Conn.Offers[responder].JoinRefused() && s.Sub.Ends[responder] == j.m.Subs[0].Sub.Ends[responder]:
		j.add(report.VerdictJoinForbidden, report.Critical, "tried", append(reset(&s.Reset), word("initiator", side(s.Sub.Initiator)), syn, rst)...)
	case !h.SYNACK.Seen() && s.Reset.Seen():
		unclear := !s.Reset.HasReason && !j.at(responder)
		j.add(report.VerdictJoinRefused, report.Critical, "",
			append(reset(&s.Reset), word("responder", side(responder)), when(len(j.m.Subs) == 1, "alone"), when(unclear, "unclear"), syn, rst)...)
	case !h.SYNACK.Seen() && j.early(id, h.SYN.Time, "join", syns, syn):
	case !h.SYNACK.Seen() && j.crossed(s):
		j.add(report.VerdictJoinUnanswered, report.Minor, "crossed", syn, counted("syns", "SYNs", h.SYNs))
	case !h.SYNACK.Seen():
		severity, announced := j.toAnnounced(s)
		v := j.add(report.VerdictJoinUnanswered, severity, form, word("responder", side(responder)), syn, counted("syns", "SYNs", h.SYNs))
		if enter(v, announced...); len(announced) > 0 && form == "" {
			v.Form = "announced"
		}
	case !h.Granted && h.SYNACKCut: // the verdict on cut options says so
	case !h.Granted:
		j.add(report.VerdictJoinNotGranted, report.Critical, form, word("responder", side(responder)), syn, j.packet("SYN/ACK without MP_JOIN", h.SYNACK, id), rst)
	case s.Reset.Seen() && j.neverCarried(s) && j.m.Conn.DataFIN[s.Reset.From] == 0 && j.allAnnounced(s.Reset.From, s.Reset.Time) &&
		j.early(id, s.Reset.Time, "reset", rst): // a DATA_FIN would explain it
	case s.Reset.Seen() && s.Sub.Senders[s.Reset.From].Probing.Unanswered >= goneLeast: // its path is dead: see gone
	case s.Reset.From == responder && s.Reset.Seen() && h.Third.Seen() && h.ThirdPackets == 0 && j.neverCarried(s) && !j.at(s.Sub.Initiator) &&
		!j.has(report.VerdictCaptureGap) && !j.has(report.VerdictOptionsCut):
		j.add(report.VerdictJoinStripped, report.Critical, "third", append(reset(&s.Reset), word("initiator", side(s.Sub.Initiator)), j.packet("third packet without MP_JOIN", h.Third, id), rst)...)
	case s.Reset.Seen() && j.neverCarried(s):
		j.abortedJoin(s)
	case j.unfinished(s, id):
	case h.SYNs > 1 || h.SYNACKs > 1:
		j.slow(s)
	}
}

// unfinished judges a handshake whose SYN/ACK was repeated and never acknowledged, or whose third packet the responder
// of a join never answered: until then the subflow is not established (RFC 8684, Section 3.2). A repetition shows
// that its sender got no answer, and where the other end repeats its packet, too, which way is dead. Where third packets
// are repeated in spite of the responder's answers, these do not arrive.
func (j *judge) unfinished(s *metrics.Sub, id int) bool {
	h, from, form, n, more := &s.Handshake, s.Sub.Initiator.Other(), "", s.Handshake.SYNACKs, s.Handshake.SYNs
	first := h.SYNACK
	if h.Third.Seen() {
		from, form, n, more, first = s.Sub.Initiator, "third", h.ThirdPackets, h.SYNACKs, h.Third
	}
	// The initiator of a join sends nothing but its third packet, again and again, up to the end: the time between two of them
	// doubles (RFC 6298, Section 5.5). At the initiator itself the answers are seen to arrive.
	sent := &s.Sub.Senders[s.Sub.Initiator]
	unconfirmed := h.ThirdPackets > 2 && sent.Packets == sent.SYNs+h.ThirdPackets && !j.at(s.Sub.Initiator) && j.m.Conn.Until-h.Repeated.Time < 2*(h.Repeated.Time-h.Third.Time)
	if h.Usable.Seen() && h.Repeated.Packet > h.Usable.Packet && unconfirmed {
		form = "fourth"
	}
	if !h.SYN.Seen() || s.Reset.Seen() || h.Usable.Seen() && form != "fourth" || n < 2 || form != "" && !s.Sub.Joined {
		return false
	}
	if j.early(id, first.Time, "handshake", counted("times", "", n), j.packet("first of these packets", first, id)) {
		return true
	}
	v := j.add(report.VerdictHandshake, report.Critical, form, word("by", side(from)), word("peer", side(from.Other())), counted("times", "", n),
		only(j.timed(), lasted("lasted", "", h.Repeated.Time-first.Time)), when(more > 1, "repeated"), when(j.at(from.Other()), "at_peer"), j.packet("first of these packets", first, id), j.packet("the same packet for the last time", h.Repeated, id))
	if v.CostUnknown = "what the path would have carried is not known"; !s.Sub.Joined && j.timed() {
		v.CostUnknown = ""
		took(v, h.Repeated.Time-first.Time)
	}
	return true
}

// toClient judges a join to the port from which the responder itself had connected, also at another address: a client
// does not listen there. So an endpoint of the initiator has the flag subflow where signal was meant (RFC 8684,
// Section 3.4.1). Where another subflow has the same two addresses, nothing is missing.
func (j *judge) toClient(s *metrics.Sub, facts ...fact) bool {
	responder := s.Sub.Initiator.Other()
	client, beside := false, false
	for _, o := range j.m.Subs {
		client = client || o.Sub.Initiator == responder && o.Sub.Ends[responder].Port == s.Sub.Ends[responder].Port
		beside = beside || o != s && o.Sub.Established() && o.Sub.Ends[conn.A].Addr == s.Sub.Ends[conn.A].Addr && o.Sub.Ends[conn.B].Addr == s.Sub.Ends[conn.B].Addr
	}
	if client {
		j.add(report.VerdictJoinRefused, warningIf(!beside), "client", append(facts, word("by", side(s.Sub.Initiator)), word("responder", side(responder)),
			word("port", strconv.Itoa(int(s.Sub.Ends[responder].Port))), when(beside, "beside"))...)
	}
	return client
}

// crossed reports whether both addresses of a join have subflows that carry data or are established after its SYN, with other
// addresses, and none ever had both. A path manager that tries each with each (fullmesh) opens such joins, and separate networks do not carry them.
func (j *judge) crossed(s *metrics.Sub) bool {
	works, beside := [2]bool{}, false
	for _, o := range j.m.Subs {
		sameA, sameB := o.Sub.Ends[conn.A].Addr == s.Sub.Ends[conn.A].Addr, o.Sub.Ends[conn.B].Addr == s.Sub.Ends[conn.B].Addr
		lives := max(o.Path(conn.A).LastData.Time, o.Path(conn.B).LastData.Time, o.Handshake.Third.Time) > s.Handshake.SYN.Time
		beside = beside || sameA && sameB && o != s && o.Sub.Established()
		works[conn.A], works[conn.B] = works[conn.A] || sameA && !sameB && lives, works[conn.B] || sameB && !sameA && lives
	}
	return works[conn.A] && works[conn.B] && !beside
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
	if j.unfinished(j.m.Subs[0], 0) {
		j.out[len(j.out)-1].Subflow = subflowID(0)
		return
	}
	bytes, long := j.c.A2B.Volume()+j.c.B2A.Volume(), j.m.Conn.Last()-j.m.Conn.Start
	matters := (len(j.out) == 0 || j.out[0].Severity != report.Critical) && float64(bytes) >= fewBytes && long >= shortRun && (!j.open() || j.m.Conn.Until-j.start >= report.AnswerTime)
	offered, forbids := j.offered(), fact{}
	for s, packet := range [2]subflow.Stamp{h.SYN, h.SYNACK} {
		if j.m.Conn.Offers[s].JoinRefused() { // the cause stands before the symptom
			byB := conn.Side(s) == conn.B
			j.add(report.VerdictJoinForbidden, warningIf(matters && byB), "", word("by", side(conn.Side(s))), j.packet("MP_CAPABLE with flag C", packet, 0))
			if byB && len(offered) == 0 {
				forbids = word("advice", "forbidden")
			}
		}
	}
	// A capture that is not at a does not show SYNs that were lost before it.
	v := j.add(report.VerdictSinglePath, warningIf(matters), "", lasted("lasted", "", long), when(!j.at(conn.A), "elsewhere"),
		j.packet("SYN with MP_CAPABLE", h.SYN, 0), number("", "application bytes", float64(bytes), "bytes"), forbids)
	enter(v, offered...)
	concernsBytes(v, bytes)
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

// toAnnounced returns the addresses of a subflow that got no answer, if the responder announced its address, no subflow to that
// works, and another one works from the initiator's address; then only what was announced is wrong. It also returns the
// severity: where several subflows work, no path is missing.
func (j *judge) toAnnounced(s *metrics.Sub) (severity report.Severity, facts []fact) {
	by, to := s.Sub.Initiator, s.Sub.Ends[s.Sub.Initiator.Other()]
	works, same := 0, false
	for _, o := range j.m.Subs {
		if o.Sub.Established() {
			works, same = works+1, same || o.Sub.Ends[by].Addr == s.Sub.Ends[by].Addr
			if o.Sub.Ends[by.Other()].Addr == to.Addr {
				return report.Critical, nil
			}
		}
	}
	address := to.AddrPort().Addr()
	if a := find(j.m.Symptoms.Addresses, func(a *symptoms.Announcement) bool { return a.From == by.Other() && a.Addr == address }); a == nil || !same {
		return report.Critical, nil
	}
	return warningIf(works < 2), []fact{word("address", address.String()), word("own", s.Sub.Ends[by].AddrPort().Addr().String())}
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
