package diagnose

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
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
		j.add(report.VerdictInfinite, report.Critical, "", proof("infinite mapping", e)).Subflow = e.Subflow
	case j.c.Fallback != nil:
		if e := j.event(report.EventFallback); e != nil {
			j.add(report.VerdictFallback, report.Critical, "", word("detail", e.Detail), proof("fallback", e)).Subflow = e.Subflow
		}
	}
}

// event returns the first event of a kind that its receiver did not ignore; nil if there is none.
func (j *judge) event(kind report.EventKind) *report.Event {
	return find(j.c.Events, func(e *report.Event) bool { return e.Kind == kind && (e.Effective == nil || *e.Effective) })
}

// sender returns the name of the host that sent the packet of an event.
func sender(e *report.Event) string { return side(senderOf(e.Direction)) }

// checksum judges payload that was changed on the way (RFC 8684, Section 3.7).
func (j *judge) checksum() bool {
	bad, fail := j.event(report.EventChecksumError), j.event(report.EventFail)
	first, form := bad, ""
	if first == nil {
		first, form = fail, "reported"
	}
	if first == nil || first.Subflow == nil {
		return false
	}
	v := j.add(report.VerdictChecksum, report.Critical, form)
	v.Subflow = first.Subflow
	enter(v, proof("data whose DSS checksum fails", bad))
	if fail != nil {
		enter(v, proof("MP_FAIL", fail), word("reporter", sender(fail)))
	}
	switch r := &j.m.Subs[*first.Subflow].Reset; {
	case r.Seen():
		enter(v, append(reset(r), j.packet("RST", r.PacketRef, *first.Subflow))...)
	case j.c.Fallback != nil:
		enter(v, word("fallback", *j.c.Fallback))
	}
	return true
}

// minWithoutOption is how many packets without an option a host must have sent after its last
// option: the packets that close a subflow may have none, and prove nothing.
const minWithoutOption = 16

// optionsRemoved judges a connection whose options disappear after the handshake.
func (j *judge) optionsRemoved() bool {
	s := j.m.Subs[0]
	h := &s.Handshake
	if s.Sub.Joined || s.Sub.NoSYN || !j.c.Handshake || !h.Third.Seen() {
		return false
	}
	synack := j.packet("SYN/ACK with MP_CAPABLE", h.SYNACK, s.Sub.ID)
	if h.PlainRetry.Seen() && j.c.Fallback != nil { // packets of the handshake were lost, and nothing was removed
		j.withoutOptions(report.VerdictSYNDropped, "granted", lasted("after", "", h.PlainRetry.Time-h.SYN.Time), j.packet("SYN without MP_CAPABLE", h.PlainRetry, s.Sub.ID), synack)
		return true
	}
	first := -1
	for from := range s.Sub.Senders {
		me, use := conn.Side(from), s.OptionUse(conn.Side(from))
		if use.Packets == 0 && use.Without > 0 && j.c.Fallback != nil {
			facts := []fact{word("by", side(me)), counted("without", "", use.Without), synack, j.packet("first packet of "+side(me)+" without an option", use.FirstWithout, s.Sub.ID)}
			switch {
			case h.SYNs > 1 || h.SYNACKs > 1: // hosts give up when such packets are lost: nothing may have been removed
				j.withoutOptions(report.VerdictFallback, "lost", append(facts, counted("syns", "", h.SYNs), counted("synacks", "", h.SYNACKs))...)
			case j.at(me):
				none := s.OptionUse(me.Other()).Packets == 0
				j.withoutOptions(report.VerdictStrippedHandshake, "itself", append(facts, when(none, "peer_too"), word("peer", side(me.Other())))...)
			default:
				j.withoutOptions(report.VerdictStrippedHandshake, "", facts...)
			}
			return true
		}
		// Nothing that could have removed the options lies between the capture and its own host. So that stopped sending them on the only
		// subflow if the other host still sends them.
		hostStopped := j.at(me) && len(j.m.Subs) == 1 && s.OptionUse(me.Other()).Last.Time-use.FirstWithout.Time >= shortRun
		lapsed := use.Without >= minWithoutOption && (j.c.Fallback != nil || j.dataAckStopped(me.Other()) || hostStopped)
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

// withoutOptions enters a verdict on a connection without options after the SYNs, which costs all
// its data a second path.
func (j *judge) withoutOptions(code report.VerdictCode, form string, facts ...fact) {
	v := j.add(code, report.Critical, form, append([]fact{j.packet("SYN with MP_CAPABLE", j.m.Subs[0].Handshake.SYN, 0)}, facts...)...)
	v.Subflow = subflowID(0)
	concernsBytes(v, report.Known(j.c.A2B.Bytes)+report.Known(j.c.B2A.Bytes))
}

// dataAckStopped reports whether the DATA_ACK of the data that side from sends stopped for
// good while the subflows went on.
func (j *judge) dataAckStopped(from conn.Side) bool {
	t := j.m.Symptoms.Dir(from)
	return t.Stall.Duration() >= shortRun && t.Stall.To.Time >= j.m.Conn.Last()
}

// optionsStop judges a host whose options stop during the connection.
func (j *judge) optionsStop(s *metrics.Sub, from conn.Side) {
	use, form := s.OptionUse(from), ""
	switch still := s.OptionUse(from.Other()).Last.Time > use.FirstWithout.Time; {
	case j.at(from) && still && j.c.FallbackCode != nil && *j.c.FallbackCode == report.FallbackDSS:
		form = "length" // the mappings came, and did not fit the payload that came
	case j.at(from):
		form = "itself"
	}
	j.add(report.VerdictStrippedData, report.Critical, form,
		counted("packet", "", int64(use.FirstWithout.Packet)), word("by", side(from)), word("peer", side(from.Other())), counted("had", "", use.Packets), when(j.dataAckStopped(from.Other()), "stopped"),
		j.packet("last packet of "+side(from)+" with an option", use.Last, s.Sub.ID), j.packet("first packet without one", use.FirstWithout, s.Sub.ID),
		counted("", "packets without an option", use.Without)).Subflow = subflowID(s.Sub.ID)
}

// end judges connections that were aborted.
func (j *judge) end() {
	switch j.c.State {
	case report.ConnFastclosed:
		if e := j.event(report.EventFastclose); e != nil {
			j.add(report.VerdictAborted, report.Minor, "", word("by", sender(e)), proof("MP_FASTCLOSE", e)).Subflow = e.Subflow
		}
	case report.ConnReset:
		if e := j.event(report.EventReset); e != nil && !j.m.Subs[0].Sub.Joined {
			v := j.add(report.VerdictReset, report.Major, "", word("detail", e.Detail), proof("RST", e))
			v.Subflow = e.Subflow
			if bad := j.malformedBefore(e); bad != nil {
				enter(v, when(true, "malformed"), proof("malformed option: "+bad.Detail, bad))
			}
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

// answered reports whether the responder answered the SYN: it sent anything but RSTs. Without a
// SYN/ACK the capture lacks that, and does not show what it granted.
func answered(s *metrics.Sub) bool {
	x := &s.Sub.Senders[s.Sub.Initiator.Other()]
	return x.Packets > x.Resets
}

// ended reports whether side from had sent its DATA_FIN before k.
func (j *judge) ended(from conn.Side, k symptoms.PacketRef) bool {
	fin := j.dataFIN(from)
	return fin != nil && fin.Packet != nil && uint64(*fin.Packet) < k.Packet
}

// malformed judges MPTCP options without a legal form. A host ignores such an option (RFC 8684,
// Section 3), so what it would have said is lost to the peer. Where a RST follows, the verdict on the
// reset names the option as a possible cause.
func (j *judge) malformed() {
	first, n := j.event(report.EventMalformedOption), 0
	if first == nil {
		return
	}
	for i := range j.c.Events {
		if j.c.Events[i].Kind == report.EventMalformedOption {
			n++
		}
	}
	j.add(report.VerdictMalformed, report.Minor, "", when(j.m.EventsOmitted > 0, "omitted"), word("by", sender(first)), word("detail", first.Detail),
		proof("the first of them", first), counted("options", "malformed options", n)).Subflow = first.Subflow
}

// finTimeouts is how often a host must repeat a DATA_FIN after a timeout to be judged before
// [report.AnswerTime]: a SYN is repeated less often in that time.
const finTimeouts = 3

// finUnacked judges a DATA_FIN that the peer never acknowledges although it has all data: the
// connection does not close.
func (j *judge) finUnacked() {
	end := j.closingEnd()
	if end == 0 || j.c.Fallback != nil || j.has(report.VerdictChecksum) || len(j.c.CaptureGaps) > 0 {
		return
	}
	for _, from := range sides {
		c := j.m.Conn
		sp, at, copies := &c.Spaces[from], c.DataFIN[from], c.FINCopies(from)
		waits := end - at
		if at == 0 || !sp.Delivered() || sp.FINAcked() || waits < report.AnswerTime && copies.Timeouts < finTimeouts {
			continue
		}
		form := ""
		switch {
		case slices.ContainsFunc(c.Subflows, func(s *conn.Subflow) bool { return s.Senders[from.Other()].Last() > at }): // the peer is not silent
		case j.at(from.Other()):
			form = "itself"
		default:
			form = "silent"
		}
		v := j.add(report.VerdictFINUnacked, report.Major, form, lasted("waits", "", waits), when(j.c.State == report.ConnReset, "reset"), when(j.at(from), "at_sender"),
			proof("DATA_FIN", j.dataFIN(from)), counted("copies", "packets with the DATA_FIN", copies.Packets))
		v.Direction, v.CostUnknown = direction(from), "no data waits for it"
	}
}

// closingEnd returns until when a DATA_FIN could be acknowledged, ns; 0 for a
// connection that was closed.
func (j *judge) closingEnd() (end int64) {
	switch j.c.State {
	case report.ConnOpen, report.ConnSYNReceived:
		return j.m.Conn.Last()
	case report.ConnReset:
		for _, s := range j.m.Subs {
			if at := s.Reset.Time; s.Reset.Seen() && (end == 0 || at < end) {
				end = at
			}
		}
	}
	return end
}

// dataFIN returns the first DATA_FIN of a side; nil if it is not listed.
func (j *judge) dataFIN(from conn.Side) *report.Event {
	return find(j.c.Events, func(e *report.Event) bool {
		return e.Kind == report.EventDataFin && e.Direction != nil && *e.Direction == directionOf(from)
	})
}

// unmapped judges payload that no mapping covers. The receiver cannot place it in the data (RFC 8684,
// Section 3.3.1), so the DATA_ACK stands still behind it.
func (j *judge) unmapped() {
	for i := range j.c.Events {
		e := &j.c.Events[i]
		if e.Kind != report.EventUnmappedData || e.Direction == nil || e.Subflow == nil || *e.Subflow >= len(j.m.Subs) || len(j.c.CaptureGaps) > 0 {
			continue
		}
		from, first := senderOf(e.Direction), proof("first payload without a mapping", e)
		if j.m.MapsCut(from) != "" || j.c.Fallback != nil {
			continue
		}
		d := j.m.Symptoms.Dir(from)
		waits := d.Stall.To.Time >= d.Data.To.Time && j.m.Conn.Spaces[from].OutstandingBytes > 0 && d.Stall.Duration() > 0
		if !waits && j.early(*e.Subflow, j.start+int64(e.TS*1e9), "unmapped", word("by", side(from)), first) {
			continue
		}
		var v *report.Verdict
		if use := j.m.Subs[*e.Subflow].OptionUse(from); use.Packets > 0 && use.FirstWithout.Seen() && int64(use.FirstWithout.Packet) <= *e.Packet { // else the options tell what they do not map
			v = j.add(report.VerdictStrippedData, report.Critical, "payload", counted("packet", "", int64(use.FirstWithout.Packet)), word("by", side(from)), word("peer", side(from.Other())),
				counted("had", "", use.Packets), when(j.at(from), "at_sender"), j.packet("last packet of "+side(from)+" with an option", use.Last, *e.Subflow), first)
		} else {
			v = j.add(report.VerdictUnmapped, warningIf(waits), "", first)
		}
		v.Subflow, v.Direction = e.Subflow, e.Direction
		if waits {
			enter(v, lasted("waits", "", d.Stall.Duration()))
			took(v, d.Stall.Duration())
		}
	}
}
