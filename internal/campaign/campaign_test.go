package campaign

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
)

func TestSummarizeByHand(t *testing.T) {
	// Delays 10 20 60: mean 30, deviations -20 -10 30, variance 1400/3.
	s := campaignOf(t, []string{"X"}, map[string][]session{"X": {
		{delay: 10, zeta: -8, bytes: 1}, {delay: 20, zeta: 4, bytes: 2}, {delay: 60, zeta: 2, bytes: 6},
	}})
	sum := s.Scenarios[0].Summarize(nil)
	want := map[string]Aggregate{
		"b2a.protocol_delay_ms.avg": {Mean: 30, Stddev: math.Sqrt(1400.0 / 3), SampleStddev: new(math.Sqrt(1400.0 / 2)), Median: 20, Min: 10, Max: 60, Runs: 3},
		"b2a.protocol_delay_ms.max": {Mean: 60, Stddev: 2 * math.Sqrt(1400.0/3), SampleStddev: new(2 * math.Sqrt(1400.0/2)), Median: 40, Min: 20, Max: 120, Runs: 3},
		// The run without blocking counts as 0: (0+4+2)/3, deviations -2 2 0.
		"b2a.hol_degree_ms.max": {Mean: 2, Stddev: math.Sqrt(8.0 / 3), SampleStddev: new(math.Sqrt(8.0 / 2)), Median: 2, Min: 0, Max: 4, Runs: 3},
		// Its average does not: (-4+2+1)/3, deviations from -1/3: -11/3 7/3 4/3.
		"b2a.hol_degree_ms.avg": {Mean: -1.0 / 3, Stddev: math.Sqrt(186.0 / 27), SampleStddev: new(math.Sqrt(186.0 / 18)), Median: 1, Min: -4, Max: 2, Runs: 3},
		"b2a.bytes":             {Mean: 3, Stddev: math.Sqrt(14.0 / 3), SampleStddev: new(math.Sqrt(14.0 / 2)), Median: 2, Min: 1, Max: 6, Runs: 3},
	}
	for name, w := range want {
		got, ok := sum.Metrics[name]
		if !ok {
			t.Errorf("%s is missing", name)
			continue
		}
		ci := got.CI95
		assert.Check(t, ci[0] >= w.Min && ci[0] <= w.Mean && ci[1] >= w.Mean && ci[1] <= w.Max, "%s: interval %v is not around the mean within %v to %v", name, ci, w.Min, w.Max)
		got.CI95 = nil
		assert.Check(t, is.DeepEqual(got, w, cmpopts.EquateApprox(1e-12, 0)), "%s", name)
	}
	_, ok := sum.Metrics["b2a.goodput_mbps.avg"]
	assert.Check(t, !ok, "a figure that no run has is there")
}

// TestExtractOfOneDirection: a report that was made with --direction has the figures of that
// direction, equal to those in a report on both.
func TestExtractOfOneDirection(t *testing.T) {
	doc := session{delay: 50, bytes: 1000, paths: []leg{{label: "wifi", bytes: 1000, segs: 1, srtt: 20}}}.document()
	both, err := Extract(doc, AnyConnection)
	assert.NilError(t, err)
	report.Only(doc, report.B2A)
	one, err := Extract(doc, AnyConnection)
	assert.NilError(t, err)
	kept := 0
	for i, name := range both.Names {
		v, ok := one.Figure(name)
		b2a := strings.HasPrefix(name, "b2a.")
		assert.Check(t, ok == b2a && (!ok || v == both.Values[i]), "%s: %v, %v; beside the other %v", name, v, ok, both.Values[i])
		if ok {
			kept++
		}
	}
	assert.Check(t, kept != 0 && kept == len(one.Names) && one.Bulk == report.B2A, "%d figures, %d of them known; bulk %s", len(one.Names), kept, one.Bulk)
}

func TestExtractPicksTheConnection(t *testing.T) {
	doc := &report.Document{}
	for i, n := range []int64{5, 9, 9} {
		c := report.Connection{ID: i, A2B: &report.ConnDir{}, B2A: &report.ConnDir{}}
		c.A2B.Bytes = new(n)
		doc.Connections = append(doc.Connections, c)
	}
	for _, c := range []struct{ ask, want int }{{AnyConnection, 1}, {0, 0}, {2, 2}} {
		r, err := Extract(doc, c.ask)
		assert.Check(t, err == nil && r.Connection == c.want && r.Connections == 3 && r.Bulk == report.A2B, "asked for %d: %+v, %v", c.ask, r, err)
	}
	for _, c := range []struct {
		doc  *report.Document
		ask  int
		want string
	}{
		{doc, 3, "no MPTCP connection 3, it has 3"},
		{&report.Document{}, AnyConnection, "no TCP connection"},
		{&report.Document{TCP: make(report.List[report.TCP], 2)}, AnyConnection, "only 2 plain TCP connections"},
		{&report.Document{Connections: make(report.List[report.Connection], 1)}, AnyConnection, "no data"},
	} {
		assert.Check(t, is.ErrorContains(errorOf(Extract(c.doc, c.ask)), c.want))
	}
}

// TestSubflowsOnOnePath: the one with the most bytes has the path's name, a
// refused join none.
func TestSubflowsOnOnePath(t *testing.T) {
	s := session{bytes: 1, paths: []leg{
		{label: "LTE", bytes: 3, srtt: 1}, {label: "LTE", bytes: 7, srtt: 2}, {label: "wifi", bytes: 1, srtt: 3}, {label: "wifi", srtt: 4},
	}}
	r, err := Extract(s.document(), AnyConnection)
	assert.NilError(t, err)
	for name, want := range map[string]float64{"b2a.LTE.srtt_ms.avg": 2, "b2a.LTE#2.srtt_ms.avg": 1, "b2a.wifi.srtt_ms.avg": 3} {
		got, ok := r.Figure(name)
		assert.Check(t, ok && got == want, "%s is %v (%v), want %v", name, got, ok, want)
	}
	_, ok := r.Figure("b2a.wifi#2.srtt_ms.avg")
	assert.Check(t, !ok, "a subflow without data has figures")
	assert.Check(t, is.DeepEqual(r.Paths, []string{"LTE", "wifi"}))
}

// TestCompare: three scenarios of 8 runs, one far better, two alike.
func TestCompare(t *testing.T) {
	s := campaignOf(t, []string{"bad", "good", "alike"}, map[string][]session{
		"bad": spread(8, 40), "good": spread(8, 20), "alike": spread(8, 41),
	})
	got := s.Compare([]string{delayFigure, "b2a.nothing"})
	assert.Assert(t, len(got) == 1, "%d comparisons, want 1", len(got))
	c := got[0]
	assert.Check(t, c.Winner == "good" && c.winsClearly() && c.Better == catalogue.LowerIsBetter, "winner %q, peers %v, better %q", c.Winner, c.Peers, c.Better)
	verdicts := map[string]string{}
	for _, p := range c.Pairs {
		verdicts[p.A+" "+p.B] = p.Verdict
		if p.A == "bad" && p.B == "good" {
			// Every one of the 64 pairs is larger; p is 2/C(16,8) = 2/12870, times 3.
			assert.Check(t, p.U == 64 && *p.Effect == 1 && math.Abs(*p.PCorrected-6.0/12870) <= 1e-12, "bad against good: %+v", p)
		}
	}
	want := map[string]string{"bad good": "good", "bad alike": noise, "good alike": "good"}
	assert.Check(t, is.DeepEqual(verdicts, want), "verdicts")
	// Whether more is better comes from the table of metrics, and not from the name of a figure:
	// a larger share is not better, a higher rate is.
	assert.Check(t, s.Compare([]string{"b2a.wifi.share_percent"})[0].Winner == "", "a share has a winner")
}

// TestSingleRun: one run is above, below or between all others by construction, so it has neither a test nor a size of an effect.
func TestSingleRun(t *testing.T) {
	s := campaignOf(t, []string{"one", "A", "B"}, map[string][]session{"one": spread(1, 40), "A": spread(3, 20), "B": spread(3, 30)})
	r := result(s, []string{delayFigure})
	c := r.Comparisons[0]
	assert.Check(t, c.SingleRun == "one" && c.Omnibus == nil && c.rowTest() == nil, "%+v", c)
	for _, p := range c.Pairs {
		single := p.A == "one" || p.B == "one"
		assert.Check(t, (p.Effect == nil) == single && (p.P == nil) == single && (p.PCorrected == nil) == single && (p.Verdict == CannotTell || !single), "%+v", p)
	}
	assert.Check(t, r.Scenarios[0].Metrics[delayFigure].CI95 == nil && r.Scenarios[1].Metrics[delayFigure].CI95 != nil)
	notes := MetricTable(r, &Layout{Figures: []string{delayFigure}}).Notes
	assert.Check(t, slices.Contains(notes, "no test of a row and no size of an effect: one has a single run"), "%q", notes)

	ranked, err := s.Rank(Ranking{By: "protocol_delay_ms.avg", Direction: report.B2A, MaxRetransmission: -1})
	assert.Check(t, err == nil && ranked[2].Scenario == "one" && ranked[2].PAbove == nil && ranked[2].EffectAbove == nil && ranked[2].Above == CannotTell, "%+v, %v", ranked, err)
}

// TestSingleRunAgainstMany: 2/C(51,1) = 0.039 would be below 0.05, but a single run shows no spread.
func TestSingleRunAgainstMany(t *testing.T) {
	s := campaignOf(t, []string{"one", "many"}, map[string][]session{"one": spread(1, 40), "many": spread(50, 500)})
	s.Baseline, s.Scenarios = s.Scenarios[1:], s.Scenarios[:1]
	changes := s.Changes([]string{delayFigure})
	c := changes[0]
	assert.Check(t, c.P == nil && c.PCorrected == nil && c.Effect == nil && c.DifferenceCI == nil && c.PercentCI == nil && c.Verdict == CannotTell, "%+v", c)
	table := ChangeTable(changes, s.Rows([]string{delayFigure}))
	assert.Check(t, table.Rows[0].Tests[0] == nil && slices.Contains(table.Notes, "no p and no size of an effect: a single run does not show how much runs differ"), "%+v", table)
}

func TestWarnings(t *testing.T) {
	odd := spread(3, 20)
	odd[1].paths = odd[1].paths[:1]
	s := campaignOf(t, []string{"A", "B"}, map[string][]session{"A": odd, "B": spread(3, 30)})
	s.Scenarios[1].Runs[0].Connections = 4
	s.Scenarios[0].Runs[0].Content, s.Scenarios[1].Runs[2].Content = "same", "same"
	got := strings.Join(s.Warnings(), "\n")
	for _, want := range []string{
		"runs of A vary in paths with data: LTE+wifi in 2 of 3, but 2 (wifi)",
		"runs of A vary in hour: 0 in 2 of 3, but 2 (1)",
		"runs of B have several connections",
		"A 1 and B 3 are the same capture",
		// 2/C(6,3) = 0.1; 2/C(8,4) = 0.029 is the first below 0.05.
		"smallest corrected p of a pair is 0.1; at least 4 runs",
	} {
		assert.Check(t, strings.Contains(got, want), "no warning says %q:\n%s", want, got)
	}
	assert.Check(t, !strings.Contains(strings.Join(s.Warnings("hour"), "\n"), "hour"), "warns of a label that the caller works with")
	clean := campaignOf(t, []string{"A", "B"}, map[string][]session{"A": {spread(1, 1)[0]}, "B": nil})
	assert.Check(t, len(clean.Warnings()) == 0, "warnings without a cause: %q", clean.Warnings())
}

// sameDelays returns n sessions of one delay.
func sameDelays(n int, delay float64) (out []session) {
	for range n {
		out = append(out, session{delay: delay, bytes: 1})
	}
	return out
}

func TestChangesAndLimits(t *testing.T) {
	now := campaignOf(t, []string{"X"}, map[string][]session{"X": sameDelays(4, 150)})
	then := campaignOf(t, []string{"old"}, map[string][]session{"old": sameDelays(4, 100)})
	now.Baseline = then.Scenarios
	got := now.Changes([]string{"b2a.protocol_delay_ms.avg"})
	assert.Assert(t, len(got) == 1, "%d changes", len(got))
	c := got[0]
	// 4 against 4 without overlap: p is 2/C(8,4) = 2/70.
	assert.Check(t, *c.PercentCI == [2]float64{50, 50} && c.Verdict == "worse" && c.Baseline == "old" && math.Abs(*c.P-2.0/70) <= 1e-12, "%+v", c)
	for _, l := range []struct {
		text     string
		exceeded bool
	}{
		{"protocol_delay>49%", true},
		{"protocol_delay>50%", false},
		{"protocol_delay_ms.avg > 49", true},
		{"protocol_delay>51", false},
		{"b2a.protocol_delay > 49000us", true},
		{"protocol_delay>0.051 s", false},
	} {
		limit, err := ParseLimit(l.text)
		assert.NilError(t, err)
		j := limit.Judge(got, Confidence)
		assert.Check(t, len(j) == 1 && j[0].Exceeded == l.exceeded && !j[0].CannotTell, "%s: %+v", l.text, j)
	}
	for _, l := range []struct {
		text, figure string
		covers       bool
	}{
		{"throughput>5%", "b2a.throughput_mbps.avg", true},
		{"throughput>5%", "b2a.LTE.throughput_mbps.avg", false},
		{"srtt.avg>5%", "b2a.LTE.srtt_ms.avg", true},
		{"srtt>5%", "b2a.LTE.srtt_ms.cell_mean", true},
		{"srtt>5%", "b2a.LTE.srtt_ms.avg", false},
		{"path.LTE.srtt>5%", "b2a.LTE.srtt_ms.cell_mean", true},
		{"wifi.srtt>5%", "b2a.LTE.srtt_ms.cell_mean", false},
		{"path.L*.throughput>5kbit/s", "b2a.LTE.throughput_mbps.avg", true},
		{"b2a.throughput>5kbit/s", "b2a.throughput_mbps.avg", true},
		{"a2b.throughput>5kbit/s", "b2a.throughput_mbps.avg", false},
		{"srtt.max>5%", "b2a.LTE.srtt_ms.avg", false},
		{"srtt>5%", "b2a.LTE.rtt_ms.avg", false},
	} {
		limit, err := ParseLimit(l.text)
		assert.Check(t, err == nil && limit.Covers(l.figure) == l.covers, "%s covers %s: %v (%v)", l.text, l.figure, limit.Covers(l.figure), err)
	}
	got[0].Better = catalogue.HigherIsBetter // as if it had been a rate that grew
	limit, _ := ParseLimit("protocol_delay>0")
	assert.Check(t, !limit.Judge(got, Confidence)[0].Exceeded, "an improvement exceeds a limit")
	for _, bad := range []string{"protocol_delay", "protocol_delay>x", ">5%", "nonsense>5%", "share>5%", "rtt>-1", "rtt>NaN", "rtt>5 bytes"} {
		assert.Check(t, errorOf(ParseLimit(bad)) != nil, "%q is taken", bad)
	}
}

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
