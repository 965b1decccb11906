package build

import (
	"sync"

	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// receiverFigures are the names of figures with such a field that only the capture at
// the receiver of the data shows.
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
		taken := take(out.StatField, there.StatField, name) || take(out.NumberField, there.NumberField, name) || take(out.CountField, there.CountField, name)
		if taken {
			w.Follow(name, why)
		}
	}
}

// take copies a field; it reports false if there is no field of that name.
func take[T any](out, there func(string) **T, name string) bool {
	field := out(name)
	if field == nil {
		return false
	}
	*field = *there(name)
	return true
}
