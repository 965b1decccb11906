package catalogue

import "testing"

// TestDependsOnTimes: a metric depends on times by its unit, or because its row says so.
func TestDependsOnTimes(t *testing.T) {
	for _, c := range []struct {
		m    Metric
		want bool
	}{
		{Metric{JSON: "srtt_ms", Unit: "ms"}, true},
		{Metric{JSON: "goodput_mbps", Unit: "Mbit/s"}, true},
		{Metric{JSON: "ack_rate", Unit: "packets/s"}, true},
		{Metric{JSON: "cwnd_estimate_bytes", Unit: "bytes", Timed: true}, true},
		{Metric{JSON: "bytes", Unit: "bytes"}, false},
		{Metric{JSON: "fins", Unit: "packets"}, false},
	} {
		if got := c.m.DependsOnTimes(); got != c.want {
			t.Errorf("%s in %s depends on times: %v, want %v", c.m.JSON, c.m.Unit, got, c.want)
		}
	}
}
