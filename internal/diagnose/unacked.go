package diagnose

import (
	"fmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// finPatience is for how long, in ns, a DATA_FIN must be without its DATA_ACK: a host repeats it
// after a retransmission timeout, at the latest after a second (RFC 6298, Section 2.1).
const finPatience = 3e9

// finUnacked judges a DATA_FIN that the peer never acknowledges although it has all data: the
// connection does not close.
func (j *judge) finUnacked() {
	if j.c.State != report.ConnOpen || j.c.Fallback != nil {
		return
	}
	for _, from := range [2]conn.Side{conn.A, conn.B} {
		sp, at := &j.m.Conn.Spaces[from], j.m.Conn.DataFIN[from]
		waits := j.m.Conn.Last() - at
		if at == 0 || !sp.Delivered() || sp.FINAcked() || waits < finPatience || len(j.c.CaptureGaps) > 0 {
			continue
		}
		me, peer := side(from), side(from.Other())
		v := j.add(report.VerdictFINUnacked, report.Major,
			fmt.Sprintf("%s sent its DATA_FIN, and %s did not DATA_ACK it for %s, up to the end of the capture, although it has all data: the connection does not close",
				me, peer, durationText(waits)), j.dataFIN(from))
		v.Direction = direction(from)
		took(v, waits)
	}
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
		from := conn.A
		if *e.Direction == report.B2A {
			from = conn.B
		}
		if j.m.MapsCut(from) != "" || j.c.Fallback != nil {
			continue
		}
		text := fmt.Sprintf("payload of %s has no mapping, so %s cannot place it in the data", side(from), side(from.Other()))
		waits := int64(0)
		if d := j.m.Symptoms.Direction(from); d.Stall.To.Time >= d.Data.To.Time && j.m.Conn.Spaces[from].OutstandingBytes > 0 {
			waits = d.Stall.Duration()
			text += fmt.Sprintf("; the DATA_ACK has stood still for %s, up to the end of the capture", durationText(waits))
		}
		v := j.add(report.VerdictUnmapped, warningIf(waits > 0), text, proof("first payload without a mapping", e))
		v.Subflow, v.Direction = e.Subflow, e.Direction
		if waits > 0 {
			took(v, waits)
		}
	}
}
