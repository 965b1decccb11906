package diagnose

import (
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
			j.decide("join", map[string]any{"id": i, "s": s, "h": &s.Handshake})
			for k := n; k < len(j.out); k++ {
				j.out[k].Subflow = subflowID(i)
			}
		}
	}
}

// unfinished judges a handshake whose SYN/ACK was repeated and never acknowledged, or whose third packet the responder
// of a join never answered: until then the subflow is not established (RFC 8684, Section 3.2). A repetition shows
// that its sender got no answer, and where the other end repeats its packet, too, which way is dead. Where third packets
// are repeated in spite of the responder's answers, these do not arrive.
func (j *judge) unfinished(s *metrics.Sub, id int) bool {
	j.set(map[string]any{"s": s, "h": &s.Handshake, "id": id})
	return j.apply(Kinds()[report.VerdictHandshake], "found handshake")
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
