package diagnose

import (
	"fmt"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/textwrap"
)

// finTimeouts is how often a host must repeat a DATA_FIN after a timeout to be judged before
// [report.AnswerTime]: a SYN is repeated less often in that time.
const finTimeouts = 3

// finUnacked judges a DATA_FIN that the peer never acknowledges although it has all data: the
// connection does not close.
func (j *judge) finUnacked() {
	end, until := j.closingEnd()
	if end == 0 || j.c.Fallback != nil || j.has(report.VerdictChecksum) || len(j.c.CaptureGaps) > 0 {
		return
	}
	for _, from := range [2]conn.Side{conn.A, conn.B} {
		c := j.m.Conn
		sp, at, copies := &c.Spaces[from], c.DataFIN[from], c.FINCopies(from)
		waits := end - at
		if at == 0 || !sp.Delivered() || sp.FINAcked() || waits < report.AnswerTime && copies.Timeouts < finTimeouts {
			continue
		}
		me, peer := side(from), side(from.Other())
		v := j.add(report.VerdictFINUnacked, report.Major,
			fmt.Sprintf("%s sent its DATA_FIN %s, and %s did not DATA_ACK it for %s, %s, although it has all data: the connection does not close",
				me, textwrap.Count(copies.Packets, "time"), peer, durationText(waits), until),
			j.dataFIN(from), number("packets with the DATA_FIN", float64(copies.Packets), "count"))
		v.Direction = direction(from)
		v.CostUnknown = "no data waits for it"
		if j.silentSince(from.Other(), at) {
			v.Text += ". Nothing at all of " + peer + " came after it"
			if j.at(from.Other()) {
				v.Text += ", although it arrived there: " + peer + " itself does not answer it"
				continue
			}
			v.Text += ". " + j.whySilent(from)
			v.Remedy = fmt.Sprintf("Look at the paths at that time, and in a capture at %s whether the DATA_FIN arrives there and an answer leaves. If neither happens, the paths carried nothing.", peer)
		}
	}
}

// closingEnd returns until when a DATA_FIN could be acknowledged, in ns and in words; 0 for a
// connection that was closed.
func (j *judge) closingEnd() (end int64, until string) {
	switch j.c.State {
	case report.ConnOpen:
		return j.m.Conn.Last(), "up to the end of the capture"
	case report.ConnReset:
		for _, s := range j.m.Subs {
			if at := s.Reset.Time; s.Reset.Seen() && (end == 0 || at < end) {
				end = at
			}
		}
	}
	return end, "until the connection was reset"
}

// silentSince reports whether no packet of a side came after a time.
func (j *judge) silentSince(s conn.Side, at int64) bool {
	return !slices.ContainsFunc(j.m.Conn.Subflows, func(sub *conn.Subflow) bool { return sub.Senders[s].Last() > at })
}

// whySilent lists why nothing of the peer came after the DATA_FIN of side from, in a capture that is
// not at the peer.
func (j *judge) whySilent(from conn.Side) string {
	peer := side(from.Other())
	if j.at(from) {
		return possibilities("the paths carried nothing any more, in one direction or both", peer+" was gone", peer+" does not answer it")
	}
	return possibilities("the paths carried nothing any more on one side of the capture", peer+" was gone", peer+" does not answer it")
}

// dataFIN returns the DATA_FIN of a side as a proof; an empty one if it is not listed.
func (j *judge) dataFIN(from conn.Side) report.Proof {
	for i := range j.c.Events {
		if e := &j.c.Events[i]; e.Kind == report.EventDataFin && e.Direction != nil && *e.Direction == *direction(from) {
			return proof("DATA_FIN", e)
		}
	}
	return report.Proof{}
}

// unmapped judges payload that no mapping covers. The receiver cannot place it in the data (RFC 8684,
// Section 3.3.1), so the DATA_ACK stands still behind it.
func (j *judge) unmapped() {
	for i := range j.c.Events {
		e := &j.c.Events[i]
		if e.Kind != report.EventUnmappedData || e.Direction == nil || e.Subflow == nil || *e.Subflow >= len(j.m.Subs) || len(j.c.CaptureGaps) > 0 {
			continue
		}
		from := senderOf(e.Direction)
		if j.m.MapsCut(from) != "" || j.c.Fallback != nil {
			continue
		}
		text := fmt.Sprintf("payload of %s has no mapping, so %s cannot place it in the data", side(from), side(from.Other()))
		waits := int64(0)
		if d := j.m.Symptoms.Dir(from); d.Stall.To.Time >= d.Data.To.Time && j.m.Conn.Spaces[from].OutstandingBytes > 0 {
			waits = d.Stall.Duration()
			text += fmt.Sprintf("; the DATA_ACK has stood still for %s, up to the end of the capture", durationText(waits))
		} else if j.early(*e.Subflow, j.start+int64(e.TS*1e9), "payload of "+side(from)+" has no mapping", proof("first payload without a mapping", e)) {
			continue
		}
		v := j.add(report.VerdictUnmapped, warningIf(waits > 0), text, proof("first payload without a mapping", e))
		v.Subflow, v.Direction = e.Subflow, e.Direction
		if waits > 0 {
			took(v, waits)
		}
	}
}
