package diagnose_test

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// shrinking sends 100 segments of 1000 bytes, one each 10 ms, from 100 ms on and from 3120 ms on.
// B offers 51,200 bytes with each ACK, 400 times 128. With the last ACK of the first part it
// offers less times 128, and from 3100 ms on 51,200 bytes again.
func shrinking(less uint16) *tracegen.Session {
	s := tracegen.NewSession(tracegen.Config{Version: 1, HeaderOnly: 1})
	p := path(0, 10*ms)
	p.Window = 51_200
	first := s.Subflow(p)
	first.Open(0)
	send := func(at time.Duration, offset int64) (last *tracegen.Sent) {
		for i := range 100 {
			first.Data(tracegen.A2B, at+time.Duration(i)*10*ms, offset+int64(i)*1000, 1000)
			last = first.Ack(tracegen.B2A, at+time.Duration(i+1)*10*ms)
		}
		return last
	}
	send(100*ms, 0).Edit(func(p *tracegen.Packet) { p.Window = less })
	first.Ack(tracegen.B2A, 3100*ms)
	send(3120*ms, 100_000)
	return s
}

// TestWindowShrinks: B leaves 0 or 6 times 128 bytes of its window. The ACK before it offered
// 51,200 bytes from 1000 bytes below, so that 50,200 or 49,432 are taken back. B sends that ACK at
// 1100 ms and the next one at 3100 ms: no room for 2 s, at both ends. Data passes from 100 to 4110
// ms. It counts as no time in which the application has nothing to send.
func TestWindowShrinks(t *testing.T) {
	for less, back := range map[uint16]float64{0: 50_200, 6: 49_432} {
		for view, lasts := range map[tracegen.View]float64{tracegen.HostA: 4030, tracegen.HostB: 4010} { // ms: to the last DATA_ACK at a, and to the last data at b
			d := see(t, shrinking(less), view)
			v := find(t, d, report.VerdictShrunk)
			wantNumber(t, v, "time without room because of that", 2000)
			wantNumber(t, v, "taken back by one packet at most", back)
			wantNumber(t, v, "packets that took window back", 1)
			if v.Severity != report.Major || v.CostS == nil || *v.CostS != 2 {
				t.Errorf("%s, cost %v s, want a warning that took 2 s", v.Severity, v.CostS)
			}
			w := find(t, d, report.VerdictWindowClosed)
			wantNumber(t, w, "time with less than a segment of the window left", 100*2000/lasts)
			if less == 0 {
				wantNumber(t, w, "time with a window of 0", 2000)
			}
			assert.Check(t, strings.Contains(w.Remedy, string(report.VerdictShrunk)), "the remedy of the full window does not name its cause: %s", w.Remedy)
			without(t, "full window", d, report.VerdictApplication)
		}
	}
}
