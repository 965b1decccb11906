package plaintext_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
)

// TestSummaryWithoutPlace: where the place of the capture is not known the summary says
// which figures of the data's directions that costs, and why; where it is known it does not.
func TestSummaryWithoutPlace(t *testing.T) {
	const reason = "the place is unknown; name it"
	for place, want := range map[report.Vantage]bool{report.VantageUnknown: true, "b": false} {
		carried := &report.ConnDir{Bytes: new(int64(5000)), Segments: 5}
		carried.Unavailable.Set("protocol_delay_ms", reason)
		doc := &report.Document{Schema: report.SchemaName, Connections: []report.Connection{{Vantage: place, A2B: &report.ConnDir{}, B2A: carried}}}
		got := strings.Contains(summary(t, doc, plaintext.Options{}), "no protocol delay, head-of-line blocking on b2a: "+reason)
		assert.Check(t, got == want, "place %s: the line is there: %v, want %v", place, got, want)
	}
}
