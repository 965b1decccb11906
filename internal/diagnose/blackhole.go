package diagnose

import (
	"fmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// blackHoleLeast is how many segments must be too large for a path: one may be lost by chance.
const blackHoleLeast = 2

// blackHoles judges paths that carry small segments and no large ones (RFC 2923, Section 2.1).
func (j *judge) blackHoles(from conn.Side) {
	for i, s := range j.subflows() {
		snd, l := &s.Sub.Senders[from], &s.Path(from).Losses
		if !j.at(from) || l.TooLarge < blackHoleLeast || snd.Largest >= l.LeastTooLarge || s.Sub.Senders[from.Other()].Last() <= l.TooLargeAt.Time {
			continue
		}
		v := j.add(report.VerdictBlackHole, report.Major,
			fmt.Sprintf("%s has an MTU black hole: segments of %d bytes and more are never acknowledged, segments of %d bytes and less are, later ones, too (bytes of payload)",
				pathText(i, &j.c.Subflows[i]), l.LeastTooLarge, snd.Largest),
			j.packet("first of the large segments, sent for the third time", l.TooLargeAt, i), number("different large segments without an ACK then", float64(l.TooLarge), "segments"),
			number("payload of the least of them", float64(l.LeastTooLarge), "bytes"), number("largest payload that was acknowledged", float64(snd.Largest), "bytes"))
		v.Subflow, v.CostUnknown = subflowID(i), "what the path would have carried is not known"
	}
}
