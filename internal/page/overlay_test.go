package page_test

import (
	"strings"
	"testing"

	"mpanalyze/internal/overlay"
)

// TestOverlay: a series of a file is a chart of each connection in whose time it has values; the
// others say why they have none. Connection 0 lasts 2 s, connection 1 lasts 1 s.
func TestOverlay(t *testing.T) {
	doc, store := session(t)
	set, err := overlay.Parse(strings.NewReader("time,value,name,unit\n0,-70,<b>signal</b>,dBm\n0.5,-71,<b>signal</b>,dBm\n1.5,3,cell,\n"))
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, doc, store, set.Series...)
	for want, n := range map[string]int{
		"<figcaption>Beside the capture: &lt;b&gt;signal&lt;/b&gt; (dBm)</figcaption>":                   2,
		"<figcaption>Beside the capture: cell</figcaption>":                                              1,
		"Not drawn: no cell in the time shown, 0.000 to 1.000 s: the file has it from 1.500 to 1.500 s.": 1,
		`"x":[0,500000],"lo":[-70,-71]`:                                                                  4, // line and marks of each connection
	} {
		if got := strings.Count(text, want); got != n {
			t.Errorf("%d of %q, want %d", got, want, n)
		}
	}
	onlyOurs(t, text)
}
