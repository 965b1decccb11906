package plaintext

import (
	"fmt"

	"mpanalyze/internal/report"
	"mpanalyze/internal/textwrap"
)

// fairness writes which part of the shared paths Multipath TCP took, if --fairness was given.
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
