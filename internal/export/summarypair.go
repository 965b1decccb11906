package export

import (
	"fmt"

	"mpanalyze/internal/report"
)

// clock says how the clocks of two captures stand.
func (p *printer) clock(c *report.Clock) {
	if c == nil {
		return
	}
	text := "clocks: "
	switch {
	case c.Offset == 0 && c.Drift == 0 && c.Step == nil:
		text += "nothing corrected; " + c.Method
	default:
		text += fmt.Sprintf("receiver's %+.3f ms (uncertainty %.3f)", c.Offset, c.Uncertainty)
		if c.Drift != 0 {
			text += fmt.Sprintf(", %+.1f ppm", c.Drift)
			if c.DriftUncertainty != nil {
				text += fmt.Sprintf(" (uncertainty %.1f)", *c.DriftUncertainty)
			}
		}
		text += ", corrected; " + c.Method
	}
	p.wrapped("", "", text)
}

// network is a table of what two captures show of each subflow and direction
// in which data ran.
func (p *printer) network(all []report.Subflow) {
	g := grid{columns: []column{
		{title: "network", least: 8},
		{title: "dir"},
		{title: "one-way ms", right: true},
		{title: "p99", right: true},
		{title: "jitter", right: true, drop: 1},
		{title: "lost", right: true},
		{title: "doubled", right: true, drop: 2},
		{title: "overtaken", right: true, drop: 3},
	}}
	for i := range all[:p.limit(len(all), maxSubflows)] {
		s := &all[i]
		for _, way := range ways(s) {
			d := way.dir
			if d.Network == nil || d.Network.SentPackets == 0 {
				continue
			}
			p99, lost := none, none
			if d.OWD != nil {
				p99 = digits(d.OWD.P99)
			}
			if d.Drops != nil {
				lost = fmt.Sprint(d.Drops.Count)
			}
			g.rows = append(g.rows, []string{
				fmt.Sprint(s.ID), string(way.name), plainAverage(d.OWD), p99, plainAverage(d.Jitter), lost,
				fmt.Sprint(d.Network.Duplicated), fmt.Sprint(d.Network.ReorderedPackets),
			})
		}
	}
	if len(g.rows) > 0 {
		p.grid("  ", &g)
	}
}

// plainAverage returns the mean of a stat.
func plainAverage(s *report.Stat) string {
	if s == nil {
		return none
	}
	return digits(s.Avg)
}
