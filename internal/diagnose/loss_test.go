package diagnose_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/diagnose"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// ends writes the captures of both hosts, A's first.
func ends(t *testing.T, s *tracegen.Session) (files [2]string) {
	t.Helper()
	for view, name := range []string{"a.pcap", "b.pcap"} {
		files[view] = filepath.Join(t.TempDir(), name)
		assert.NilError(t, s.Network().WriteFile(files[view], tracegen.View(view), tracegen.Format{Nanosecond: true}))
	}
	return files
}

// TestLossOfPair loses 12 of 120 segments twice each. B's capture alone shows 12 gaps that a
// later copy filled: 120 segments arrived and 12 did not, so 132 were sent at least. With A's capture, 24 of 144 segments never arrived, and the verdict has the
// figures of `drops`.
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
	files := ends(t, s)
	for name, x := range map[string]struct {
		options  engine.Options
		of, lost float64
		text     string
	}{
		"b alone":       {engine.Options{Paths: files[1:]}, 132, 12, "at least"},
		"b, a receives": {engine.Options{Paths: files[1:], Receiver: files[:1], Clock: clock.None}, 144, 24, "never reached"},
		"a, b receives": {engine.Options{Paths: files[:1], Receiver: files[1:], Clock: clock.None}, 144, 24, "never reached"},
	} {
		v := find(t, analyzeAs(t, x.options), report.VerdictHeavyLoss)
		wantNumber(t, v, "drops", x.lost)
		wantNumber(t, v, "of those sent", 100*x.lost/x.of)
		assert.Check(t, strings.Contains(v.Text, x.text), "%s: the verdict says %q, want it to say %q", name, v.Text, x.text)
	}
}

// TestNotRequested: a connection without requested verdicts gets none from other connections or
// captures: neither that a join arrived without its option, nor losses that another capture
// proved.
func TestNotRequested(t *testing.T) {
	listener := report.Endpoint{Addr: "10.0.1.1", Port: 80}
	doc := func(verdicts *report.List[report.Verdict]) *report.Document {
		lossy := &report.SubDir{Drops: &report.Drops{Count: 50, Percent: new(5.0), Evidence: report.Matched}}
		c := report.Connection{
			DurationS: 10, Verdicts: verdicts, A2B: &report.ConnDir{Bytes: new(int64(1e6))}, B2A: &report.ConnDir{},
			Subflows: report.List[report.Subflow]{{B: listener, A2B: lossy, B2A: &report.SubDir{}}},
		}
		stripped := report.Verdict{Code: report.VerdictJoinStripped, Severity: report.Major}
		return &report.Document{
			Connections: report.List[report.Connection]{c},
			TCP:         report.List[report.TCP]{{Start: 1e9, B: listener, Verdicts: report.List[report.Verdict]{stripped}}},
		}
	}
	requested := doc(new(report.List[report.Verdict]))
	diagnose.Judge{}.Document(requested)
	find(t, requested, report.VerdictHeavyLoss)
	if n := len(*requested.Connections[0].Verdicts); n != 2 {
		t.Errorf("%d verdicts, want 2", n)
	}
	notRequested := doc(nil)
	diagnose.Judge{}.Document(notRequested)
	if v := notRequested.Connections[0].Verdicts; v != nil || len(notRequested.TCP[0].Verdicts) != 1 {
		t.Errorf("verdicts %v and %v, want null and one", v, notRequested.TCP[0].Verdicts)
	}
}
