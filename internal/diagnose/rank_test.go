package diagnose

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"

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

// TestLossCosts: a path that loses 3 % of its segments, and ten of them, has a verdict. Losses of 1 % of
// the segments of all paths are a warning. While recovery takes 40 % of the time, 1 % is enough where no path loses more.
func TestLossCosts(t *testing.T) {
	for _, c := range []struct {
		first, second, lost int64
		severity            report.Severity // empty for no verdict
		cost                float64
		recovery            float64 // percent of the time
	}{
		{2000, 1000, 30, report.Major, 1, 0},
		{2008, 1000, 30, report.Minor, 3000. / 3008, 0},
		{4000, 4000, 190, report.Major, 2.375, 100},
		{0, 1000, 29, "", 0, 39.9},
		{0, 1000, 29, report.Major, 2.9, 40},
		{0, 1000, 10, report.Major, 1, 40},
		{0, 2000, 19, "", 0, 40},
		{0, 300, 10, report.Major, 1000. / 300, 0},
		{0, 300, 9, "", 0, 100},
	} {
		s := lossySession(c.first, c.second, c.lost)
		s.Subflows[1].A2B.Bytes = new(c.second * 700)
		s.A2B = &report.ConnDir{TimeAccount: &report.TimeAccount{Recovery: report.StateTime{Percent: c.recovery}}}
		got := lossy(s, conn.A, nil)
		if c.severity == "" && len(got) == 0 {
			continue
		}
		if len(got) != 1 || got[0].Severity != c.severity || got[0].Cost == nil || *got[0].Cost != c.cost || *got[0].Subflow != 1 || *got[0].CostBytes != 700*c.lost {
			t.Errorf("%+v: verdicts %+v", c, got)
		}
	}
}

// TestLossHost: a host that dropped half of the lost segments itself is named. What it dropped before
// the capture point was not among the segments that were captured: 30 of 3000 + 30, + 15 or + 14.
func TestLossHost(t *testing.T) {
	for before, host := range map[int64]string{30: "a", 15: "a", 14: "-"} {
		s := lossySession(2000, 1000, 30)
		s.Subflows[1].A2B.Drops.BeforeCapture = &before
		v := lossy(s, conn.A, nil)[0]
		if got := names([]report.Cause{*v.Cause}); got != "unknown@"+host+" " || *v.Cost != 3000/float64(3000+before) || figure(&v, "before") != float64(before) {
			t.Errorf("%d before the capture: %s, cost %v", before, got, *v.Cost)
		}
		assert.Check(t, slices.ContainsFunc(v.Evidence, func(p report.Proof) bool {
			return p.What == "dropped before the capture point" && *p.Value == float64(before)
		}), "%+v", v.Evidence)
	}
}

// TestRanked: among verdicts of one severity, the one with the highest cost comes first. One with the time
// that its states took stands by that, whatever cost it has of its own. Verdicts without a cost come first
// among severe ones, and last among notes.
func TestRanked(t *testing.T) {
	var got []report.VerdictCode
	for _, v := range ranked([]report.Verdict{
		{Code: "i", Severity: report.Fine},
		{Code: "h", Severity: report.Minor},
		{Code: "f", Severity: report.Minor, Cost: new(37.4)},
		{Code: "g", Severity: report.Minor, Cost: new(90.0), TimePercent: new(2.2)},
		{Code: "e", Severity: report.Minor, Cost: new(2.4), TimePercent: new(70.0)},
		{Code: "d", Severity: report.Minor, Cost: new(99.0)},
		{Code: "c", Severity: report.Major, Cost: new(0.38)},
		{Code: "b", Severity: report.Major, Cost: new(84.0)},
		{Code: "a", Severity: report.Major},
		{Code: "0", Severity: report.Critical, Cost: new(1.0)},
	}) {
		got = append(got, v.Code)
	}
	want := []report.VerdictCode{"0", "a", "b", "c", "d", "e", "f", "g", "h", "i"}
	assert.Check(t, slices.Equal(got, want), "order %v, want %v", got, want)
}

// TestRankedBehindCause: delivery that waits for a path stands behind a verdict of the same severity,
// path and direction that says why it is slow, and else behind all that have a cost: waiting alone costs nothing.
func TestRankedBehindCause(t *testing.T) {
	waits := report.Verdict{Code: report.VerdictHoLBlocked, Severity: report.Minor, Subflow: new(1), Direction: direction(conn.A), Cost: new(50.0)}
	cause := report.Verdict{Code: report.VerdictHeavyLoss, Severity: report.Minor, Subflow: new(1), Direction: direction(conn.A), Cost: new(10.0)}
	other := report.Verdict{Code: report.VerdictStalled, Severity: report.Minor, Subflow: new(1), Direction: direction(conn.A), Cost: new(5.0)}
	for _, x := range []struct {
		name   string
		change func(v *report.Verdict)
		want   []report.VerdictCode
	}{
		{"the cause", func(*report.Verdict) {}, []report.VerdictCode{cause.Code, waits.Code, other.Code}},
		{"no direction", func(v *report.Verdict) { v.Direction = nil }, []report.VerdictCode{cause.Code, waits.Code, other.Code}},
		{"a warning", func(v *report.Verdict) { v.Severity = report.Major }, []report.VerdictCode{cause.Code, other.Code, waits.Code}},
		{"a lower severity", func(v *report.Verdict) { v.Severity = report.Fine }, []report.VerdictCode{other.Code, waits.Code, cause.Code}},
		{"another path", func(v *report.Verdict) { v.Subflow = new(0) }, []report.VerdictCode{cause.Code, other.Code, waits.Code}},
		{"no path", func(v *report.Verdict) { v.Subflow = nil }, []report.VerdictCode{cause.Code, other.Code, waits.Code}},
		{"the other direction", func(v *report.Verdict) { v.Direction = direction(conn.B) }, []report.VerdictCode{cause.Code, other.Code, waits.Code}},
		{"no cause", func(v *report.Verdict) { v.Code = report.VerdictBackup }, []report.VerdictCode{report.VerdictBackup, other.Code, waits.Code}},
	} {
		v := cause
		x.change(&v)
		var got []report.VerdictCode
		for _, v := range ranked([]report.Verdict{waits, other, v}) {
			got = append(got, v.Code)
		}
		assert.Check(t, slices.Equal(got, x.want), "%s: %v, want %v", x.name, got, x.want)
	}
}

// TestStatesOfVerdicts: of an account of 1000 ms, a subflow was 200 ms in recovery and 50 ms down,
// and the connection had no room for 300 ms: 20 % belong to its losses, 5 % to the path that died, 30 % to
// the window, and delivery that waits explains no state. An account from another place tells the states
// in part, so a verdict keeps the place that its cost gives it.
func TestStatesOfVerdicts(t *testing.T) {
	d := report.B2A
	for at, percent := range map[report.SeenAt][5]float64{
		report.SeenAtSender: {20, 5, 30, -1, -1}, report.SeenAtReceiver: {-1, -1, -1, -1, -1}, report.SeenBetween: {-1, -1, -1, -1, -1},
	} {
		whole := &report.TimeAccount{SeenAt: at, DurationMS: 1000, Rwnd: report.StateTime{MS: 300}}
		path := &report.TimeAccount{DurationMS: 500, Recovery: report.StateTime{MS: 200}, Down: report.StateTime{MS: 50}}
		j := judge{
			c: &report.Connection{B2A: &report.ConnDir{TimeAccount: whole}, Subflows: []report.Subflow{{B2A: &report.SubDir{TimeAccount: path}}}},
			out: []report.Verdict{
				{Code: report.VerdictHeavyLoss, Direction: &d, Subflow: new(0)},
				{Code: report.VerdictPathDied, Direction: &d, Subflow: new(0)},
				{Code: report.VerdictWindowClosed, Direction: &d},
				{Code: report.VerdictHoLBlocked, Direction: &d, Subflow: new(0)},
				{Code: report.VerdictWindowClosed},
			},
		}
		j.accounted()
		for i, want := range percent {
			got := -1.0
			if p := j.out[i].TimePercent; p != nil {
				got = *p
			}
			if got != want || (want >= 0) != (len(j.out[i].Evidence) == 1) {
				t.Errorf("%s: %s: %g %% and %v, want %g", at, j.out[i].Code, got, j.out[i].Evidence, want)
			}
		}
	}
}
