package diagnose

import (
	"fmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
	"mpanalyze/internal/textwrap"
)

// goneLeast is how many keep-alives in a row must get no answer: one may be lost by chance.
const goneLeast = 2

// gone judges idle paths that do not answer keep-alives any more. Nothing waits for them.
func (j *judge) gone() {
	for i, s := range j.subflows() {
		for _, side := range [2]conn.Side{conn.A, conn.B} {
			p := &s.Sub.Senders[side].Probing
			if p.Unanswered < goneLeast || s.Sub.Senders[side.Other()].Last() >= p.Since.Time || j.concerning(i, side, report.VerdictPathDied) != nil {
				continue
			}
			first := symptoms.PacketRef{Packet: p.Since.Packet, Time: p.Since.Time}
			v := j.add(report.VerdictGone, report.Minor,
				fmt.Sprintf("%s is gone since %s at least: %s of %s in a row got no answer up to the end; nothing waited for it",
					pathText(i, &j.c.Subflows[i]), durationText(p.Since.Time-j.start), textwrap.Count(p.Unanswered, "keep-alive"), side),
				j.packet("first keep-alive without an answer", first, i), number("keep-alives without an answer", float64(p.Unanswered), "count"))
			v.Subflow = subflowID(i)
		}
	}
}
