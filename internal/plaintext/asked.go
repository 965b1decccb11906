package plaintext

import (
	"fmt"

	"mpanalyze/internal/report"
	"mpanalyze/internal/textwrap"
)

// asked writes what a player of a direction's data would have shown, if --stream was given, and
// the cost of the scheduler's choices, if --extra regret was given.
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
		text += fmt.Sprintf("; %s of %s ms on average, %d later than the playout of --stream allows", textwrap.Count(m.Count, "message"), digits(m.Duration.Avg), m.Late)
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

// fairness writes which part of the shared paths Multipath TCP took, if --extra fairness was given.
func (p *printer) fairness(f *report.Fairness) {
	if f == nil {
		return
	}
	p.line("", "")
	p.line(bold, "fairness")
	for _, text := range Fairness(f) {
		p.wrapped("", "  ", text)
	}
}

// Fairness says which part of the shared paths Multipath TCP took and which part plain TCP. It
// returns one line for each path and connection, or nil if f is nil.
func Fairness(f *report.Fairness) (lines []string) {
	if f == nil {
		return nil
	}
	if len(f.Paths) == 0 {
		lines = append(lines, "no Multipath TCP and plain TCP of 100 kB or more ran on one path at the same time; --label says which paths are the same")
	}
	for i := range f.Paths {
		x := &f.Paths[i]
		lines = append(lines, fmt.Sprintf("%s %s: for %s from %s on, Multipath TCP took %s %% of the bytes, %s %% would be equal; Jain's index of %s %s",
			Clean(x.Path), x.Direction, seconds(x.BothActive), moment(x.From), digits(x.MPTCPShare), digits(x.EqualShare), textwrap.Count(len(x.Flows), "flow"), digits(x.Jain)))
	}
	for i := range f.Connections {
		x := &f.Connections[i]
		lines = append(lines, fmt.Sprintf("connection %d %s: %s Mbit/s, %s times what a plain TCP connection had on its best path, %s (%s Mbit/s); on a path at most %s times what plain TCP had there",
			x.Connection, x.Direction, digits(x.Rate), digits(x.Ratio), Clean(x.BestPath), digits(x.BestTCP), digits(x.MostOnAPath)))
	}
	return lines
}
