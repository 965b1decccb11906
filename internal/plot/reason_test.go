package plot_test

import (
	"strings"
	"testing"

	"mpanalyze/internal/plot"
)

// TestReasonOfDirection: a figure without data gives the reason of subflows that carried data in
// its direction, not that of an idle subflow or of the other direction.
func TestReasonOfDirection(t *testing.T) {
	kind, err := plot.KindNamed("cdf")
	if err != nil {
		t.Fatal(err)
	}
	r := session(t, &kind, []string{"in_order_wait"})
	idle, busy := &r.Document.Connections[0].Subflows[0], &r.Document.Connections[0].Subflows[1]
	const none, there = "no data passed in this direction", "only a capture at the receiver shows it"
	idle.A2B.Unavailable.Set("in_order_wait_ms", none)
	busy.B2A.Unavailable.Set("in_order_wait_ms", none)
	busy.A2B.Segments = 5
	busy.A2B.Unavailable.Set("in_order_wait_ms", there)
	if _, err := kind.Make([]*plot.Run{r}, []string{"in_order_wait"}); err == nil || !strings.Contains(err.Error(), there) {
		t.Errorf("%v, want %s", err, there)
	}
}
