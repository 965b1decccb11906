package diagnose

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

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
