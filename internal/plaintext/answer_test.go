package plaintext_test

import (
	"context"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
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

// TestAnswerGolden: the first block on 200 short connections over one address says so in its first three
// lines. Each sends 10 segments for 45 ms, longer than until the next begins: b2a is busy for 199 * 30 + 45
// ms, in which 2020 segments of 1000 bytes are 2.69 Mbit/s. 20 of these are lost, 1.0 %.
func TestAnswerGolden(t *testing.T) {
	doc := crowded(t)
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
