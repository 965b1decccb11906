package diagnose

import (
	"slices"
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// lossySession returns a connection of two subflows that sent first and second segments. The
// second subflow lost some of its segments.
func lossySession(first, second, lost int64) *report.Connection {
	part := 100 * float64(lost) / float64(second)
	return &report.Connection{Subflows: report.List[report.Subflow]{
		{ID: 0, A2B: &report.SubDir{Segments: first}, B2A: &report.SubDir{}},
		{ID: 1, A2B: &report.SubDir{Segments: second, Drops: &report.Drops{Count: lost, Percent: &part}}, B2A: &report.SubDir{}},
	}}
}

// TestLossCosts: 4.75 % of a path that carries 8 % of the segments are 0.38 % of all,
// which is worth a note; 4.75 % of one that carries half are 2.375 %, which is a warning.
func TestLossCosts(t *testing.T) {
	for _, c := range []struct {
		first, second, lost int64
		severity            report.Severity
		cost                float64
	}{
		{9200, 800, 38, report.Minor, 0.38},
		{4000, 4000, 190, report.Major, 2.375},
	} {
		got := lossy(lossySession(c.first, c.second, c.lost), conn.A, nil)
		if len(got) != 1 || got[0].Severity != c.severity || got[0].Cost == nil || *got[0].Cost != c.cost || *got[0].Subflow != 1 {
			t.Errorf("%+v: verdicts %+v", c, got)
		}
	}
}

// TestRanked: among verdicts of one severity, the one with the highest cost comes first. Verdicts
// without a cost come first among severe ones, and last among notes.
func TestRanked(t *testing.T) {
	v := func(s report.Severity, code report.VerdictCode, cost ...float64) report.Verdict {
		v := report.Verdict{Severity: s, Code: code}
		if len(cost) > 0 {
			v.Cost = &cost[0]
		}
		return v
	}
	var got []report.VerdictCode
	for _, v := range ranked([]report.Verdict{
		v(report.Fine, "e"), v(report.Minor, "d2"), v(report.Minor, "d", 99), v(report.Major, "c", 0.38), v(report.Major, "b", 84), v(report.Major, "a"), v(report.Critical, "0", 1),
	}) {
		got = append(got, v.Code)
	}
	if want := []report.VerdictCode{"0", "a", "b", "c", "d", "d2", "e"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

// TestRankedByAccount: a verdict with the time that its states took stands by that, whatever
// cost it has of its own; one without stands by its cost.
func TestRankedByAccount(t *testing.T) {
	var got []report.VerdictCode
	for _, v := range ranked([]report.Verdict{
		{Code: "waits", Severity: report.Minor, Cost: new(37.4)},
		{Code: "window", Severity: report.Minor, Cost: new(90.0), TimePercent: new(2.2)},
		{Code: "loss", Severity: report.Minor, Cost: new(2.4), TimePercent: new(70.0)},
	}) {
		got = append(got, v.Code)
	}
	if want := []report.VerdictCode{"loss", "waits", "window"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

// TestStatesOfVerdicts: of an account of 1000 ms, a subflow was 200 ms in recovery and 50 ms down,
// and the connection had no room for 300 ms: 25 % belong to its losses, 30 % to the window, and
// delivery that waits explains no state.
func TestStatesOfVerdicts(t *testing.T) {
	d := report.B2A
	whole := &report.TimeAccount{SeenAt: report.SeenAtSender, DurationMS: 1000, Rwnd: report.StateTime{MS: 300}}
	path := &report.TimeAccount{DurationMS: 500, Recovery: report.StateTime{MS: 200}, Down: report.StateTime{MS: 50}}
	j := judge{
		c: &report.Connection{B2A: &report.ConnDir{TimeAccount: whole}, Subflows: []report.Subflow{{B2A: &report.SubDir{TimeAccount: path}}}},
		out: []report.Verdict{
			{Code: report.VerdictHeavyLoss, Direction: &d, Subflow: new(0)},
			{Code: report.VerdictWindowClosed, Direction: &d},
			{Code: report.VerdictHoLBlocked, Direction: &d, Subflow: new(0)},
			{Code: report.VerdictWindowClosed},
		},
	}
	j.accounted()
	for i, want := range []float64{25, 30, -1, -1} {
		got := -1.0
		if p := j.out[i].TimePercent; p != nil {
			got = *p
		}
		if got != want || (want >= 0) != (len(j.out[i].Evidence) == 1) {
			t.Errorf("%s: %g %% and %v, want %g", j.out[i].Code, got, j.out[i].Evidence, want)
		}
	}
}

// TestStatesElsewhere: an account from another place tells the states in part, so a verdict keeps the
// place that its cost gives it.
func TestStatesElsewhere(t *testing.T) {
	d := report.B2A
	for _, at := range []report.SeenAt{report.SeenAtReceiver, report.SeenBetween} {
		j := judge{
			c:   &report.Connection{B2A: &report.ConnDir{TimeAccount: &report.TimeAccount{SeenAt: at, DurationMS: 1000}}},
			out: []report.Verdict{{Code: report.VerdictWindowClosed, Direction: &d, Cost: new(40.0)}},
		}
		j.accounted()
		if v := &j.out[0]; v.TimePercent != nil || len(v.Evidence) != 0 {
			t.Errorf("%s: %+v", at, v)
		}
	}
}
