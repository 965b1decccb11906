package diagnose

import (
	"fmt"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// stopped judges times in which no subflow made progress.
func (j *judge) stopped(from conn.Side, t *symptoms.DataDir) {
	s := &t.Stops
	if s.Count == 0 {
		return
	}
	text := fmt.Sprintf("no subflow made progress for %s, although data was outstanding on each of the %d that had carried some", durationText(s.Longest.Duration()), s.Subflows)
	if s.Count > 1 {
		text += fmt.Sprintf(" (%d times, %s together)", s.Count, durationText(s.Total))
	}
	if s.Longest.To.Time >= j.m.Conn.Last() {
		text += ", to the end of the connection"
	}
	all := []string{text}
	for i := range t.Handovers {
		if h := &t.Handovers[i]; h.Stopped {
			all = append(all, fmt.Sprintf("subflow %d %s", h.From, silenceOf(h)))
		}
	}
	v := j.add(report.VerdictAllStopped, report.Major, strings.Join(all, "; "),
		j.packet("last progress of any subflow, or since when data waits", s.Longest.From, -1), j.packet("next progress of any subflow, or last packet", s.Longest.To, -1),
		number("no subflow made progress", float64(s.Total)/1e6, "ms"), number("times", float64(s.Count), "count"))
	costs(v, min(percent(s.Total, t.Data.Duration()), 100), s.Total)
}
