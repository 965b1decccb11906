package diagnose_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/pair"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestLossOfPair loses 12 of 120 segments twice each. B's capture alone shows
// 12 gaps that a later copy filled; with A's capture beside it 24 of 144
// segments never arrived, and the verdict says what `drops` says.
func TestLossOfPair(t *testing.T) {
	s, f := begin()
	for i := range 120 {
		at := 100*ms + time.Duration(i)*30*ms
		d := f.Data(tracegen.A2B, at, int64(i)*1000, 1000)
		if i%10 == 5 {
			d.Lose()
			d.Again(at + 100*ms).Lose()
			d.Again(at + 200*ms)
		}
	}
	var files [2]string
	for view, name := range []string{"a.pcap", "b.pcap"} {
		files[view] = filepath.Join(t.TempDir(), name)
		if err := s.Network().WriteFile(files[view], tracegen.View(view), tracegen.Format{Nanosecond: true}); err != nil {
			t.Fatal(err)
		}
	}
	for name, x := range map[string]struct {
		options  engine.Options
		of, lost float64
		text     string
	}{
		"b alone":       {engine.Options{Paths: files[1:]}, 120, 12, "at least"},
		"b, a receives": {engine.Options{Paths: files[1:], Receiver: files[:1], Clock: pair.None}, 144, 24, "never reached"},
		"a, b receives": {engine.Options{Paths: files[:1], Receiver: files[1:], Clock: pair.None}, 144, 24, "never reached"},
	} {
		x.options.Interval, x.options.Connection = 100*ms, engine.AllConnections
		doc, err := engine.Analyze(context.Background(), x.options)
		if err != nil {
			t.Fatal(err)
		}
		v := find(t, doc, report.VerdictHeavyLoss)
		wantNumber(t, v, "drops", x.lost)
		wantNumber(t, v, "of those sent", 100*x.lost/x.of)
		if !strings.Contains(v.Text, x.text) {
			t.Errorf("%s: the verdict says %q, want it to say %q", name, v.Text, x.text)
		}
	}
}
