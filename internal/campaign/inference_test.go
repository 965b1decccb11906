package campaign

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

const delayFigure = "b2a.protocol_delay_ms.avg"

// TestOneRule: n runs of 10.. ms and n runs of 50.. ms do not overlap, and get the same verdict
// in every comparison. With 3 runs p is 2/C(6,3) = 0.1 however large the difference is, so the
// verdict is "cannot tell". With 4 runs p is 2/C(8,4) = 0.029.
func TestOneRule(t *testing.T) {
	for _, c := range []struct {
		runs    int
		pair    string
		change  string
		limit   Judgement
		above   string
		gain    string
		winner  bool
		mark    string
		interv  bool
		warning string
	}{
		{
			3, CannotTell, CannotTell,
			Judgement{CannotTell: true},
			CannotTell, "51 (-363.6% ?)", false, "?: cannot tell", false,
			"3 runs in fast: with 1 comparison the smallest corrected p of a pair is 0.1; at least 4 runs",
		},
		{4, "fast", "worse", Judgement{Exceeded: true}, differs, "51.50 (-347.8%)", true, "", true, ""},
	} {
		s := campaignOf(t, []string{"fast", "slow"}, map[string][]session{"fast": spread(c.runs, 10), "slow": spread(c.runs, 50)})
		all := s.Compare([]string{delayFigure})
		p := all[0].Pairs[0]
		assert.Check(t, p.Verdict == c.pair && all[0].winsClearly() == c.winner && all[0].RunsNeeded == 4, "%d runs: pair %+v of %+v", c.runs, p, all[0])
		ranked, err := s.Rank(Ranking{By: "protocol_delay_ms.avg", Direction: report.B2A, MaxRetransmission: -1})
		assert.Check(t, err == nil && ranked[0].Above == "" && ranked[1].Above == c.above, "%d runs: ranks %+v, %v", c.runs, ranked, err)
		l := s.Rows([]string{delayFigure})
		gains := GainTable(result(s, l.Figures), l, "fast")
		assert.Check(t, gains.Rows[0].Cells[1].Text == c.gain, "%d runs: gain %q, want %q", c.runs, gains.Rows[0].Cells[1].Text, c.gain)
		notes := strings.Join(gains.Notes, "\n")
		assert.Check(t, c.mark == "" || strings.Contains(notes, c.mark), "%d runs: notes %q", c.runs, notes)
		got := strings.Join(s.tooFew(), "\n")
		assert.Check(t, strings.Contains(got, c.warning) && (got == "") == (c.warning == ""), "%d runs: warnings %q", c.runs, got)
		s.Baseline, s.Scenarios = s.Scenarios[:1], s.Scenarios[1:]
		changes := s.Changes([]string{delayFigure})
		x := changes[0]
		assert.Check(t, x.Verdict == c.change && (x.DifferenceCI != nil) == c.interv && x.Difference == 40, "%d runs: %+v", c.runs, x)
		limit, err := ParseLimit("protocol_delay>5%")
		assert.NilError(t, err)
		c.limit.Change = &changes[0]
		judged := limit.Judge(changes, Confidence)
		assert.Check(t, len(judged) == 1 && judged[0] == c.limit, "%d runs: %+v", c.runs, judged)
	}
}

// TestFewRunsBesideMany: Holm's method multiplies the largest p by the smallest factor. a and b
// have 8 runs each (2/C(16,8) = 0.00016), c has 3: against a and b its p is 2/C(11,3) = 0.012,
// corrected 0.024, which is significant. With 2 runs it is 2/C(10,2) = 0.044, corrected 0.089,
// which is not.
func TestFewRunsBesideMany(t *testing.T) {
	for runs, want := range map[int]string{3: "b", 2: CannotTell} {
		s := campaignOf(t, []string{"a", "b", "c"}, map[string][]session{"a": spread(8, 10), "b": spread(8, 30), "c": spread(runs, 50)})
		got := s.Compare([]string{delayFigure})[0]
		p := got.pairOf("b", "c")
		assert.Check(t, p.Verdict == want, "%d runs: %+v", runs, p)
		p = got.pairOf("a", "b")
		assert.Check(t, p.Verdict == "a", "a and b: %+v", p)
	}
}

// TestConfidenceIsThatOfEveryVerdict: 3 against 3 runs have p 0.1, which is below 0.2.
func TestConfidenceIsThatOfEveryVerdict(t *testing.T) {
	s := campaignOf(t, []string{"a", "b"}, map[string][]session{"a": spread(3, 10), "b": spread(3, 50)})
	s.Confidence = 0.8
	got := s.Compare([]string{delayFigure})[0]
	assert.Check(t, got.Pairs[0].Verdict == "a" && got.Level == 0.2 && got.RunsNeeded == 3, "%+v", got)
}
