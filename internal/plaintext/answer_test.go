package plaintext_test

import (
	"context"
	"fmt"
	"math"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/overview"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// The 200 connections: one begins each 30 ms, asks with 100 bytes, and gets 10 segments of
// 1000 bytes, one each 5 ms. Of every tenth one segment is lost and sent again 60 ms later.
const (
	crowd   = 200
	gap     = 30 * time.Millisecond
	between = 5 * time.Millisecond
	repeat  = 60 * time.Millisecond
)

// crowded writes the capture of the server of 200 connections to 20 addresses, all of
// which ran over one address of the client, and returns the report.
func crowded(t *testing.T) *report.Document {
	t.Helper()
	net := tracegen.NewNetwork(tracegen.Start)
	for i := range crowd {
		s := net.Session(tracegen.Config{Version: 1, Keys: [2]uint64{uint64(1000 + i), uint64(5000 + i)}, AckEvery: 1})
		f := s.Subflow(tracegen.Path{
			A: netip.AddrPortFrom(netip.MustParseAddr("10.1.0.1"), uint16(20000+i)), B: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 9, byte(i % 20), 1}), 443),
		})
		h := f.Open(time.Duration(i) * gap)
		at := h.Established() + time.Millisecond
		f.Data(tracegen.A2B, at, 0, 100)
		at += 20 * time.Millisecond
		for k := range 10 {
			x := f.Data(tracegen.B2A, at+time.Duration(k)*between, int64(1000*k), 1000)
			if i%10 == 3 && k == 5 {
				x.Lose()
				x.Again(x.SentAt() + repeat)
			}
		}
		s.Close(at+200*time.Millisecond, 100, 10000)
	}
	file := filepath.Join(t.TempDir(), "crowd.pcap")
	assert.NilError(t, net.WriteFile(file, tracegen.HostB, tracegen.Format{}))
	doc, err := engine.Analyze(context.Background(), engine.Options{Paths: []string{file}, Interval: 100 * time.Millisecond, Connection: engine.AllConnections})
	assert.NilError(t, err)
	return doc
}

// TestAnswerGolden: the first block on 200 short connections over one address says so in
// its first three lines. Each of its sums follows from the script.
func TestAnswerGolden(t *testing.T) {
	doc := crowded(t)
	o, err := overview.Of(doc, overview.Keep{})
	assert.NilError(t, err)
	if o.Connections != crowd || o.BytesA2B != crowd*100 || o.BytesB2A != crowd*10*1000 || o.OnePath != crowd || o.SeveralPaths != 0 || o.Naming != "address of a" {
		t.Errorf("%+v", o)
	}
	assert.Assert(t, len(o.Paths) == 2 && o.Paths[0].Path == "10.1.0.1" && o.Paths[1].Direction == report.B2A, "paths %+v", o.Paths)
	p := o.Paths[1]
	lost := crowd / 10
	assert.Check(t, p.Bytes == crowd*10*1000 && p.Share == 100 && p.Subflows == crowd, "%+v", p)
	if want := 100 * float64(lost) / float64(crowd*10+lost); p.Loss == nil || math.Abs(*p.Loss-want) > 1e-9 {
		t.Errorf("loss %v, want %d of %d segments", p.Loss, lost, crowd*10+lost)
	}
	// Each connection sends for 45 ms, longer than until the next begins.
	busy := (crowd-1)*gap.Seconds() + 9*between.Seconds()
	if want := float64(crowd*10+lost) * 1000 * 8 / 1e6 / busy; p.Rate == nil || math.Abs(*p.Rate-want) > 1e-6*want {
		t.Errorf("rate %v, want %.4f Mbit/s", p.Rate, want)
	}
	if p.SRTT == nil || math.Abs(*p.SRTT-20) > 0.5 { // 10 ms each way
		t.Errorf("SRTT %v, want 20 ms", p.SRTT)
	}
	g := o.Groups[0]
	assert.Check(t, g.Code == report.VerdictSinglePath && g.Connections == crowd && *g.CostBytes == crowd*10100 && g.Path == "10.1.0.1", "group %+v", g)
	text := summary(t, doc, plaintext.Options{Width: 80})
	block, _, _ := strings.Cut(text, "\n\n"+doc.Captures[0].File[:1])
	golden(t, "answer-200.golden", block+"\n")
	if first := strings.Join(strings.SplitN(text, "\n", 4)[:3], " "); !strings.Contains(first, "200 MPTCP connections") || !strings.Contains(first, "All data ran over one path, address of a 10.1.0.1") {
		t.Errorf("the first three lines: %s", first)
	}
}

// TestAnswerFits: no line of 200 connections is longer than the width.
func TestAnswerFits(t *testing.T) {
	doc := crowded(t)
	for _, width := range []int{60, 80, 160} {
		for _, text := range []string{summary(t, doc, plaintext.Options{Width: width}), why(t, doc, plaintext.Options{Width: width})} {
			for line := range strings.Lines(text) {
				if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width && !strings.Contains(line, "crowd.pcap") {
					t.Errorf("width %d: %d characters: %s", width, n, line)
				}
			}
		}
	}
}

func why(t *testing.T, d *report.Document, o plaintext.Options) string {
	t.Helper()
	var b strings.Builder
	assert.NilError(t, plaintext.Why(&b, d, o))
	return b.String()
}

// TestByPath: the sentence on paths.
func TestByPath(t *testing.T) {
	carries := func(id int, parts ...int64) report.Connection {
		c := report.Connection{ID: id, DurationS: 1, A2B: &report.ConnDir{}, B2A: &report.ConnDir{Bytes: new(int64(0))}}
		for i, n := range parts {
			*c.B2A.Bytes += n
			c.Subflows = append(c.Subflows, report.Subflow{ID: i, Path: fmt.Sprintf("wan%d", i+1), A2B: &report.SubDir{}, B2A: &report.SubDir{Bytes: new(n), BytesUnique: new(n)}})
		}
		return c
	}
	for _, c := range []struct {
		all  []report.Connection
		want string
	}{
		{[]report.Connection{carries(0, 10)}, "All data ran over one path, wan1: nothing was aggregated."},
		{[]report.Connection{carries(0, 60, 40)}, "The data ran over 2 paths: wan1 60.0%, wan2 40.0% of b2a."},
		{[]report.Connection{carries(0, 0, 40), carries(1, 60)}, "Each connection ran over one path, nothing was aggregated; 2 paths carried data: wan1 60.0%, wan2 40.0% of b2a."},
		{[]report.Connection{carries(0, 20, 30), carries(1, 50)}, "1 of 2 connections ran over several paths; 2 paths carried data: wan1 70.0%, wan2 30.0% of b2a."},
		{[]report.Connection{carries(0, 1, 2, 3, 4, 5, 5)}, "wan5 25.0%, wan6 25.0%, wan4 20.0%, wan3 15.0% and 2 more of b2a."},
	} {
		if text := summary(t, &report.Document{Connections: c.all}, plaintext.Options{}); !strings.Contains(text, c.want) {
			t.Errorf("no %q in\n%s", c.want, text)
		}
	}
}
