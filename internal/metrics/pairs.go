package metrics

import "mpanalyze/internal/report"

// pairUnit has the metrics that only the captures of both hosts show: package pair
// measures them.
var pairUnit = &unit{open: func(*Dir) meter { return &pairMeter{} }}

type pairMeter struct{ nop }

func (*pairMeter) reportSubflow(v *view, _ *report.SubDir) {
	v.SetAll(TwoCaptures, "owd_ms", "ack_owd_ms", "ipdv_ms", "jitter_ms", "network")
}

func (*pairMeter) reportConnection(v *view, _ *report.ConnDir) {
	v.Set("end_to_end_delay_ms", TwoCaptures)
}
