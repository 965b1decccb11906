package export

import (
	"testing"

	"mpanalyze/internal/report"
)

// TestReasonsAreOneField: what is absent and why is one field, quoted as a whole
// where any part of it asks for that (RFC 4180, Section 2).
func TestReasonsAreOneField(t *testing.T) {
	for _, c := range []struct {
		reasons report.Reasons
		want    string
	}{
		{nil, ``},
		{report.Reasons{{Metric: "drops", Why: "no SACK"}}, `drops: no SACK`},
		{report.Reasons{{Metric: "a", Why: "b"}, {Metric: "c", Why: "d"}}, `a: b; c: d`},
		{report.Reasons{{Metric: "a", Why: "b"}, {Metric: "c", Why: "d, e"}}, `"a: b; c: d, e"`},
		{report.Reasons{{Metric: `"a"`, Why: "b"}, {Metric: "c", Why: "\n\""}}, "\"\"\"a\"\": b; c: \n\"\"\""},
	} {
		if got := string(appendReasons([]byte("x,"), c.reasons)); got != "x,"+c.want {
			t.Errorf("%v: %s, want %s", c.reasons, got[2:], c.want)
		}
	}
}

// TestReasonsDoNotAllocate: a capture of a server has thousands of them.
func TestReasonsDoNotAllocate(t *testing.T) {
	room := make([]byte, 0, 256)
	r := report.Reasons{{Metric: "drops", Why: `no "SACK", none`}, {Metric: "rtt", Why: "no timestamps"}}
	if n := testing.AllocsPerRun(100, func() { appendReasons(room, r) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
