package diagnose

import (
	"fmt"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/textwrap"
)

// fallback judges why data, or part of it, is carried without Multipath TCP. It gives one
// verdict: the cause that explains the other ones.
func (j *judge) fallback() {
	switch {
	case j.checksum():
	case j.mismatched():
	case j.optionsRemoved():
	case j.event(report.EventInfiniteMapping) != nil:
		e := j.event(report.EventInfiniteMapping)
		j.add(report.VerdictInfinite, report.Critical,
			"a host announced an infinite mapping: it gave up MPTCP, and from then on the connection is plain TCP on one path", proof("infinite mapping", e)).Subflow = e.Subflow
	case j.c.Fallback != nil:
		e := j.event(report.EventFallback)
		if e == nil {
			return
		}
		j.add(report.VerdictFallback, report.Critical, "the connection fell back to TCP: "+e.Detail, proof("fallback", e)).Subflow = e.Subflow
	}
}

// acceptedEvent returns the first event of a kind that its receiver did not ignore; nil
// if there is none.
func (j *judge) acceptedEvent(kind report.EventKind) *report.Event {
	return j.first(func(e report.Event) bool { return e.Kind == kind && (e.Effective == nil || *e.Effective) })
}

// event returns the first event of a kind; nil if there is none.
func (j *judge) event(kind report.EventKind) *report.Event {
	return j.first(func(e report.Event) bool { return e.Kind == kind })
}

func (j *judge) first(fits func(report.Event) bool) *report.Event {
	if i := slices.IndexFunc(j.c.Events, fits); i >= 0 {
		return &j.c.Events[i]
	}
	return nil
}

// checksum judges payload that was changed on the way (RFC 8684, Section 3.7).
func (j *judge) checksum() bool {
	bad, fail := j.event(report.EventChecksumError), j.event(report.EventFail)
	first := bad
	if first == nil {
		first = fail
	}
	if first == nil || first.Subflow == nil {
		return false
	}
	var proofs []report.Proof
	text := fmt.Sprintf("%s reports by MP_FAIL that payload on subflow %d was changed on the way; no checksum fails in this capture", sender(first), *first.Subflow)
	if bad != nil {
		proofs = append(proofs, proof("data whose DSS checksum fails", bad))
		text = fmt.Sprintf("payload on subflow %d was changed on the way: its DSS checksum fails here", *first.Subflow)
	}
	if fail != nil {
		proofs = append(proofs, proof("MP_FAIL", fail))
		if bad != nil {
			text += fmt.Sprintf("; %s reports the failure by MP_FAIL", sender(fail))
		}
	}
	switch r := &j.m.Subs[*first.Subflow].Reset; {
	case r.Seen():
		proofs = append(proofs, j.packet("RST", r.PacketRef, *first.Subflow))
		text += fmt.Sprintf("; %s then reset the subflow (%s)", side(r.From), reason(r))
	case j.c.Fallback != nil:
		text += "; the connection fell back to TCP: " + *j.c.Fallback
	default:
		text += "; the capture shows no reset of the subflow: a host without another subflow gives up MPTCP instead"
	}
	j.add(report.VerdictChecksum, report.Critical, text, proofs...).Subflow = first.Subflow
	return true
}

// sender returns the name of the host that sent the packet of an event.
func sender(e *report.Event) string { return side(senderOf(e.Direction)) }

// minWithoutOption is how many packets without an option a host must have sent after its last
// option: the packets that close a subflow may have none, and prove nothing.
const minWithoutOption = 16

// optionsRemoved judges a connection whose options disappear after the handshake.
func (j *judge) optionsRemoved() bool {
	s := j.m.Subs[0]
	if s.Sub.Joined || s.Sub.NoSYN || !j.c.Handshake || !s.Handshake.Third.Seen() {
		return false
	}
	if s.Handshake.PlainRetry.Seen() && j.c.Fallback != nil {
		j.gaveUp(s)
		return true
	}
	first := -1
	for from := range s.Sub.Senders {
		use := s.OptionUse(conn.Side(from))
		if use.Packets == 0 && use.Without > 0 && j.c.Fallback != nil {
			if h := &s.Handshake; h.SYNs > 1 || h.SYNACKs > 1 {
				j.lostHandshake(s, conn.Side(from))
			} else {
				j.noOptions(s, conn.Side(from))
			}
			return true
		}
		lapsed := use.Without >= minWithoutOption && (j.c.Fallback != nil || j.dataAckStopped(conn.Side(from).Other()) || j.hostStopped(s, conn.Side(from)))
		if lapsed && (first < 0 || use.FirstWithout.Packet < s.OptionUse(conn.Side(first)).FirstWithout.Packet) {
			first = from
		}
	}
	if first < 0 {
		return false
	}
	j.optionsStop(s, conn.Side(first))
	return true
}

// gaveUp judges a host that repeated its SYN without MP_CAPABLE although the peer grants Multipath
// TCP: packets of the handshake were lost, and nothing was removed.
func (j *judge) gaveUp(s *metrics.Sub) {
	h := &s.Handshake
	v := j.add(report.VerdictSYNDropped, report.Critical,
		fmt.Sprintf("SYNs with MP_CAPABLE got no answer for %s, and a repeated its SYN without it, so data runs as plain TCP. The SYN/ACK has MP_CAPABLE: packets of the handshake were lost, and no option was removed",
			durationText(h.PlainRetry.Time-h.SYN.Time)),
		j.packet("SYN with MP_CAPABLE", h.SYN, s.Sub.ID), j.packet("SYN without MP_CAPABLE", h.PlainRetry, s.Sub.ID), j.packet("SYN/ACK with MP_CAPABLE", h.SYNACK, s.Sub.ID))
	v.Subflow = subflowID(s.Sub.ID)
	v.Remedy = "Look for the loss on this path: other verdicts and the losses of other connections over it tell more. On Linux, a larger net.mptcp.syn_retrans_before_tcp_fallback (2 by default), where the kernel has it, keeps the option in more SYNs. After such a fallback net.mptcp.blackhole_timeout keeps Multipath TCP off for that long; 0 switches that off."
	concernsBytes(v, report.Known(j.c.A2B.Bytes)+report.Known(j.c.B2A.Bytes))
}

// lostHandshake judges a host that sends no option after a handshake whose packets were repeated.
// Hosts give up Multipath TCP when such packets are lost; so it is not known that an option was
// removed.
func (j *judge) lostHandshake(s *metrics.Sub, from conn.Side) {
	h, use, me := &s.Handshake, s.OptionUse(from), side(from)
	how := "a gave up Multipath TCP because SYNs got no answer, and its SYN without MP_CAPABLE was lost, too"
	if from == conn.B {
		how = "the ACK of a that ends the handshake was lost, and b fell back when the next packet of a had no MP_CAPABLE"
	}
	v := j.add(report.VerdictFallback, report.Critical,
		fmt.Sprintf("packets of the handshake were lost (%s, %s), and after it %s sent %s without an MPTCP option and none with one, so data runs as plain TCP. %s; a capture at %s shows which",
			textwrap.Count(h.SYNs, "SYN"), textwrap.Count(h.SYNACKs, "SYN/ACK"), me, textwrap.Count(use.Without, "packet"),
			possibilities(how, "options are removed from "+me+"'s packets on the way"), me),
		j.packet("SYN with MP_CAPABLE", h.SYN, s.Sub.ID), j.packet("SYN/ACK with MP_CAPABLE", h.SYNACK, s.Sub.ID),
		j.packet("first packet of "+me+" without an option", use.FirstWithout, s.Sub.ID))
	v.Subflow = subflowID(s.Sub.ID)
	concernsBytes(v, report.Known(j.c.A2B.Bytes)+report.Known(j.c.B2A.Bytes))
}

// dataAckStopped reports whether the DATA_ACK of the data that side from sends stopped for
// good while the subflows went on.
func (j *judge) dataAckStopped(from conn.Side) bool {
	t := j.m.Symptoms.Dir(from)
	return t.Stall.Duration() >= shortRun && t.Stall.To.Time >= j.m.Conn.Last()
}

// hostStopped reports whether the host beside the capture stopped sending options on the
// only subflow, while the other host still sends them. Nothing lies between the
// host and the capture that could have removed them.
func (j *judge) hostStopped(s *metrics.Sub, from conn.Side) bool {
	return j.at(from) && len(j.m.Subs) == 1 && s.OptionUse(from.Other()).Last.Time-s.OptionUse(from).FirstWithout.Time >= shortRun
}

// noOptions judges a host that sends no option after the handshake.
func (j *judge) noOptions(s *metrics.Sub, from conn.Side) {
	h, use, me, peer := &s.Handshake, s.OptionUse(from), side(from), side(from.Other())
	text := fmt.Sprintf("SYN and SYN/ACK carry MP_CAPABLE, but after them %s sent %s without an MPTCP option and none with one, so data runs as plain TCP. ",
		me, textwrap.Count(use.Without, "packet"))
	switch {
	case j.at(from):
		text += me + " itself gave up MPTCP"
		if s.OptionUse(from.Other()).Packets == 0 {
			text += "; no packet that came from " + peer + " after the handshake carries an MPTCP option either"
		}
	case from == conn.A:
		text += possibilities("MP_CAPABLE was removed from the SYN/ACK between the capture and a, so a uses plain TCP",
			"options are removed from a's packets after the SYN") + "; a capture at a shows which"
	default:
		text += possibilities("options are removed from b's packets after the SYN/ACK",
			"MP_CAPABLE was removed from the ACK of a that ends the handshake, and b fell back") + "; a capture at b shows which"
	}
	v := j.add(report.VerdictStrippedHandshake, report.Critical, text,
		j.packet("SYN with MP_CAPABLE", h.SYN, s.Sub.ID), j.packet("SYN/ACK with MP_CAPABLE", h.SYNACK, s.Sub.ID),
		j.packet("first packet of "+me+" without an option", use.FirstWithout, s.Sub.ID))
	v.Subflow = subflowID(s.Sub.ID)
	concernsBytes(v, report.Known(j.c.A2B.Bytes)+report.Known(j.c.B2A.Bytes))
}

// optionsStop judges a host whose options stop during the connection.
func (j *judge) optionsStop(s *metrics.Sub, from conn.Side) {
	use, me, peer := s.OptionUse(from), side(from), side(from.Other())
	text := fmt.Sprintf("from packet %d on, no packet of %s carries an MPTCP option, after %s that did. ", use.FirstWithout.Packet, me, textwrap.Count(use.Packets, "packet"))
	if j.at(from) {
		text += me + " itself fell back to plain TCP; a host does so when it no longer receives options from its peer"
	} else {
		text += possibilities("options are removed from "+me+"'s packets on the way", me+" fell back to plain TCP because options of "+peer+" no longer reach it")
	}
	if j.dataAckStopped(from.Other()) {
		text += fmt.Sprintf("; %s still sends mappings, but gets no DATA_ACK any more", peer)
	}
	j.add(report.VerdictStrippedData, report.Critical, text,
		j.packet("last packet of "+me+" with an option", use.Last, s.Sub.ID), j.packet("first packet without one", use.FirstWithout, s.Sub.ID),
		number("packets without an option", float64(use.Without), "count")).Subflow = subflowID(s.Sub.ID)
}

// end judges connections that were aborted.
func (j *judge) end() {
	switch j.c.State {
	case report.ConnFastclosed:
		if e := j.acceptedEvent(report.EventFastclose); e != nil {
			j.add(report.VerdictAborted, report.Minor, sender(e)+" aborted the connection by MP_FASTCLOSE", proof("MP_FASTCLOSE", e)).Subflow = e.Subflow
		}
	case report.ConnReset:
		if e := j.acceptedEvent(report.EventReset); e != nil && !j.m.Subs[0].Sub.Joined {
			text, proofs := "every subflow was reset: "+e.Detail, []report.Proof{proof("RST", e)}
			if bad := j.malformedBefore(e); bad != nil {
				text += "; a possible cause is the malformed option that it got just before"
				proofs = append(proofs, proof("malformed option: "+bad.Detail, bad))
			}
			j.add(report.VerdictReset, report.Major, text, proofs...).Subflow = e.Subflow
		}
	}
}

// malformedBefore returns the last malformed option that the sender of a RST got on the same
// subflow within a second before, or nil.
func (j *judge) malformedBefore(rst *report.Event) (last *report.Event) {
	const near = 1 // s
	for i := range j.c.Events {
		e := &j.c.Events[i]
		if e.Kind == report.EventMalformedOption && same(e.Subflow, rst.Subflow) && !same(e.Direction, rst.Direction) && *e.Packet < *rst.Packet && rst.TS-e.TS <= near {
			last = e
		}
	}
	return last
}

// same reports whether two values are there and equal.
func same[T comparable](a, b *T) bool { return a != nil && b != nil && *a == *b }
