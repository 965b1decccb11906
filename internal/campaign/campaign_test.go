package campaign

import (
	"math"
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
		if ci[0] < w.Min || ci[0] > w.Mean || ci[1] < w.Mean || ci[1] > w.Max {
			t.Errorf("%s: interval %v is not around the mean within %v to %v", name, ci, w.Min, w.Max)
		}
		got.CI95 = [2]float64{}
		assert.Check(t, is.DeepEqual(got, w, cmpopts.EquateApprox(1e-12, 0)), "%s", name)
	}
	if _, ok := sum.Metrics["b2a.goodput_mbps.avg"]; ok {
		t.Error("a figure that no run has is there")
	}
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
		if b2a := strings.HasPrefix(name, "b2a."); ok != b2a || ok && v != both.Values[i] {
			t.Errorf("%s: %v, %v; beside the other %v", name, v, ok, both.Values[i])
		}
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
		if err != nil || r.Connection != c.want || r.Connections != 3 || r.Bulk != report.A2B {
			t.Errorf("asked for %d: %+v, %v", c.ask, r, err)
		}
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
		if _, err := Extract(c.doc, c.ask); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one that says %q", err, c.want)
		}
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
		if got, ok := r.Figure(name); !ok || got != want {
			t.Errorf("%s is %v (%v), want %v", name, got, ok, want)
		}
	}
	if _, ok := r.Figure("b2a.wifi#2.srtt_ms.avg"); ok {
		t.Error("a subflow without data has figures")
	}
	assert.Check(t, is.DeepEqual(r.Paths, []string{"LTE", "wifi"}))
}

func TestMetricOf(t *testing.T) {
	for _, c := range []struct {
		figure, metric, stat string
		better               catalogue.Better
	}{
		{"b2a.protocol_delay_ms.avg", "protocol_delay", "avg", catalogue.LowerIsBetter},
		{"b2a.10.1.1.1-10.9.9.9.srtt_ms.max", "srtt", "max", catalogue.LowerIsBetter},
		{"a2b.goodput_mbps.min", "goodput", "min", catalogue.HigherIsBetter},
		{"a2b.goodput_mbps.stddev", "goodput", "stddev", catalogue.LowerIsBetter},
		{"a2b.goodput_mbps.samples", "goodput", "samples", catalogue.NeitherIsBetter},
		{"a2b.out_of_order.extent_ms.p95", "out_of_order", "extent_ms.p95", catalogue.LowerIsBetter},
		{"a2b.x.share_percent", "share", "", catalogue.NeitherIsBetter},
	} {
		m, stat := metricOf(c.figure)
		if m.Name != c.metric || stat != c.stat || better(c.figure) != c.better {
			t.Errorf("%s: metric %q, statistic %q, better %q", c.figure, m.Name, stat, better(c.figure))
		}
	}
}

// TestCompare: three scenarios of 8 runs, one far better, two alike.
func TestCompare(t *testing.T) {
	s := campaignOf(t, []string{"bad", "good", "alike"}, map[string][]session{
		"bad": spread(8, 40), "good": spread(8, 20), "alike": spread(8, 41),
	})
	const figure = "b2a.protocol_delay_ms.avg"
	got := s.Compare([]string{figure, "b2a.nothing"})
	assert.Assert(t, len(got) == 1, "%d comparisons, want 1", len(got))
	c := got[0]
	assert.Check(t, c.Winner == "good" && c.winsClearly() && c.Better == catalogue.LowerIsBetter, "winner %q, peers %v, better %q", c.Winner, c.Peers, c.Better)
	verdicts := map[string]string{}
	for _, p := range c.Pairs {
		verdicts[p.A+" "+p.B] = p.Verdict
		if p.A == "bad" && p.B == "good" {
			// Every one of the 64 pairs is larger; p is 2/C(16,8) = 2/12870, times 3.
			assert.Check(t, p.U == 64 && p.Effect == 1 && math.Abs(p.PCorrected-6.0/12870) <= 1e-12, "bad against good: %+v", p)
		}
	}
	want := map[string]string{"bad good": "good", "bad alike": noise, "good alike": "good"}
	assert.Check(t, is.DeepEqual(verdicts, want), "verdicts")
	// Whether more is better comes from the table of metrics, and not from the name of a figure:
	// a larger share is not better, a higher rate is.
	if s.Compare([]string{"b2a.wifi.share_percent"})[0].Winner != "" {
		t.Error("a share has a winner")
	}
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
	if clean := campaignOf(t, []string{"A", "B"}, map[string][]session{"A": {spread(1, 1)[0]}, "B": nil}); len(clean.Warnings()) != 0 {
		t.Errorf("warnings without a cause: %q", clean.Warnings())
	}
}

func TestVantagesDoNotMix(t *testing.T) {
	runs := spread(3, 20)
	runs[0].at = report.VantageB
	s := campaignOf(t, []string{"A"}, map[string][]session{"A": runs})
	if len(s.Scenarios[0].Runs) != 2 || len(s.Skipped) != 1 || !strings.Contains(s.Skipped[0].Reason, "captured at b, most runs of A at a") {
		t.Errorf("%d runs, skipped %+v", len(s.Scenarios[0].Runs), s.Skipped)
	}
}

// TestPairsDoNotMix: a run of two captures has other figures than a run of the sender's capture
// alone, although both count as captured at host b.
func TestPairsDoNotMix(t *testing.T) {
	runs := spread(3, 20)
	for i := range runs {
		runs[i].at, runs[i].pair = report.VantageB, i > 0
	}
	s := campaignOf(t, []string{"A"}, map[string][]session{"A": runs})
	if len(s.Scenarios[0].Runs) != 2 || len(s.Skipped) != 1 || !strings.Contains(s.Skipped[0].Reason, "captured at b, most runs of A at both hosts") {
		t.Errorf("%d runs, skipped %+v", len(s.Scenarios[0].Runs), s.Skipped)
	}
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
	if c.Difference != 50 || *c.Percent != 50 || *c.PercentCI != [2]float64{50, 50} || c.Verdict != "worse" || c.Baseline != "old" || math.Abs(c.P-2.0/70) > 1e-12 {
		t.Errorf("%+v", c)
	}
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
		if j := limit.Judge(got, Confidence); len(j) != 1 || j[0].Exceeded != l.exceeded || j[0].CannotTell {
			t.Errorf("%s: %+v", l.text, j)
		}
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
		if limit, err := ParseLimit(l.text); err != nil || limit.Covers(l.figure) != l.covers {
			t.Errorf("%s covers %s: %v (%v)", l.text, l.figure, limit.Covers(l.figure), err)
		}
	}
	got[0].Better = catalogue.HigherIsBetter // as if it had been a rate that grew
	if limit, _ := ParseLimit("protocol_delay>0"); limit.Judge(got, Confidence)[0].Exceeded {
		t.Error("an improvement exceeds a limit")
	}
	for _, bad := range []string{"protocol_delay", "protocol_delay>x", ">5%", "nonsense>5%", "share>5%", "rtt>-1", "rtt>NaN", "rtt>5 bytes"} {
		if _, err := ParseLimit(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestRank(t *testing.T) {
	lossy, fast, slow := spread(2, 20), spread(2, 30), spread(2, 40)
	for i := range lossy {
		lossy[i].paths[0].again = 9 // 10 of 100 with the other path's one
	}
	unsteady := spread(2, 25)
	unsteady[1].paths[1].share = 30
	s := campaignOf(t, []string{"slow", "lossy", "unsteady", "fast"},
		map[string][]session{"slow": slow, "lossy": lossy, "unsteady": unsteady, "fast": fast})
	r := Ranking{By: "bytes", Direction: report.B2A, MaxRetransmission: 2, MaxShare: []PathLimit{{"LTE", 35}}, Steady: "hour", Tolerance: 5}
	got, err := s.Rank(r)
	assert.NilError(t, err)
	var order []string
	for _, e := range got {
		order = append(order, e.Scenario+" "+strings.Join(e.Excluded, "; "))
	}
	want := []string{
		"fast ", "slow ",
		"lossy 10.00% retransmitted, more than 2%; 10.00% retransmitted in hour 0, more than 2%; 10.00% retransmitted in hour 1, more than 2%",
		"unsteady LTE carries 20.0% to 30.0% by hour: not steady",
	}
	assert.Check(t, is.DeepEqual(order, want))
	if got[0].Rank != 1 || got[1].Rank != 2 || got[2].Rank != 0 {
		t.Errorf("ranks %d %d %d", got[0].Rank, got[1].Rank, got[2].Rank)
	}
	if *got[2].Retransmission != 10 || got[3].Shares["LTE"] != 25 {
		t.Errorf("%v retransmitted, LTE %v", *got[2].Retransmission, got[3].Shares["LTE"])
	}
	if _, err := s.Rank(Ranking{By: "nothing", Direction: report.B2A}); err == nil {
		t.Error("ranks by nothing")
	}
}
