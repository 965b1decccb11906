package diagnose_test

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestLateStart: a capture that begins behind the handshakes of both subflows says so, once, and
// says what --vantage brings back. A capture that has the handshakes, or that of a join, does not
// begin in the middle.
func TestLateStart(t *testing.T) {
	for _, c := range []struct {
		name  string
		begin func(first, second *tracegen.Subflow)
		want  bool
	}{
		{"behind the handshakes", func(first, second *tracegen.Subflow) { first.Assume(); second.Assume() }, true},
		{"with both", func(first, second *tracegen.Subflow) { first.Open(0); second.Open(50 * ms) }, false},
		{"with the second", func(first, second *tracegen.Subflow) { first.Assume(); second.Open(50 * ms) }, false},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
		first, second := s.Subflow(path(0, 10*ms)), s.Subflow(path(1, 10*ms))
		c.begin(first, second)
		inTurns(first, second, 200*ms, 20*ms, 20)
		doc := see(t, s, tracegen.HostB)
		assert.Assert(t, len(doc.Connections) == 1 && len(doc.Connections[0].Subflows) == 2, "%s: %d connections", c.name, len(doc.Connections))
		if !c.want {
			without(t, c.name, doc, report.VerdictLateStart)
		} else if v := find(t, doc, report.VerdictLateStart); v.Severity != report.Minor || !strings.Contains(v.Remedy, "--vantage") || !strings.Contains(v.Text, "place of the capture is not known") {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

// TestNoWaitsAtAnUnknownPlace: b sends the later half of each 2000 bytes first, on the other path, and
// the earlier half 30 ms later, each 50 ms. That is how its scheduler spreads the data. At a delivery
// waits for it; in a capture of b that begins later, and so at a place that is not known, the gaps
// prove no wait.
func TestNoWaitsAtAnUnknownPlace(t *testing.T) {
	for _, late := range []bool{false, true} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
		first, second := s.Subflow(path(0, 10*ms)), s.Subflow(path(1, 10*ms))
		view := tracegen.HostA
		if late {
			view = tracegen.HostB
			first.Assume()
			second.Assume()
		} else {
			first.Open(0)
			second.Open(50 * ms)
		}
		for i := range int64(60) {
			at := 200*ms + 50*ms*time.Duration(i)
			second.Data(tracegen.B2A, at, 2000*i+1000, 1000)
			first.Data(tracegen.B2A, at+30*ms, 2000*i, 1000)
		}
		waits := says(see(t, s, view), report.VerdictHoLBlocked)
		assert.Check(t, waits != late, "late %t: a verdict on waits %t", late, waits)
	}
}
