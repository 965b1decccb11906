package campaign

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

// TestWantedOfOneDirection: a figure of a direction that is null is absent with the reason of the
// report, and not because no data passed; a subflow without the direction has none.
func TestWantedOfOneDirection(t *testing.T) {
	c := &report.Connection{
		A2B:      &report.ConnDir{Bytes: new(int64(9))},
		Subflows: []report.Subflow{{Path: "x", A2B: &report.SubDir{Bytes: new(int64(9))}}},
	}
	c.B2A = new(report.ConnDir)
	c.LeaveOut(report.B2A, "only a")
	for name, want := range map[string]string{"b2a.goodput_mbps.avg": "only a", "b2a.x.segments": "only a"} {
		w, err := ParseWanted(name)
		assert.NilError(t, err)
		got := w.In(c)
		assert.Check(t, len(got) == 1 && got[0].Why == want, "%s: %+v, want %q", name, got, want)
	}
	c.B2A = &report.ConnDir{Bytes: new(int64(5))} // of another subflow, which is not in the report
	w, err := ParseWanted("b2a.x.segments")
	got := w.In(c)
	assert.Check(t, err == nil && len(got) == 1 && got[0].Why != "", "a subflow without the direction: %+v, %v", got, err)
}
