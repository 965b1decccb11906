package build

import (
	"reflect"
	"sync"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// degreeMetrics are metrics of a connection's direction that both captures show, each in a
// form of its own. Without a choice of the end they come from the receiver's capture, because
// the sender's shows them too low.
var degreeMetrics = []string{"hol_degree_ms", "hol_degree_all_paths_ms", "hol_queue_bytes", "hol_queue_segments"}

// notAtReceiver holds the metrics that do not come from the receiver's capture although the
// options choose that end.
var notAtReceiver = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, m := range metrics.Table() {
		if m.FromTwo(catalogue.AtReceiver) != catalogue.AtReceiver {
			names[m.JSON] = true
		}
	}
	return names
})

// toReceiver replaces what the sender's capture shows of a direction by what the receiver's
// shows, if the options choose that end. Metrics that the receiver's capture does not show
// stay as they were merged.
func (m *merger) toReceiver(out, there any) {
	if m.s.End != report.ReceiverHost {
		return
	}
	to, from := reflect.ValueOf(out).Elem(), reflect.ValueOf(there).Elem()
	why := from.FieldByName("Unavailable").Interface().(report.Reasons)
	w := to.FieldByName("Unavailable").Addr().Interface().(*report.Reasons)
	takeFields(to, from, w, why)
}

func takeFields(to, from reflect.Value, w *report.Reasons, why report.Reasons) {
	for i := range to.NumField() {
		f := to.Type().Field(i)
		name := report.JSONName(f)
		switch {
		case f.Anonymous:
			takeFields(to.Field(i), from.Field(i), w, why)
		case name != "unavailable" && !notAtReceiver()[name]:
			to.Field(i).Set(from.Field(i))
			w.Follow(name, why)
		}
	}
}
