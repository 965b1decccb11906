package overview

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

// many is a report of many connections, each of two subflows, which are made only when they are
// read.
type many struct {
	n     int
	conn  report.Connection
	plain report.TCP
}

func (m *many) Head() *report.Document { return &report.Document{} }
func (m *many) NumConnections() int    { return m.n }
func (m *many) NumTCP() int            { return m.n / 2 }

func (m *many) ConnectionAt(i int) (*report.Connection, error) {
	code := []report.VerdictCode{report.VerdictWindowClosed, report.VerdictHoLBlocked}[i%2]
	m.conn = report.Connection{
		ID: i, Start: report.Time(int64(i) * 1e6), DurationS: 0.5, A2B: &report.ConnDir{}, B2A: &report.ConnDir{Bytes: new(int64(1000))},
		Verdicts: &report.List[report.Verdict]{{
			Code: code, Severity: report.Major, Subflow: new(1), Cost: new(float64(i % 100)), CostS: new(0.25), CostBytes: new(int64(3)), Text: "t", Remedy: "r",
		}},
	}
	for k := range 2 {
		a, b := fmt.Sprintf("10.%d.%d.%d", k, i>>8&255, i&255), fmt.Sprintf("10.9.%d.%d", i>>16&255, i>>8&255)
		m.conn.Subflows = append(m.conn.Subflows, report.Subflow{
			ID: k, Path: a + "-" + b, A: report.Endpoint{Addr: a}, B: report.Endpoint{Addr: b}, A2B: &report.SubDir{},
			B2A: &report.SubDir{Bytes: new(int64(500)), BytesUnique: new(int64(500)), Segments: 1, Share: new(50.0)},
		})
	}
	return &m.conn, nil
}

func (m *many) TCPAt(i int) (*report.TCP, error) {
	m.plain = report.TCP{ID: i, Path: "wan", B2A: &report.SubDir{BytesUnique: new(int64(7))}, Verdicts: report.List[report.Verdict]{{Code: report.VerdictPeerPlain, Severity: report.Critical}}}
	return &m.plain, nil
}

// TestManyIsBounded: for a hundred thousand connections over as many paths, the sums are right,
// and what is kept has the same bounds as for ten thousand. Verdicts on that many paths form one
// group.
func TestManyIsBounded(t *testing.T) {
	for _, n := range []int{10_000, 100_000} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		o, err := Of(&many{n: n}, Keep{Worst: 30, TCP: true})
		assert.NilError(t, err)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 8<<20 {
			t.Errorf("%d connections: %d bytes kept", n, kept)
		}
		bytes, verdicts := o.OmittedBytes, 0
		for i := range o.Paths {
			bytes += o.Paths[i].Bytes
		}
		for i := range o.Groups {
			if o.Groups[i].Code != report.VerdictPeerPlain {
				verdicts += o.Groups[i].Connections
			}
		}
		if o.Connections != n || o.TCP != n/2 || o.BytesB2A != int64(1000*n) || bytes != int64(1000*n) || o.BytesTCP != int64(7*(n/2)) || verdicts != n {
			t.Errorf("%d connections: %d, %d plain, %d bytes, %d by path, %d verdicts", n, o.Connections, o.TCP, o.BytesB2A, bytes, verdicts)
		}
		if len(o.Paths) > maxPaths || len(o.Groups) != 3 || len(o.Worst) != 30 || o.SeveralPaths != n {
			t.Errorf("%d connections: %d paths, %d groups, %d worst, %d over several paths", n, len(o.Paths), len(o.Groups), len(o.Worst), o.SeveralPaths)
		}
		if o.Naming != "address of a" { // which is where a connection has several
			t.Errorf("named by %s", o.Naming)
		}
		runtime.KeepAlive(o)
	}
}

// TestWorst: the most severe come first, of these the costliest, of these those with the most
// data; plain connections where they are asked for.
func TestWorst(t *testing.T) {
	v := func(s report.Severity, cost float64) *report.List[report.Verdict] {
		return &report.List[report.Verdict]{{Code: report.VerdictHeavyLoss, Severity: s, Cost: &cost}}
	}
	dir := func(n int64) *report.ConnDir { return &report.ConnDir{Bytes: &n} }
	d := &report.Document{
		Connections: []report.Connection{
			{ID: 0, DurationS: 10, B2A: dir(1)},
			{ID: 1, DurationS: 10, Verdicts: v(report.Minor, 90)},
			{ID: 2, DurationS: 10, Verdicts: v(report.Major, 10)},  // 1 s
			{ID: 3, DurationS: 100, Verdicts: v(report.Major, 10)}, // 10 s
			{ID: 4, DurationS: 10, B2A: dir(2)},
		},
		TCP: []report.TCP{{ID: 0, DurationS: 1, Verdicts: report.List[report.Verdict]{{Code: report.VerdictPeerPlain, Severity: report.Critical}}}},
	}
	for _, c := range []struct {
		keep Keep
		want string
	}{{Keep{Worst: 9}, "3 2 1 4 0 "}, {Keep{Worst: 3, TCP: true}, "tcp0 3 2 "}, {Keep{}, ""}} {
		o, err := Of(d, c.keep)
		assert.NilError(t, err)
		var got strings.Builder
		for _, r := range o.Worst {
			if r.TCP {
				got.WriteString("tcp")
			}
			got.WriteString(fmt.Sprint(r.At, " "))
		}
		assert.Check(t, got.String() == c.want, "%+v: %q, want %q", c.keep, got.String(), c.want)
	}
}

// TestGroups: verdicts of one code on one path are one group with the sum of their costs,
// in the words of the worst; a connection counts once; a label stands for both ends.
func TestGroups(t *testing.T) {
	sub := func(path string) report.Subflow {
		return report.Subflow{Path: path, A: report.Endpoint{Addr: "1"}, B: report.Endpoint{Addr: "2"}, A2B: &report.SubDir{}, B2A: &report.SubDir{}}
	}
	v := func(sub int, s report.Severity, cost float64, text string) report.Verdict {
		return report.Verdict{Code: report.VerdictHoLBlocked, Severity: s, Subflow: &sub, Cost: &cost, CostS: new(cost / 10), Text: text, Remedy: "do " + text}
	}
	d := &report.Document{Connections: []report.Connection{
		{ID: 0, DurationS: 10, Subflows: report.List[report.Subflow]{sub("wifi"), sub("lte")}, Verdicts: &report.List[report.Verdict]{
			v(0, report.Major, 20, "a"), v(0, report.Minor, 99, "b"), v(1, report.Minor, 30, "c"), {Code: report.VerdictAborted, Severity: report.Minor, Text: "d"},
		}},
		{ID: 1, DurationS: 100, Subflows: report.List[report.Subflow]{sub("wifi")}, Verdicts: &report.List[report.Verdict]{v(0, report.Major, 10, "e"), {Code: report.VerdictAborted, Severity: report.Minor}}},
	}}
	o, err := Of(d, Keep{})
	assert.NilError(t, err)
	got := []string{}
	for i := range o.Groups {
		g := &o.Groups[i]
		s := 0.0
		if g.CostS != nil {
			s = math.Round(*g.CostS*10) / 10
		}
		got = append(got, fmt.Sprintf("%s %s on %q: %d, %v s, %q %q of %d", g.Severity, g.Code, g.Path, g.Connections, s, g.Text, g.Remedy, g.Worst))
	}
	want := []string{
		`warning hol_blocked on "wifi": 2, 12.9 s, "e" "do e" of 1`, // 2 + 9.9 + 1; 10 s of 100 weigh more than 2 s of 10
		`note hol_blocked on "lte": 1, 3 s, "c" "do c" of 0`,
		`note aborted on "": 1, 0 s, "d" "Nothing on the network: the application ended the connection before all data was read." of 0`,
		`note aborted on "wifi": 1, 0 s, "" "Nothing on the network: the application ended the connection before all data was read." of 1`,
	}
	assert.Check(t, slices.Equal(got, want), "%q\nwant %q", got, want)
}

// TestPathFigures: means are weighted by samples and segments, and have one kind of evidence
// only. A rate is that of the time in which any subflow was busy.
func TestPathFigures(t *testing.T) {
	sub := func(rtt float64, samples, drops, segments int64, e report.Evidence) report.Subflow {
		loss := &report.Drops{Count: drops, Evidence: e}
		if drops > 0 {
			loss.Percent = new(100 * float64(drops) / float64(segments))
		}
		return report.Subflow{Path: "wan", A2B: &report.SubDir{}, B2A: &report.SubDir{
			Bytes: new(int64(1e6)), BytesUnique: new(int64(1e6)), Segments: segments, Drops: loss, Throughput: &report.RateStat{Avg: 4}, // for 2 s
			SRTT: &report.SRTTStat{SpreadStat: report.SpreadStat{Stat: report.Stat{Avg: rtt, Samples: samples, Evidence: report.Observed}}},
		}}
	}
	d := &report.Document{}
	for i, at := range []int64{0, 1e9, 10e9} { // busy from 0 to 3 s and from 10 to 12 s
		s := []report.Subflow{sub(10, 30, 0, 100, report.Inferred), sub(20, 10, 4, 100, report.Inferred), sub(30, 0, 50, 100, report.Holes)}[i]
		d.Connections = append(d.Connections, report.Connection{ID: i, Start: report.Time(at), DurationS: 2, Subflows: report.List[report.Subflow]{s}})
	}
	o, err := Of(d, Keep{})
	if err != nil || len(o.Paths) != 1 {
		t.Fatal(err, o.Paths)
	}
	p := o.Paths[0]
	if math.Abs(*p.Rate-3*8.0/5) > 1e-9 || math.Abs(*p.SRTT-12.5) > 1e-9 || math.Abs(*p.Loss-2) > 1e-9 {
		t.Errorf("%.6g Mbit/s, %.6g ms, %.6g %%; want 4.8, 12.5, 2", *p.Rate, *p.SRTT, *p.Loss)
	}
}

// TestTimes: the total is that of a bitmap, and never less where spans had to be joined.
func TestTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{3, 100, 3000} {
		var x times
		var bits [20000]bool
		for range n {
			from := r.Int64N(19000)
			to := from + r.Int64N(4)
			x.add(from, to)
			for i := from; i < to; i++ {
				bits[i] = true
			}
		}
		want := int64(0)
		for _, b := range bits {
			if b {
				want++
			}
		}
		got := x.Size()
		assert.Check(t, x.Len() <= maxTimes && (n >= maxTimes || got == want) && got >= want, "%d spans: %d in %d, want %d", n, got, x.Len(), want)
	}
}

// TestEqualGroupsKeepTheirOrder: which of two equal groups comes first depends on the order in which
// they appeared, and not on the addresses of their paths.
func TestEqualGroupsKeepTheirOrder(t *testing.T) {
	for _, paths := range [][2]string{{"10.0.0.1-10.0.0.2", "10.9.0.1-10.9.0.2"}, {"10.9.0.1-10.9.0.2", "10.0.0.1-10.0.0.2"}} {
		if bySeverity(Group{Path: paths[0]}, Group{Path: paths[1]}) != 0 {
			t.Errorf("%q do not compare as equal", paths)
		}
	}
}

// TestOrderOfOne: a single connection keeps the order of its verdicts; several have the costliest first.
func TestOrderOfOne(t *testing.T) {
	v := report.List[report.Verdict]{
		{Code: report.VerdictHoLBlocked, Severity: report.Major, Cost: new(10.0)}, {Code: report.VerdictWindowClosed, Severity: report.Major, Cost: new(80.0)},
	}
	one := report.Connection{DurationS: 10, Verdicts: &v}
	for n, want := range map[int]report.VerdictCode{1: report.VerdictHoLBlocked, 2: report.VerdictWindowClosed} {
		o, err := Of(&report.Document{Connections: slices.Repeat([]report.Connection{one}, n)}, Keep{})
		assert.NilError(t, err)
		assert.Check(t, len(o.Groups) == 2 && o.Groups[0].Code == want, "%d connections: %+v", n, o.Groups)
	}
}
