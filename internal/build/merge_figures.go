package build

import (
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// fromReceiver returns the names of the figures that come from the capture at the receiver of
// the data, by their rows. The other figures come from the capture at its sender, or from both.
// end is the host that the options choose.
func fromReceiver(end report.Host) (names []string) {
	for _, m := range metrics.Table() {
		if m.Form != "" && m.FromTwo(string(end)) == catalogue.AtReceiver {
			names = append(names, m.JSON)
		}
	}
	return names
}

// take takes these figures, or the reasons why they are absent, from the receiver's capture.
func (m *merger) take(out, there report.Figures, w *report.Reasons, why report.Reasons) {
	for _, name := range m.fromReceiver {
		if field := out.Figure(name); field.IsValid() {
			field.Set(there.Figure(name))
			w.Follow(name, why)
		}
	}
}
