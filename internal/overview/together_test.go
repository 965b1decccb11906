package overview

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

// short is a connection of few segments over one path: sent of them, and lost.
func short(id int, path string, sent, lost int64) report.Connection {
	d := &report.SubDir{Bytes: new(1000 * sent), BytesUnique: new(1000 * sent), Segments: sent, Share: new(100.0), Drops: &report.Drops{Count: lost, Evidence: report.Inferred}}
	if lost > 0 {
		d.Drops.Percent = new(100 * float64(lost) / float64(sent))
	}
	return report.Connection{
		ID: id, DurationS: 1, A2B: &report.ConnDir{}, B2A: &report.ConnDir{Bytes: new(1000 * sent)},
		Subflows: report.List[report.Subflow]{{Path: path, A: report.Endpoint{Addr: path}, B: report.Endpoint{Addr: "server"}, A2B: &report.SubDir{}, B2A: d}},
	}
}

func groupsOf(t *testing.T, d *report.Document) []Group {
	t.Helper()
	o, err := Of(d, Keep{})
	assert.NilError(t, err)
	return o.Groups
}

// TestLossTogether: twenty connections of ten segments, of which every second one lost two, lost
// 20 of 200 segments, 10 %. Each alone is below the limit of ten lost segments.
func TestLossTogether(t *testing.T) {
	d := &report.Document{}
	for i := range 20 {
		d.Connections = append(d.Connections, short(i, "wifi", 10, int64(i%2*2)))
	}
	all := groupsOf(t, d)
	assert.Assert(t, len(all) == 1, "%d groups: %+v", len(all), all)
	g := &all[0]
	if g.Code != report.VerdictHeavyLoss || g.Severity != report.Major || g.Path != "wifi" || g.Connections != 10 || g.Of != 20 || !g.Together || *g.CostBytes != 20_000 {
		t.Errorf("%+v", g)
	}
	if want := "10.0 % of b2a (20 of 200 segments"; !strings.Contains(g.Text, want) {
		t.Errorf("%q lacks %q", g.Text, want)
	}
}

// TestLossTogetherLimits: below a limit there is no verdict; of a path that carries little of all
// data it is a note; one connection alone has its own verdict.
func TestLossTogetherLimits(t *testing.T) {
	for _, c := range []struct {
		name        string
		n           int
		sent, lost  int64
		clean       int64 // segments of a further path, without losses
		want        report.Severity
		connections int
	}{
		{name: "9 segments lost", n: 9, sent: 20, lost: 1},
		{name: "10 segments lost", n: 10, sent: 20, lost: 1, want: report.Major, connections: 10},
		{name: "2 % lost", n: 10, sent: 50, lost: 1},
		{name: "60 segments sent", n: 10, sent: 6, lost: 1},
		{name: "70 segments sent", n: 10, sent: 7, lost: 1, want: report.Major, connections: 10},
		{name: "one connection", n: 1, sent: 200, lost: 20},
		{name: "1 % of all", n: 10, sent: 10, lost: 1, clean: 900, want: report.Major, connections: 10},
		{name: "less than 1 % of all", n: 10, sent: 10, lost: 1, clean: 901, want: report.Minor, connections: 10},
	} {
		d := &report.Document{}
		for i := range c.n {
			d.Connections = append(d.Connections, short(i, "wifi", c.sent, c.lost))
		}
		if c.clean > 0 {
			d.Connections = append(d.Connections, short(c.n, "lte", c.clean, 0))
		}
		all := groupsOf(t, d)
		switch {
		case c.want == "" && len(all) > 0, c.want != "" && len(all) != 1:
			t.Errorf("%s: %+v", c.name, all)
		case c.want != "" && (all[0].Severity != c.want || all[0].Connections != c.connections):
			t.Errorf("%s: %s, %d connections; want %s, %d", c.name, all[0].Severity, all[0].Connections, c.want, c.connections)
		}
	}
}

// TestLossComesFirst: a path that loses much stands before the verdicts that its losses explain,
// and takes the place of the verdicts of its connections on losses, with the words of the worst. What
// losses do not explain keeps its place.
func TestLossComesFirst(t *testing.T) {
	d := &report.Document{}
	for i := range 20 {
		c := short(i, "wifi", 100, 10)
		c.Verdicts = &report.List[report.Verdict]{{Code: report.VerdictHeavyLoss, Severity: report.Major, Subflow: new(0), Text: "a queue", Remedy: "shape", Cost: new(float64(i))}}
		switch i {
		case 3, 4:
			*c.Verdicts = append(*c.Verdicts, report.Verdict{Code: report.VerdictFallback, Severity: report.Critical, Subflow: new(0)})
		case 7, 8, 9:
			*c.Verdicts = append(*c.Verdicts, report.Verdict{Code: report.VerdictChecksum, Severity: report.Critical, Subflow: new(0)})
		}
		d.Connections = append(d.Connections, c)
	}
	var got []string
	for _, g := range groupsOf(t, d) {
		if g.Code == report.VerdictHeavyLoss && (!strings.HasSuffix(g.Text, "The worst, connection 19: a queue") || g.Remedy != "shape" || g.Worst != 19) {
			t.Errorf("%+v", g)
		}
		got = append(got, fmt.Sprintf("%s %d of %d", g.Code, g.Connections, g.Of))
	}
	if want := "checksum_failed 3 of 20, heavy_loss 20 of 20, fallback 2 of 20"; strings.Join(got, ", ") != want {
		t.Errorf("%s; want %s", strings.Join(got, ", "), want)
	}
}

// TestManyLossyPaths: more lossy paths than are named are one group.
func TestManyLossyPaths(t *testing.T) {
	d := &report.Document{}
	for i := range 2 * (FewPaths + 1) {
		d.Connections = append(d.Connections, short(i, fmt.Sprint("path ", i/2), 50, 10))
	}
	all := groupsOf(t, d)
	if n := 2 * (FewPaths + 1); len(all) != 1 || all[0].Path != "" || all[0].Connections != n || all[0].Of != n || *all[0].CostBytes != int64(10_000*n) {
		t.Errorf("%+v", all)
	}
}

// TestOfPath: a count of connections is one of those that have a subflow on the path: of three
// connections two ran over wifi, and one handshake there was slow. A plain connection counts, too.
func TestOfPath(t *testing.T) {
	d := &report.Document{Connections: []report.Connection{short(0, "wifi", 10, 0), short(1, "lte", 10, 0)}}
	d.Connections[0].Verdicts = &report.List[report.Verdict]{{Code: report.VerdictSetupSlow, Severity: report.Major, Subflow: new(0)}}
	d.TCP = []report.TCP{{Path: "wifi", A: report.Endpoint{Addr: "wifi"}, Verdicts: report.List[report.Verdict]{{Code: report.VerdictSYNDropped, Severity: report.Critical}}}}
	all := groupsOf(t, d)
	assert.Assert(t, len(all) == 2 && all[0].Code == report.VerdictSYNDropped && all[1].Code == report.VerdictSetupSlow, "%+v", all)
	for _, g := range all {
		assert.Check(t, g.Connections == 1 && g.Of == 2 && g.Path == "wifi", "%s on %s: %d of %d; want 1 of 2", g.Code, g.Path, g.Connections, g.Of)
	}
}
