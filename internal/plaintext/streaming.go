package plaintext

import (
	"fmt"

	"mpanalyze/internal/report"
)

// streaming writes what a player of a direction's data would have shown, if --bitrate was given.
func (p *printer) streaming(name string, s *report.Streaming) {
	if text := Streaming(s); text != "" {
		p.wrapped("", "  ", name+" "+text)
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
			plural(s.Stalls, "stall"), digits(s.Stalled), digits(s.StalledPercent), digits(s.LongestStall))
	}
	text += fmt.Sprintf("; %s %% of the chunks late", digits(s.LatePercent))
	if m := s.Messages; m != nil {
		text += fmt.Sprintf("; %s of %s ms on average, %d later than --playout allows", plural(m.Count, "message"), digits(m.Duration.Avg), m.Late)
	}
	return text
}
