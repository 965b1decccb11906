package page_test

import (
	"strings"
	"testing"

	"mpanalyze/internal/report"
)

// TestKernelLines: what a record proves stands beside the packets' evidence, with file and line; a
// verdict without a cause has what is still possible. Texts of files are shown as texts.
func TestKernelLines(t *testing.T) {
	doc, store := session(t)
	list := *doc.Connections[1].Verdicts
	host, when, value, unit := report.SideB, 0.25, 1315.0, "count"
	list[0].Kernel = report.List[report.KernelLine]{{Host: host, File: "<b>tc.txt</b>", Line: 17, TS: &when, Field: "overlimits", Value: &value, Unit: &unit, Text: "a queue"}}
	list[0].Alternatives = report.List[report.Cause]{{Code: report.CauseReceiveBuffer, Host: &host}, {Code: report.CauseNetwork}}
	text := written(t, doc, store)
	holds(t, text,
		"kernel of b: a queue; overlimits 1\u202f315 <small>(&lt;b&gt;tc.txt&lt;/b&gt;, line 17, ", `<button type="button" data-t="0.25">0.250 s</button>`,
		"Still possible: receive buffer on b, network.",
	)
	if strings.Contains(render(t), "kernel of") {
		t.Error("a page without records has lines of a kernel")
	}
	onlyOurs(t, text)
}

// TestKernelInCharts: samples of a kernel are a line of the chart of the same quantity.
func TestKernelInCharts(t *testing.T) {
	doc, store := session(t)
	put(t, store, report.Cell{Connection: 1, Direction: report.A2B, Path: doc.Connections[1].Subflows[0].Path}, "kernel_srtt_ms", [2]float64{0.1, 21}, [2]float64{0.3, 23})
	text := written(t, doc, store)
	if n := strings.Count(text, `{"name":"kernel (ss) `); n != 2 {
		t.Errorf("%d layers of the kernel, want a line and its marks", n)
	}
}
