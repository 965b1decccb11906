package diagnose

import (
	"fmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
	"mpanalyze/internal/textwrap"
)

// shrunk judges a receive window of which the receiver took back what it had offered.
func (j *judge) shrunk(from conn.Side, t *symptoms.DataDir) {
	s := &t.Shut().Shrinks
	if s.Total < noticeable {
		return
	}
	share := min(percent(s.Total, t.Data.Duration()), 100)
	text := fmt.Sprintf("%s took back %s of the receive window that it had offered: no room for a segment for %s because of that (%s, %s at the longest)",
		side(from.Other()), bytesText(float64(s.Most)), durationText(s.Total), textwrap.Count(s.Count, "time"), durationText(s.Longest.Duration()))
	proofs := []report.Proof{
		j.packet("window taken back, the longest time without room", s.Longest.From, -1), j.packet("end of that time", s.Longest.To, -1),
		number("taken back by one packet at most", float64(s.Most), "bytes"), number("packets that took window back", float64(s.Packets), "count"),
		number("time without room because of that", float64(s.Total)/1e6, "ms"),
	}
	costs(j.add(report.VerdictShrunk, warningIf(share >= fullMuch), text, proofs...), share, s.Total)
}

// takenBack reports whether the window had no room mostly because a part of it was taken back.
func takenBack(t *symptoms.DataDir) bool {
	return t.Shut().Shrinks.Total >= noticeable && 2*t.Shut().Shrinks.Total > t.NoRoom.Total
}
