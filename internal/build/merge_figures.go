package build

import (
	"sync"

	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// receiverFigures are the names of figures that only the capture at the receiver of the
// data shows.
var receiverFigures = sync.OnceValue(func() (names []string) {
	for _, m := range metrics.Table() {
		if m.Form != "" && m.AtReceiverOnly() {
			names = append(names, m.JSON)
		}
	}
	return names
})

// fromReceiver takes these figures, or the reasons why they are absent, from the
// receiver's capture.
func fromReceiver(out, there report.Figures, w *report.Reasons, why report.Reasons) {
	for _, name := range receiverFigures() {
		if field := out.Figure(name); field.IsValid() {
			field.Set(there.Figure(name))
			w.Follow(name, why)
		}
	}
}
