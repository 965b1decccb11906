package overview

import (
	"testing"

	"mpanalyze/internal/report"
)

// TestCauses: of seven verdicts three name a queue, two a link at b that was down, one a link somewhere, one nothing.
func TestCauses(t *testing.T) {
	b, otherB := report.SideB, report.SideB
	queue := &report.Cause{Code: report.CauseQueue}
	var g Group
	for _, x := range []*report.Cause{queue, {Code: report.CauseLinkDown, Host: &b}, nil, {Code: report.CauseLinkDown, Host: &otherB}, {Code: report.CauseLinkDown}, {Code: report.CauseQueue}, queue} {
		g.countCause(x, 1)
	}
	g.sortCauses()
	if len(g.Causes) != 3 || g.Causes[0].Cause != *queue || g.Causes[0].Verdicts != 3 || g.Causes[1].Code != report.CauseLinkDown || *g.Causes[1].Host != b || g.Causes[1].Verdicts != 2 || g.Causes[2].Host != nil || g.Causes[2].Verdicts != 1 {
		t.Error(g.Causes)
	}
}
