package diagnose

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
	"mpanalyze/internal/textwrap"
)

// joins judges the further subflows, or why there are none.
func (j *judge) joins() {
	if len(j.m.Subs) == 1 && !j.m.Subs[0].Sub.Joined {
		j.alone()
		return
	}
	for i, s := range j.subflows() {
		if s.Sub.Joined && !s.Sub.NoSYN && s.Handshake.SYN.Seen() {
			j.join(s, &j.c.Subflows[i])
		}
	}
}

// join judges the handshake of one join.
func (j *judge) join(s *metrics.Sub, r *report.Subflow) {
	h, id := &s.Handshake, s.Sub.ID
	if h.Granted && h.SYNs == 1 && h.SYNACKs == 1 && !s.Reset.Seen() {
		return
	}
	n := len(j.out)
	initiator, responder := side(s.Sub.Initiator), side(s.Sub.Initiator.Other())
	syn, rst := j.packet("SYN with MP_JOIN", h.SYN, id), j.packet("RST", s.Reset.PacketRef, id)
	path := pathText(id, r)
	switch {
	case !h.SYNACK.Seen() && answered(s):
		return
	case s.Reset.Seen() && j.neverCarried(s) && s.Sub.HMAC != conn.HMACInvalid && j.over(&s.Reset):
		j.tooLate(s, path)
	case !h.SYNACK.Seen() && !s.Reset.Seen() && j.overSoon(h):
		j.add(report.VerdictTooShort, report.Minor, path+": the connection was over before its SYN with MP_JOIN got an answer or was repeated: one lost packet explains that", syn).Certainty = report.Likely
	case !h.SYNACK.Seen() && s.Reset.Seen():
		j.add(report.VerdictJoinRefused, report.Critical, j.refusal(s, path), syn, rst)
	case !h.SYNACK.Seen() && j.early(id, h.SYN.Time, fmt.Sprintf("%s: no SYN of %d has an answer", path, h.SYNs), syn):
	case !h.SYNACK.Seen():
		j.add(report.VerdictJoinUnanswered, report.Critical,
			fmt.Sprintf("%s: no SYN of %d got an answer: the path is down, or something on it drops SYNs with MP_JOIN", path, h.SYNs),
			syn, number("SYNs", float64(h.SYNs), "count"))
	case !h.Granted && h.SYNACKCut: // the verdict on cut options says so
	case !h.Granted:
		text := path + ": the SYN with MP_JOIN was answered by a SYN/ACK without. "
		if j.at(s.Sub.Initiator.Other()) {
			text += responder + " itself did not grant it"
		} else {
			text += possibilities("MP_JOIN was removed from the SYN on the way", "it was removed from the SYN/ACK on the way",
				"another host or a plain TCP server answers at that address") + "; a capture at " + responder + " tells"
		}
		j.add(report.VerdictJoinNotGranted, report.Critical, text, syn, j.packet("SYN/ACK without MP_JOIN", h.SYNACK, id), rst)
	case s.Reset.Seen() && j.neverCarried(s) && j.m.Conn.DataFIN[s.Reset.From] == 0 && j.allAnnounced(s.Reset.From, s.Reset.Time) &&
		j.early(id, s.Reset.Time, path+" was reset before it carried anything, and the connection is not over", rst): // a DATA_FIN would explain it
	case s.Reset.Seen() && j.neverCarried(s):
		j.abortedJoin(s, path)
	case h.SYNs > 1 || h.SYNACKs > 1:
		j.slow(s, path, initiator)
	}
	for i := n; i < len(j.out); i++ {
		j.out[i].Subflow = subflowID(id)
	}
}

// answered reports whether the responder answered the SYN: it sent anything but RSTs. Without a
// SYN/ACK the capture lacks that, and does not show what it granted.
func answered(s *metrics.Sub) bool {
	x := &s.Sub.Senders[s.Sub.Initiator.Other()]
	return x.Packets > x.Resets
}

// refusal says why a join was answered with RST.
func (j *judge) refusal(s *metrics.Sub, path string) string {
	responder := side(s.Sub.Initiator.Other())
	text := fmt.Sprintf("%s was refused: %s answered the SYN with MP_JOIN by RST, %s", path, responder, reason(&s.Reset))
	if len(j.m.Subs) == 1 {
		text += "; nothing else of its connection was captured"
	}
	if s.Reset.HasReason || j.at(s.Sub.Initiator.Other()) {
		return text
	}
	return text + ". " + possibilities(responder+" knows no such connection or takes no further subflows", "nothing listens at that address and port", "a firewall refuses it")
}

// reason says why a RST was sent, if its MP_TCPRST says so.
func reason(r *symptoms.Reset) string {
	if r.HasReason {
		return fmt.Sprintf("MP_TCPRST reason %d, %s", r.Reason, r.Reason)
	}
	return "no reason given"
}

// ended reports whether side from had sent its DATA_FIN before k.
func (j *judge) ended(from conn.Side, k symptoms.PacketRef) bool {
	d := *direction(from)
	return slices.ContainsFunc(j.c.Events, func(e report.Event) bool {
		return e.Kind == report.EventDataFin && e.Direction != nil && *e.Direction == d && e.Packet != nil && uint64(*e.Packet) < k.Packet
	})
}

// neverCarried reports whether a subflow never carried data.
func (j *judge) neverCarried(s *metrics.Sub) bool {
	return s.Sub.Senders[conn.A].Bytes == 0 && s.Sub.Senders[conn.B].Bytes == 0
}

// slow judges a join whose handshake was repeated.
func (j *judge) slow(s *metrics.Sub, path, initiator string) {
	h, id := &s.Handshake, s.Sub.ID
	end := h.Usable
	if !end.Seen() {
		end = h.Third
	}
	if !h.SYN.Seen() || !end.Seen() || !j.timed() {
		return
	}
	length := end.Time - h.SYN.Time
	v := j.add(report.VerdictJoinSlow, warningIf(length >= slowSetup),
		fmt.Sprintf("%s: it took %s from the SYN of %s until it could be used, because packets of the handshake were lost and repeated: %s",
			path, durationText(length), initiator, repeats(h)),
		j.packet("SYN with MP_JOIN", h.SYN, id), j.packet("third packet", h.Third, id), j.packet("confirmation", h.Usable, id))
	j.partOfAll(v, length)
}

// Connections below these bounds end too soon to use a second path.
const (
	fewBytes = report.FewBytes
	shortRun = 1e9 // ns
)

const (
	slowSetup     = 1e9   // ns: a handshake that takes longer is slow
	leastStanding = 200e6 // ns for which an address must have been announced to be judged
)

// alone judges a connection without further subflows.
func (j *judge) alone() {
	if !j.c.Handshake || j.c.Fallback != nil || j.has(report.VerdictUncaptured) {
		return
	}
	h := &j.m.Subs[0].Handshake
	syn := j.packet("SYN with MP_CAPABLE", h.SYN, 0)
	for _, s := range [2]conn.Side{conn.A, conn.B} {
		if k := j.m.Symptoms.NoJoin[s]; k.Seen() {
			j.add(report.VerdictJoinForbidden, report.Minor,
				fmt.Sprintf("%s set flag C in MP_CAPABLE: no further subflow may be opened to its address and port, only to addresses that it announces", side(s)),
				j.packet("MP_CAPABLE with flag C", k, 0))
		}
	}
	bytes := j.c.A2B.Volume() + j.c.B2A.Volume()
	matters := len(j.out) == 0 || j.out[0].Severity != report.Critical
	v := j.add(report.VerdictSinglePath, warningIf(matters && float64(bytes) >= fewBytes && j.m.Conn.Last()-j.m.Conn.Start >= shortRun && (j.c.State != report.ConnOpen || j.m.Conn.Until-j.start >= report.AnswerTime)),
		fmt.Sprintf("one path only: no further subflow was attempted in %s (%s). Either host's path manager would have to open one: it has no second address or interface, or its limits or endpoints do not allow it%s",
			durationText(j.m.Conn.Last()-j.m.Conn.Start), j.offered(), j.mayHaveTried()),
		syn, number("application bytes", float64(bytes), "bytes"))
	concernsBytes(v, bytes)
	v.Remedy = j.kernel.With(j.acceptOffered(), v.Code, j.c.Version)
}

// addresses judges whether announced addresses were used, if all paths are in the capture:
// otherwise a subflow to such an address, or its echo, may be on another path.
func (j *judge) addresses() {
	if j.has(report.VerdictUncaptured) {
		return
	}
	for i := range j.m.Symptoms.Addresses {
		a := &j.m.Symptoms.Addresses[i]
		stood := j.m.Conn.Last() - a.At.Time
		if a.Removed.Seen() {
			stood = a.Removed.Time - a.At.Time
		}
		name := fmt.Sprintf("address id %d, %s, of %s", a.ID, where(a), side(a.From))
		joined, echoed := j.used(a), a.Echo.Seen() || j.m.Conn.Version == 0
		if stood < leastStanding || joined && echoed || !a.Removed.Seen() && j.early(-1, a.At.Time, name+", was announced and is not in use", j.packet("ADD_ADDR", a.At, -1)) {
			continue
		}
		if !echoed {
			j.add(report.VerdictAddAddrNotEchoed, warningIf(!joined),
				fmt.Sprintf("%s announced %s %s and %s never confirmed it: the option was lost or removed on the way, or %s ignores it",
					side(a.From), name, textwrap.Count(a.Times, "time"), side(a.From.Other()), side(a.From.Other())),
				j.packet("ADD_ADDR", a.At, -1), number("announcements", float64(a.Times), "count"))
		}
		if !joined {
			v := j.add(report.VerdictAddAddrNotJoined, report.Major,
				fmt.Sprintf("no subflow to %s was attempted in the %s that it was announced: the peer's path manager may not create one, or its limit of subflows is reached",
					name, durationText(stood)),
				j.packet("ADD_ADDR", a.At, -1), j.packet("its echo", a.Echo, -1))
			v.Remedy = j.kernel.With(j.useAnnounced(a), v.Code, j.c.Version)
		}
	}
}

func where(a *symptoms.Announcement) string {
	if a.Port == 0 {
		return a.Addr.String()
	}
	return fmt.Sprintf("%s port %d", a.Addr, a.Port)
}

// used reports whether any subflow uses an announced address.
func (j *judge) used(a *symptoms.Announcement) bool {
	for _, s := range j.subflows() {
		if s.Sub.Joined && s.Sub.AddressID[a.From] == int(a.ID) {
			return true
		}
		if netip.AddrFrom16(s.Sub.Ends[a.From].Addr).Unmap() == a.Addr.Unmap() && (a.Port == 0 || s.Sub.Ends[a.From].Port == a.Port) {
			return true
		}
	}
	return false
}

// shares says what a subflow carried.
func shares(s *report.Subflow) string {
	var out []string
	for _, d := range report.Directions {
		if dir := s.Dir(d); dir.Volume() > 0 && dir.Share != nil {
			out = append(out, fmt.Sprintf("%.1f %% of %s", *dir.Share, d))
		}
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, " and ")
}

// proof returns an event as a proof.
func proof(what string, e *report.Event) report.Proof {
	t := e.TS
	return report.Proof{What: what, Packet: e.Packet, TS: &t, Subflow: e.Subflow}
}
