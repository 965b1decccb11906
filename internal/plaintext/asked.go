package plaintext

import (
	"fmt"

	"mpanalyze/internal/report"
	"mpanalyze/internal/textwrap"
)

// asked writes what a player of a direction's data would have shown, if --bitrate was given, and
// the cost of the scheduler's choices, if --regret was given.
func (p *printer) asked(d report.Direction, s *report.Streaming, r *report.SchedulerRegret) {
	for _, text := range []string{Streaming(s), Regret(r)} {
		if text != "" {
			p.wrapped("", "  ", string(d)+" "+text)
		}
	}
}

// Streaming returns a line about what a player of a direction's data would have shown. It
// returns "" if s is nil.
func Streaming(s *report.Streaming) string {
	if s == nil {
		return ""
	}
	text := fmt.Sprintf("played at %s Mbit/s: starts after %s ms", digits(s.Bitrate), digits(s.Startup))
	switch {
	case s.Stalls == 0:
		text += ", no stall"
	default:
		text += fmt.Sprintf(", %s of %s ms, %s %% of the time, the longest %s ms",
			textwrap.Count(s.Stalls, "stall"), digits(s.Stalled), digits(s.StalledPercent), digits(s.LongestStall))
	}
	text += fmt.Sprintf("; %s %% of the chunks late", digits(s.LatePercent))
	if m := s.Messages; m != nil {
		text += fmt.Sprintf("; %s of %s ms on average, %d later than --playout allows", textwrap.Count(m.Count, "message"), digits(m.Duration.Avg), m.Late)
	}
	return text
}

// Regret returns a line about the cost of the scheduler's choices. It returns "" if r is nil.
func Regret(r *report.SchedulerRegret) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("scheduler: %s ms lost on average against the best paths (p95 %s), %s %% of %s on a worse path",
		digits(r.Lost.Avg), digits(r.Lost.P95), digits(r.WorsePercent), textwrap.Count(r.Chunks, "chunk"))
}
