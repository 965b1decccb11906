package engine_test

import (
	"bytes"
	"testing"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/export"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// TestLinesAreThoseOfTheReport: the list of connections is the same whether it is
// made of the whole report or of one that holds no more than lines need.
func TestLinesAreThoseOfTheReport(t *testing.T) {
	for _, name := range append([]string{"v1/j-plain-server/client.pcap.zst", "v1/j-strip-synack/client.pcap.zst", "v1/f-handover/client.pcap.zst", "v1/p-abort/server.pcap.zst"}, realCaptures...) {
		file := load(t, name, 4000).file
		list := func(detail report.Detail, omit metrics.Families) string {
			doc := analyzed(t, engine.Options{
				Paths: []string{"-"}, Stdin: bytes.NewReader(file), Connection: engine.AllConnections, Detail: detail, Omit: omit,
			})
			var text bytes.Buffer
			if err := export.Connections(&text, doc); err != nil {
				t.Fatal(err)
			}
			return text.String()
		}
		if got, want := list(report.Lines, metrics.AllFamilies), list(report.Full, 0); got != want {
			t.Errorf("%s:\n%s\nof the whole report:\n%s", name, got, want)
		}
	}
}
