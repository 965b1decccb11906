package campaign

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
)

// seen returns the sessions as captures at another place show them; as pairs of
// captures if both is set.
func seen(list []session, at report.Vantage, both bool) []session {
	out := slices.Clone(list)
	for i := range out {
		out[i].at, out[i].pair = at, both
	}
	return out
}

// rowsOf returns what names the rows of a table.
func rowsOf(l *Layout) (out []string) {
	for _, f := range l.Figures {
		out = append(out, strings.Join(l.heads(f), "|"))
	}
	return out
}

// papersRows are those of FI23's Table 3 and of FED23's Table 1, of two paths in the order of the connections.
var papersRows = []string{
	"protocol delay|av|ms", "protocol delay|max|ms",
	"HoL degree|av|ms", "HoL degree|max|ms",
	"SRTT wifi|cell_mean|ms", "SRTT wifi|max|ms",
	"SRTT LTE|cell_mean|ms", "SRTT LTE|max|ms",
	"mean drop rate wifi|d1|seg/s", "mean drop rate LTE|d2|seg/s",
	"throughput|av|Mbit/s", "throughput|max|Mbit/s",
}

func TestRowsOfPapers(t *testing.T) {
	s := campaignOf(t, []string{"a", "b"}, map[string][]session{"a": spread(3, 20), "b": spread(3, 40)})
	l := s.Paper("fi23", report.B2A)
	assert.Check(t, is.DeepEqual(rowsOf(l), papersRows))
	assert.Check(t, len(l.Notes) == 0, "notes %q", l.Notes)
	figures := []string{l.Figures[2], l.Figures[4], l.Figures[8], l.Figures[10]}
	assert.Check(t, is.DeepEqual(figures, []string{"b2a.hol_degree_ms.avg", "b2a.wifi.srtt_ms.cell_mean", "b2a.wifi.drops.per_s", "b2a.throughput_mbps.avg"}))
	s.Scenarios = append(s.Scenarios, &Scenario{Name: "without a readable run"})
	assert.Check(t, is.Equal(s.Paper("fi23", report.B2A).end, l.end), "a scenario without runs is at no other place")
	want := []string{
		"throughput|cell_mean|Mbit/s", "throughput|variance|(Mbit/s)²",
		"RTT wifi|mean|ms", "RTT wifi|variance|ms²", "RTT LTE|mean|ms", "RTT LTE|variance|ms²",
	}
	l = s.Paper("qoe24", report.B2A)
	assert.Check(t, is.DeepEqual(rowsOf(l), want))
	assert.Check(t, l.Figures[2] == "b2a.wifi.rtt_ms.avg", "%s", l.Figures[2])
}

// TestRowsWithoutValue: a row for which no run has a value stays in the table, and is named below
// it.
func TestRowsWithoutValue(t *testing.T) {
	s := campaignOf(t, []string{"a"}, map[string][]session{"a": spread(1, 20)})
	r := s.Scenarios[0].Runs[0].Run
	r.Names, r.Values = slices.Clone(r.Names), slices.Clone(r.Values)
	i, _ := slices.BinarySearch(r.Names, "b2a.LTE.drops.per_s")
	r.Names, r.Values = slices.Delete(r.Names, i, i+1), slices.Delete(r.Values, i, i+1)
	l := s.Paper("fi23", report.B2A)
	assert.Check(t, is.DeepEqual(rowsOf(l), papersRows), "rows")
	want := []string{`no run has mean drop rate LTE d2; "unavailable" in their reports says why`}
	assert.Check(t, slices.Equal(l.Notes, want), "notes %q, want %q", l.Notes, want)
	assert.Check(t, is.Len(s.Paper("fi23", report.A2B).Figures, 0), "rows of a direction without figures")
}

// TestRowsOfDegree: the HoL degree has its rows in the table if all runs show it at one end.
// Where that is the sender, hol_blocking has rows of its own.
func TestRowsOfDegree(t *testing.T) {
	const (
		tooLow   = "HoL degree: captures at the sender show it too low (mpanalyze explain hol_degree); HoL blocking is the same quantity from measured waits"
		fromHere = ", at the receiver; --end receiver takes all rows from there"
		absent   = "HoL degree absent: captures at the sender, of a, show it too low, and do not compare with those at the receiver (mpanalyze explain hol_degree)"
		mixes    = "HoL degree absent: reports of both hosts made without --end have the receiver's beside delays of the sender; give the captures, or make reports with analyze --end"
	)
	sender, receiver := seen(spread(3, 40), report.VantageB, false), spread(3, 40)
	pairs := func(at report.Vantage, end report.Host) []session {
		list := seen(spread(3, 40), at, true)
		for i := range list {
			list[i].end = end
		}
		return list
	}
	for _, c := range []struct {
		a, b    []session
		rows    []string
		note    string
		caption string
	}{
		{receiver, receiver, []string{"HoL degree"}, "", "figures at the receiver"},
		{sender, sender, []string{"HoL degree", "HoL blocking"}, tooLow, "figures at the sender"},
		{sender, receiver, []string{"HoL blocking"}, absent, "figures from captures at different places"},
		{
			pairs(report.VantageB, report.SenderHost), pairs(report.VantageB, report.SenderHost),
			[]string{"HoL degree", "HoL blocking (receiver)"},
			tooLow + fromHere, "figures at the sender; HoL blocking at the receiver; mean drop rate from both captures",
		},
		{
			pairs(report.VantageA, report.ReceiverHost), pairs(report.VantageA, report.ReceiverHost),
			[]string{"HoL degree"},
			"", "figures at the receiver; mean drop rate from both captures",
		},
		{
			pairs(report.VantageA, ""), pairs(report.VantageA, ""),
			[]string{"HoL blocking"},
			mixes, "figures at the sender; HoL blocking at the receiver; mean drop rate from both captures",
		},
	} {
		s := campaignOf(t, []string{"a", "b"}, map[string][]session{"a": c.a, "b": c.b})
		l := s.Paper("fi23", report.B2A)
		var rows []string
		for _, r := range rowsOf(l) {
			if name, _, _ := strings.Cut(r, "|"); strings.HasPrefix(name, "HoL") && !slices.Contains(rows, name) {
				rows = append(rows, name)
			}
		}
		assert.Check(t, slices.Equal(rows, c.rows), "rows %q, want %q", rows, c.rows)
		assert.Check(t, is.Equal(strings.Join(l.Notes, "\n"), c.note), "notes")
		table := MetricTable(result(s, l.Figures), l)
		assert.Check(t, c.note == "" || slices.Contains(table.Notes, c.note), "below the table: %q", table.Notes)
		assert.Check(t, is.Equal(table.Caption, "mean ± standard deviation of the sample over 3 runs; "+c.caption))
		// Averages of zeta are 15, 15.5 and 16 ms; those of hol_blocking are larger by 1.
		want := map[string]float64{"b2a.hol_degree_ms.avg": 15.5, "b2a.hol_blocking_ms.avg": 16.5}
		for _, row := range table.Rows {
			v, ok := want[row.About[0]]
			assert.Check(t, !ok || row.Cells[1].Numbers[0] == v, "%s is %v, want %v", row.Heads[0], row.Cells[1].Numbers[0], v)
		}
	}
}

// TestOrderOfSending: for captures at the sender, rec16 has no row for the order of arrival, and
// says why. Two captures also give end-to-end delay and jitter.
func TestOrderOfSending(t *testing.T) {
	const (
		goodput = "throughput|av|Mbit/s"
		delay   = "protocol delay|av|ms"
		both    = "end-to-end delay, jitter absent: it takes captures at both hosts (reports of analyze --sender --receiver are runs, too)"
	)
	order := []string{"DSN offset|peak|bytes", "DSN offset|not continued|percent", "out of order|ratio|"}
	twoCaptures := []string{"end-to-end delay|av|ms", "end-to-end delay|max|ms", "jitter wifi|av|ms", "jitter wifi|max|ms", "jitter LTE|av|ms", "jitter LTE|max|ms"}
	for _, c := range []struct {
		name  string
		runs  []session
		want  []string
		notes []string
	}{
		{
			"sender", seen(spread(3, 20), report.VantageB, false),
			[]string{delay},
			[]string{both, "DSN offset, out of order absent: captures at the sender show the order of sending, not that of arrival"},
		},
		{"receiver", spread(3, 20), slices.Concat([]string{delay}, order), []string{both}},
		{"both", seen(spread(3, 20), report.VantageA, true), slices.Concat([]string{delay}, twoCaptures, order), nil},
	} {
		s := campaignOf(t, []string{"a", "b"}, map[string][]session{"a": c.runs, "b": c.runs})
		l := s.Paper("rec16", report.B2A)
		assert.Check(t, is.DeepEqual(rowsOf(l), c.want), "%s", c.name)
		all := strings.Join(l.Notes, "\n")
		for _, want := range c.notes {
			assert.Check(t, strings.Contains(all, want), "%s: notes %q lack %q", c.name, all, want)
		}
		assert.Check(t, strings.Contains(all, "order of sending") == (c.name == "sender"), "%s: notes %q", c.name, all)
	}
}

// TestOrdersDoNotMix: a figure of the order of sending is never in a row, comparison, rank or
// change of the order of arrival. If there is no other figure, it has a name of its own.
func TestOrdersDoNotMix(t *testing.T) {
	const figure = "b2a.dsn_offset_bytes.peak"
	sender, receiver := seen(spread(4, 20), report.VantageB, false), spread(4, 40)
	s := campaignOf(t, []string{"sent", "came", "also"}, map[string][]session{"sent": sender, "came": receiver, "also": receiver})
	l := s.Rows([]string{figure})
	r := result(s, l.Figures)
	table := MetricTable(r, l)
	got := table.Rows[0]
	assert.Check(t, got.Heads[0] == "dsn offset" && got.Cells[0].Text == "" && got.Cells[1].Text != "", "row %+v", got)
	want := "dsn offset peak: of sent absent, for captures at the sender show the order of sending"
	assert.Check(t, slices.Contains(table.Notes, want), "notes %q, want %q among them", table.Notes, want)
	c := r.comparison(figure, "came")
	assert.Check(t, c != nil && !c.Holds("sent") && c.Holds("came"), "comparison %+v", c)
	assert.Check(t, slices.Equal(r.Scenarios[0].SendOrder, []report.Direction{report.B2A}) && len(r.Scenarios[1].SendOrder) == 0, "%q", r.Scenarios[0].SendOrder)
	assert.Check(t, is.ErrorContains(errorOf(s.Rank(Ranking{By: "dsn_offset_bytes.peak", Direction: report.B2A, MaxRetransmission: -1})), "sent cannot be ranked by"), "ranked")

	s = campaignOf(t, []string{"a", "b"}, map[string][]session{"a": sender, "b": sender})
	l = s.Rows([]string{figure})
	r = result(s, l.Figures)
	got = MetricTable(r, l).Rows[0]
	assert.Check(t, got.Heads[0] == "dsn offset (order of sending)" && got.Cells[0].Text != "", "row %+v", got)

	s.Baseline = campaignOf(t, []string{"a"}, map[string][]session{"a": receiver}).Scenarios
	changes := s.Changes([]string{figure})
	assert.Check(t, len(changes) == 0, "changes %+v", changes)
	s.Baseline = s.Scenarios[1:]
	changes = s.Changes([]string{figure})
	assert.Check(t, len(changes) == 2 && changes[0].Evidence == "send_order" && ChangeTable(changes, s.Rows(nil)).Rows[0].Heads[1] == "dsn offset (order of sending)",
		"changes %+v", changes)
}

// TestGainsAgainstNoise: a gain has the test of the comparison beside it. Delays of
// 20 to 27 and of 21 to 28 ms do not differ by more than noise, those of 60 to 67 do.
func TestGainsAgainstNoise(t *testing.T) {
	s := campaignOf(t, []string{"ref", "near", "far"}, map[string][]session{"ref": spread(8, 20), "near": spread(8, 21), "far": spread(8, 60)})
	l := s.Paper("rec16", report.B2A)
	all := result(s, l.Figures)
	s.Reference = "ref"
	r := result(s, l.Figures)
	table := GainTable(r, l, "")
	row := table.Rows[0]
	assert.Assert(t, row.Heads[0] == "protocol delay" && len(row.Cells[0].Numbers) == 1, "row %+v", row)
	for i, want := range []string{"23.50", "24.50 (-4.255% ~)", "63.50 (-170.2%)"} {
		assert.Check(t, row.Cells[i].Text == want, "cell %d: %q, want %q", i, row.Cells[i].Text, want)
	}
	// The pair of near and far is not shown, so that Holm corrects for two pairs, and not for three.
	apart := func(r *Result) float64 { return *r.comparison(l.Figures[0], "far").pairOf("far", "ref").PCorrected }
	assert.Check(t, len(r.Comparisons[0].Pairs) == 2 && r.Comparisons[0].Winner == "" && math.Abs(3*apart(r)-2*apart(all)) < 1e-12, "%v and %v", apart(r), apart(all))
	p := *r.comparison(l.Figures[0], "near").pairOf("near", "ref").PCorrected
	assert.Check(t, row.Cells[1].Numbers[2] == p && p >= 1-Confidence, "p is %v, that of the comparison %v", row.Cells[1].Numbers[2], p)
	assert.Check(t, table.Parts[2] == "p_corrected" && slices.Contains(table.Notes, "~: no more than noise (Mann-Whitney, Holm over the pairs of a row, p >= 0.05)"),
		"parts %q, notes %q", table.Parts, table.Notes)
}
