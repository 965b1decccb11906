package page_test

import (
	"bytes"
	"strings"
	"testing"

	"mpanalyze/internal/page"
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
	var b bytes.Buffer
	if err := page.Write(&b, doc, store); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"kernel of b: a queue; overlimits 1\u202f315 <small>(&lt;b&gt;tc.txt&lt;/b&gt;, line 17, ", `<button type="button" data-t="0.25">0.250 s</button>`,
		"Still possible: receive buffer on b, network.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(string(render(t)), "kernel of") {
		t.Error("a page without records has lines of a kernel")
	}
	onlyOurs(t, b.Bytes())
}

// TestKernelInCharts: samples of a kernel are a line of the chart of the same quantity.
func TestKernelInCharts(t *testing.T) {
	doc, store := session(t)
	line := report.SeriesLine{Cell: &report.Cell{Connection: 1, Direction: report.A2B, Subflow: 0, Path: doc.Connections[1].Subflows[0].Path}, Metric: "kernel_srtt_ms"}
	if err := store.Series([]report.SeriesRow{{SeriesLine: &line, T: 100e6, Value: 21}, {SeriesLine: &line, T: 300e6, Value: 23}}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := page.Write(&b, doc, store); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), `{"name":"kernel (ss) `); n != 2 {
		t.Errorf("%d layers of the kernel, want a line and its marks", n)
	}
}
