package diagnose

import (
	"mpanalyze/internal/remedy"
	"mpanalyze/internal/report"
)

// The warnings of captures that hold packets twice, with the severity of the verdict that follows:
// copies that are counted once change no figure.
var twiceWarnings = map[string]report.Severity{
	"copies_on_one_interface": report.Minor, "packets_repeated": report.Major, "captured_at_two_places": report.Major,
}

// twice returns the verdicts on packets that the captures of a report hold twice: one for each
// warning that says so.
func twice(warnings []report.Warning) (out copies) {
	for i := range warnings {
		w := &warnings[i]
		severity, ok := twiceWarnings[w.Code]
		if !ok {
			continue
		}
		v := report.Verdict{
			Code: report.VerdictTwice, Severity: severity, Certainty: report.Certain, Text: w.Message, Remedy: remedy.Of(report.VerdictTwice, nil),
			Evidence: report.List[report.Proof]{number("such packets in the capture", float64(w.Count), "count")},
		}
		switch w.Code {
		case "packets_repeated":
			v.Certainty = report.Likely
		case "copies_on_one_interface":
			v.Text += "; no figure is absent because of that"
		}
		if w.File != nil {
			v.Text = *w.File + ": " + v.Text
		}
		if w.Packet != nil {
			v.Evidence = append(v.Evidence, report.Proof{What: "first of them", Packet: new(*w.Packet)})
		}
		out = append(out, v)
	}
	return out
}

// copies holds the verdicts on packets that the captures hold twice.
type copies []report.Verdict

// connection adds the verdicts to those on a connection.
func (x copies) connection(c *report.Connection) {
	if c.Verdicts != nil {
		*c.Verdicts = x.with(*c.Verdicts)
	}
}

// tcp does the same for plain TCP that asked for Multipath TCP.
func (x copies) tcp(t *report.TCP) {
	if t.MPTCP != nil {
		t.Verdicts = x.with(t.Verdicts)
	}
}

func (x copies) with(all report.List[report.Verdict]) report.List[report.Verdict] {
	for i := range x {
		all = append(all, ownCopy(&x[i]))
	}
	return ranked(all)
}
