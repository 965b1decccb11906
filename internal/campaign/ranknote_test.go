package campaign

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
)

// TestRankAtReceiver: if the captures show too few retransmissions, a ranking with a limit on
// them says so.
func TestRankAtReceiver(t *testing.T) {
	run := func(vantage report.Vantage, both bool) Member {
		return Member{Run: &Run{Vantage: vantage, Both: both}}
	}
	for _, c := range []struct {
		m    Member
		d    report.Direction
		want bool
	}{
		{run(report.VantageA, false), report.B2A, true},
		{run(report.VantageA, false), report.A2B, false},
		{run(report.VantageB, false), report.A2B, true},
		{run(report.VantageB, false), report.B2A, false},
		{run(report.VantageA, true), report.B2A, false},
		{run(report.VantageMiddle, false), report.B2A, false},
	} {
		assert.Check(t, is.Equal(c.m.atReceiver(c.d), c.want), "at %s, both %v, %s", c.m.Run.Vantage, c.m.Both, c.d)
	}
	notes := rankNotes([]Ranked{{Scenario: "lia", AtReceiver: true}, {Scenario: "olia"}})
	assert.Check(t, slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, "retransmitted %: too low for lia: ") }), "notes %q", notes)
	if notes := rankNotes([]Ranked{{Scenario: "olia"}}); len(notes) != 0 {
		t.Errorf("notes %q", notes)
	}
}
