package campaign

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
)

// TestSendOrderEverywhere: a figure that all scenarios have in the order of sending is compared and has effects. Where others have the
// order of arrival, the order of sending is left out.
func TestSendOrderEverywhere(t *testing.T) {
	const figure = "b2a.out_of_order.ratio"
	for _, c := range []struct {
		at       []report.Vantage // of two schedulers; the sender is b
		over     []string
		evidence string
		compared int
	}{
		{[]report.Vantage{report.VantageB, report.VantageB}, []string{"lia"}, "send_order", 1},
		{[]report.Vantage{report.VantageA, report.VantageA}, []string{"lia"}, "", 1},
		{[]report.Vantage{report.VantageA, report.VantageB}, []string{}, "", 0},
	} {
		var inputs []Input
		var outcomes []Outcome
		for i, at := range c.at {
			run, err := Extract(session{delay: 10, bytes: 1, at: at}.document(), AnyConnection)
			name := fmt.Sprint("s", i)
			inputs = append(inputs, Input{Scenario: name + "/lia", Name: "1", Factors: []Factor{{"scheduler", name}, {"cc", "lia"}}})
			outcomes = append(outcomes, Outcome{run, err})
		}
		s := Group(inputs, outcomes, false)
		e := s.effect("scheduler", figure)
		assert.Check(t, slices.Equal(e.Over, c.over), "%v: effects over %q, want %q", c.at, e.Over, c.over)
		got := s.Compare([]string{figure})
		assert.Check(t, len(got) == c.compared && (c.compared <= 0 || got[0].Evidence == c.evidence), "%v: %+v", c.at, got)
	}
}

// TestPercentages: from 0 to 100, with or without the sign; a path is all before the last "=".
func TestPercentages(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "100%": 100, " 12.5 %": 12.5, "100.1": -1, "-0.1": -1, "NaN": -1, "x": -1} {
		got, err := ParsePercent(strings.ReplaceAll(text, " %", "%"))
		assert.Check(t, (err == nil) == (want >= 0) && (err != nil || got == want), "%q: %v, %v", text, got, err)
	}
	l, err := ParsePathLimit("a=b=10%")
	assert.Check(t, err == nil && l == (PathLimit{"a=b", 10}), "%+v, %v", l, err)
	for _, bad := range []string{"=10", "LTE", "LTE=x"} {
		assert.Check(t, errorOf(ParsePathLimit(bad)) != nil, "%q is taken", bad)
	}
}

// TestRankLimits: a limit holds up to its value. 2 of 100 segments are sent again; LTE carries 20 % in hour 0 and 30 % in hour 1.
func TestRankLimits(t *testing.T) {
	runs := spread(2, 20)
	runs[1].paths[1].share = 30
	s := campaignOf(t, []string{"x"}, map[string][]session{"x": runs})
	for name, c := range map[string]struct {
		change func(r *Ranking)
		want   []string
	}{
		"at every limit":   {func(*Ranking) {}, []string{}},
		"retransmission":   {func(r *Ranking) { r.MaxRetransmission = 1.99 }, []string{"2.00% retransmitted, more than 1.99%", "2.00% retransmitted in hour 0, more than 1.99%", "2.00% retransmitted in hour 1, more than 1.99%"}},
		"no limit of it":   {func(r *Ranking) { r.MaxRetransmission = -1 }, []string{}},
		"none at all":      {func(r *Ranking) { r.MaxRetransmission, r.Steady = 0, "" }, []string{"2.00% retransmitted, more than 0%"}},
		"share":            {func(r *Ranking) { r.Steady, r.MaxShare[0].Percent = "", 24.9 }, []string{"LTE carries 25.0%, more than 24.9%"}},
		"share of an hour": {func(r *Ranking) { r.MaxShare[0].Percent = 29.9 }, []string{"LTE carries 30.0% in hour 1, more than 29.9%"}},
		"tolerance":        {func(r *Ranking) { r.Tolerance = 9.9 }, []string{"LTE carries 20.0% to 30.0% by hour: not steady"}},
		"no such label":    {func(r *Ranking) { r.Steady = "day" }, []string{"1 has no label day"}},
	} {
		r := Ranking{By: "bytes", Direction: report.B2A, MaxRetransmission: 2, MaxShare: []PathLimit{{"LTE", 30}}, Steady: "hour", Tolerance: 10}
		c.change(&r)
		got, err := s.Rank(r)
		assert.Check(t, err == nil && slices.Equal(got[0].Excluded, c.want) && (got[0].Rank == 1) == (len(c.want) == 0),
			"%s: %q, rank %d, %v; want %q", name, got[0].Excluded, got[0].Rank, err, c.want)
	}
}

// TestRankOrder: the best mean is first, whichever way is better; each rank has the effect against the one above it, negative where its
// values are smaller. 8 against 8 runs that do not overlap have p = 2/C(16,8) = 2/12870, which the table shows as less than 0.001.
func TestRankOrder(t *testing.T) {
	assert.Check(t, errorOf(campaignOf(t, []string{"x"}, map[string][]session{"x": spread(1, 20)}).Rank(Ranking{By: "nothing", Direction: report.B2A})) != nil, "ranks by nothing")
	sets := map[string]*Set{} // by the order of the scenarios, which is that of the pairs
	for _, order := range [][]string{{"b", "a"}, {"a", "b"}} {
		sets[order[0]] = campaignOf(t, order, map[string][]session{"a": spread(8, 10), "b": spread(8, 30)})
	}
	for _, c := range []struct {
		first  string // of the scenarios
		by     string
		want   []string
		effect float64
		value  float64 // of the first
	}{
		{"b", "protocol_delay_ms.avg", []string{"a", "b"}, 1, 13.5},
		{"a", "protocol_delay_ms.avg", []string{"a", "b"}, 1, 13.5},
		{"a", "bytes", []string{"a", "b"}, -1, 86_500},
		{"b", "throughput_mbps.variance", []string{"a", "b"}, 1, 1.35},
	} {
		by := Ranking{By: c.by, Direction: report.B2A, MaxRetransmission: -1}
		got, err := sets[c.first].Rank(by)
		assert.NilError(t, err)
		if names := []string{got[0].Scenario, got[1].Scenario}; !slices.Equal(names, c.want) || math.Abs(got[0].Value-c.value) > 1e-9 || got[0].Runs != 8 {
			t.Errorf("%s: %q, mean %v of %d runs", c.by, names, got[0].Value, got[0].Runs)
		}
		assert.Check(t, got[0].EffectAbove == nil && *got[1].EffectAbove == c.effect && got[1].Above == differs && math.Abs(*got[1].PAbove-2.0/12870) <= 1e-12,
			"%s: %+v", c.by, got[1])
		cells := RankTable(got, by).Rows[1].Cells
		assert.Check(t, cells[len(cells)-2].Text == "< 0.001" && cells[len(cells)-1].Text == fixed(c.effect, 2), "%s: cells %+v", c.by, cells)
	}
}

// TestChange: the figures of a change by their definitions; 0 in a run of the baseline has no part.
func TestChange(t *testing.T) {
	before, after := []float64{10, 20, 30, 40}, []float64{60, 70}
	c := change("b2a.dsn_offset_bytes.avg", before, after, Confidence)
	assert.Check(t, c.Before == 25 && c.After == 65 && c.Difference == 40 && *c.Percent == 160 && c.RunsBefore == 4 && c.RunsAfter == 2 && c.Better == catalogue.LowerIsBetter,
		"%+v", c)
	if c := change("x", []float64{-10, -30}, []float64{-30}, Confidence); *c.Percent != -50 { // of the size of the mean
		t.Errorf("from -20 to -30: %v %%", *c.Percent)
	}
	for _, zero := range [][]float64{{0, 10}, {-10, 10}, {0, 0}} {
		c := change("x", zero, after, Confidence)
		assert.Check(t, c.Percent == nil && c.PercentCI == nil, "%v: %+v", zero, c)
	}
	for _, v := range []struct {
		better        catalogue.Better
		before, after []float64
		want          string
	}{
		{catalogue.LowerIsBetter, []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, "worse"},
		{catalogue.LowerIsBetter, []float64{5, 6, 7, 8}, []float64{1, 2, 3, 4}, "better"},
		{catalogue.HigherIsBetter, []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, "better"},
		{catalogue.HigherIsBetter, []float64{5, 6, 7, 8}, []float64{1, 2, 3, 4}, "worse"},
		{catalogue.NeitherIsBetter, []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, "changed"},
		{catalogue.LowerIsBetter, []float64{1, 2, 3, 4}, []float64{1, 2, 3, 4}, noise},
		{catalogue.LowerIsBetter, []float64{1, 2, 3}, []float64{5, 6, 7, 8}, CannotTell}, // 2/C(7,3) = 0.057
	} {
		of := []Change{{Metric: "other"}, {Metric: "x", Better: v.better, before: v.before, after: v.after}}
		if judgeChanges(of, "x", 0.05); of[1].Verdict != v.want || of[0].Verdict != "" {
			t.Errorf("%+v: %q", v, of[1].Verdict)
		}
	}
}

// TestAllowed: each run of the baseline, made worse by a limit in percent of its size or in the unit.
func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		l      Limit
		better catalogue.Better
		want   []float64
	}{
		{Limit{worse: 10, percent: true}, catalogue.LowerIsBetter, []float64{110, -180}},
		{Limit{worse: 10, percent: true}, catalogue.HigherIsBetter, []float64{90, -220}},
		{Limit{worse: 3}, catalogue.LowerIsBetter, []float64{103, -197}},
		{Limit{worse: 3}, catalogue.HigherIsBetter, []float64{97, -203}},
	} {
		assert.Check(t, is.DeepEqual(c.l.allowed(&Change{Better: c.better, before: []float64{100, -200}}), c.want), "%+v, %s is better", c.l, c.better)
	}
}

// TestImpossible: the largest value of each kind, and what is beyond it. Ratios and measures of spread are never negative.
func TestImpossible(t *testing.T) {
	const days = float64(math.MaxInt64)
	for _, c := range []struct {
		figure string
		v      float64
		ok     bool
	}{
		{"b2a.throughput_mbps.avg", 1e19, true},
		{"b2a.throughput_mbps.avg", 1.1e19, false},
		{"b2a.throughput_mbps.avg", -1e-9, false},
		{"b2a.throughput_mbps.avg", math.NaN(), false},
		{"b2a.throughput_mbps.variance", 1e38, true},
		{"b2a.throughput_mbps.variance", 1.1e38, false},
		{"b2a.protocol_delay_ms.avg", days / 1e6, true},
		{"b2a.protocol_delay_ms.avg", days / 0.9e6, false},
		{"b2a.duration_s", days / 1e9, true},
		{"b2a.duration_s", days / 0.9e9, false},
		{"b2a.hol_degree_ms.avg", -5, true},
		{"b2a.hol_degree_ms.stddev", -5, false},
		{"b2a.hol_degree_ms.avg", -days / 0.9e6, false},
		{"b2a.LTE.owd_ms.min", -5, true},
		{"b2a.LTE.ack_owd_ms.min", -5, true},
		{"b2a.LTE.rtt_ms.min", -5, false},
		{"b2a.dsn_offset_bytes.min", -5, true},
		{"b2a.LTE.share_percent", -1, false},
		{"b2a.out_of_order.ratio", -1, false},
		{"b2a.LTE.bytes", 1 << 53, true},
		{"b2a.LTE.bytes", 1<<53 + 2, false},
		{"b2a.segments", -1, false},
	} {
		at := BoundsOf([]string{"b2a.bytes", c.figure}).Impossible([]float64{0, c.v})
		assert.Check(t, at == map[bool]int{true: -1, false: 1}[c.ok], "%s of %v: value %d is impossible", c.figure, c.v, at)
	}
}

// TestGroups: where a run was captured, the bulk of the data and the number of runs decide by most, and among equally many by the first.
// A run of two captures has other figures than one of the sender's capture alone, although both count as captured at host b.
func TestGroups(t *testing.T) {
	const a, b = report.VantageA, report.VantageB
	for _, c := range []struct {
		at      []report.Vantage
		pairs   int // so many of the last runs are pairs of captures
		kept    int
		skipped string
		why     string
	}{
		{[]report.Vantage{b, a, b, a}, 0, 2, "2", "captured at a, most runs of x at b"},
		{[]report.Vantage{b, a, a}, 0, 2, "1", "captured at b, most runs of x at a"},
		{[]report.Vantage{b, b, b}, 2, 2, "1", "captured at b, most runs of x at both hosts"},
	} {
		runs := spread(len(c.at), 20)
		for i, at := range c.at {
			runs[i].at, runs[i].pair = at, i >= len(c.at)-c.pairs
		}
		s := campaignOf(t, []string{"x"}, map[string][]session{"x": runs})
		assert.Check(t, len(s.Scenarios[0].Runs) == c.kept && s.Skipped[0].Run == c.skipped && strings.Contains(s.Skipped[0].Reason, c.why),
			"%v: %d runs, skipped %+v", c.at, len(s.Scenarios[0].Runs), s.Skipped)
	}
	bulk := func(down, up int) *Set {
		sc := &Scenario{}
		for i := range down + up {
			sc.Runs = append(sc.Runs, Member{Run: &Run{Bulk: map[bool]report.Direction{true: report.B2A, false: report.A2B}[i < down]}})
		}
		return &Set{Baseline: []*Scenario{sc}}
	}
	for _, c := range []struct {
		down, up int
		want     report.Direction
	}{{2, 1, report.B2A}, {1, 1, report.A2B}, {1, 2, report.A2B}} {
		s := bulk(c.down, c.up)
		assert.Check(t, s.Bulk() == c.want && s.Runs() == c.down+c.up, "%+v: %s of %d runs", c, s.Bulk(), s.Runs())
	}
}

// TestFirstOf: a warning names three runs, and counts the others.
func TestFirstOf(t *testing.T) {
	for n, want := range map[int]string{1: "a", 3: "a, b, c", 4: "a, b, c and 1 more"} {
		assert.Check(t, is.Equal(firstOf([]string{"a", "b", "c", "d"}[:n]), want), "of %d", n)
	}
}

// TestSeriesEnd: whose captures the series of a direction come from. A is the sender of a2b.
func TestSeriesEnd(t *testing.T) {
	for _, c := range []struct {
		r    Run
		want [2]string // a2b, b2a
	}{
		{Run{Vantage: report.VantageA}, [2]string{"sender", "receiver"}},
		{Run{Vantage: report.VantageB}, [2]string{"receiver", "sender"}},
		{Run{Vantage: report.VantageMiddle}, [2]string{"middle", "middle"}},
		{Run{Vantage: report.VantageUnknown}, [2]string{}},
		{Run{}, [2]string{}},
		{Run{Both: true, Vantage: report.VantageB}, [2]string{"sender", "sender"}},
		{Run{Both: true, End: report.ReceiverHost}, [2]string{"receiver", "receiver"}},
	} {
		assert.Check(t, is.Equal([2]string{c.r.SeriesEnd(report.A2B), c.r.SeriesEnd(report.B2A)}, c.want), "%+v", c.r)
	}
	for want, ends := range map[string][]string{"": nil, "sender": {"sender", "sender"}, catalogue.SeveralEnds: {"sender", "receiver"}} {
		assert.Check(t, is.Equal(sameEnd(ends), want), "%q", ends)
	}
}

// TestShares: shares and retransmissions over all runs. A path is used by two subflows, one after the other, in the first of two runs; in
// the second it carries nothing.
func TestShares(t *testing.T) {
	run := func(values map[string]float64) Member {
		r := &Run{Paths: []string{"LTE", "wifi"}}
		for name, v := range values {
			r.add("b2a."+name, v)
		}
		r.sort()
		return Member{Run: r}
	}
	runs := []Member{
		run(map[string]float64{"LTE.share_percent": 10, "LTE#2.share_percent": 20, "LTE#3.share_percent": 5, "segments": 60, "retransmitted_segments": 3}),
		run(map[string]float64{"wifi.share_percent": 100, "segments": 40, "retransmitted_segments": 2}),
	}
	r := Ranking{Direction: report.B2A}
	got := map[string]float64{
		"LTE": r.share(runs, "LTE"), "wifi": r.share(runs, "wifi"), "again": *r.retransmission(runs), "none": r.share(nil, "LTE"),
	}
	want := map[string]float64{"LTE": 17.5, "wifi": 50, "again": 5, "none": 0}
	diff := cmp.Diff(want, got)
	assert.Check(t, diff == "" && r.retransmission(runs[:0]) == nil, "(-want +got)\n%s", diff)
}

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
	notes := (&Ranking{}).notes([]Ranked{{Scenario: "lia", AtReceiver: true}, {Scenario: "olia"}})
	assert.Check(t, slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, "retransmitted %: too low for lia: ") }), "notes %q", notes)
	assert.Check(t, is.Len((&Ranking{}).notes([]Ranked{{Scenario: "olia"}}), 0), "notes")
}
