package plaintext

import (
	"fmt"
	"strings"

	"mpanalyze/internal/report"
)

// clock writes how the clocks of two captures differ.
func (p *printer) clock(c *report.Clock) {
	if c == nil {
		return
	}
	var did []string
	if c.Offset != nil && *c.Offset != 0 {
		did = append(did, fmt.Sprintf("offset %s ms (%s)", signed(*c.Offset, 3), uncertainty(c)))
	}
	if c.Drift != 0 {
		text := "drift " + signed(c.Drift, 1) + " ppm"
		if c.DriftUncertainty != nil {
			text += fmt.Sprintf(" (uncertainty %s ppm)", digits(*c.DriftUncertainty))
		}
		did = append(did, text)
	}
	if c.Step != nil {
		did = append(did, fmt.Sprintf("step %s ms at %.3f s", signed(*c.Step, 3), *c.StepS))
	}
	text := "nothing corrected; "
	if len(did) > 0 {
		text = "corrected by the receiver's " + strings.Join(did, ", ") + "; "
	}
	p.wrapped("", "", "clocks: "+text+c.Method)
}

// uncertainty returns how wrong the offset of two clocks may be.
func uncertainty(c *report.Clock) string {
	text := "uncertainty not known"
	if c.Uncertainty != nil {
		text = fmt.Sprintf("uncertainty %s ms", digits(*c.Uncertainty))
	}
	if c.Bound != nil {
		text += fmt.Sprintf("; %s ms at most if the path takes unequal times in the two directions", digits(*c.Bound))
	}
	return text
}

// signed returns a number with its sign and a number of decimals. If that text were zero
// although the number is not, it returns two significant digits.
func signed(v float64, decimals int) string {
	if text := fmt.Sprintf("%+.*f", decimals, v); strings.ContainsAny(text, "123456789") {
		return text
	}
	return fmt.Sprintf("%+.2g", v)
}

// network writes a table of what two captures show of each subflow and direction in which
// data ran.
func (p *printer) network(all []report.Subflow) {
	g := grid{columns: []column{
		{title: "network", least: 8},
		{title: "dir"},
		{title: "one-way ms", right: true},
		{title: "p99", right: true},
		{title: "jitter", right: true, drop: 1},
		{title: "lost", right: true},
		{title: "duplicated", right: true, drop: 2},
		{title: "reordered", right: true, drop: 3},
	}}
	for i := range all[:p.limit(len(all), maxSubflows)] {
		s := &all[i]
		for _, dir := range report.Directions {
			d := s.Dir(dir)
			if d == nil || d.Network == nil || d.Network.SentPackets == 0 {
				continue
			}
			p99 := known(d.OWD, func(s report.Stat) string { return digits(s.P99) })
			lost := known(d.Drops, func(x report.Drops) string { return fmt.Sprint(x.Count) })
			g.rows = append(g.rows, []string{
				fmt.Sprint(s.ID), string(dir), known(d.OWD, average), p99, known(d.Jitter, average), lost,
				fmt.Sprint(d.Network.Duplicated), fmt.Sprint(d.Network.ReorderedPackets),
			})
		}
	}
	if len(g.rows) > 0 {
		p.grid("  ", &g)
	}
}
