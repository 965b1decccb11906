package campaign

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/catalogue"
)

// TestBetter: for a figure that only says how much there was, less is not better.
func TestBetter(t *testing.T) {
	for figure, want := range map[string]catalogue.Better{
		"b2a.streaming.stalls":                 catalogue.LowerIsBetter,
		"b2a.streaming.startup_ms":             catalogue.LowerIsBetter,
		"b2a.streaming.late_percent":           catalogue.LowerIsBetter,
		"b2a.streaming.chunks":                 catalogue.NeitherIsBetter,
		"b2a.streaming.played_ms":              catalogue.NeitherIsBetter,
		"b2a.streaming.messages.count":         catalogue.NeitherIsBetter,
		"b2a.streaming.messages.bytes.avg":     catalogue.NeitherIsBetter,
		"b2a.streaming.messages.late":          catalogue.LowerIsBetter,
		"b2a.scheduler_regret.worse_percent":   catalogue.LowerIsBetter,
		"b2a.scheduler_regret.lost_ms.avg":     catalogue.LowerIsBetter,
		"b2a.scheduler_regret.lost_ms.samples": catalogue.NeitherIsBetter,
		"b2a.scheduler_regret.chunks":          catalogue.NeitherIsBetter,
		"b2a.out_of_order.chunks":              catalogue.LowerIsBetter,
		"b2a.wifi.drops.count":                 catalogue.LowerIsBetter,
		"b2a.goodput_mbps.avg":                 catalogue.HigherIsBetter,
		"b2a.goodput_mbps.stddev":              catalogue.LowerIsBetter,
		"b2a.goodput_mbps.samples":             catalogue.NeitherIsBetter,
		"b2a.10.1.1.1-10.9.9.9.srtt_ms.max":    catalogue.LowerIsBetter,
		"b2a.out_of_order.extent_ms.p95":       catalogue.LowerIsBetter,
		"b2a.x.share_percent":                  catalogue.NeitherIsBetter,
	} {
		assert.Check(t, is.Equal(better(figure), want), "%s", figure)
	}
}
