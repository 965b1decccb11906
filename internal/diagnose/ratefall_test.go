package diagnose_test

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestRateFell: a sends 1000 bytes each 2 ms for 4 s, 4 Mbit/s; then each 20 ms, 0.4 Mbit/s, for 6 s in
// which round trips are 100 ms, so that data is in flight all the time; then each 2 ms again. The low rate
// lasts for 5.8 s, as cells of 200 ms show it. From a twentieth of the time on it is a warning: of 115 s, and
// not of 117.2 s.
func TestRateFell(t *testing.T) {
	for _, c := range []struct {
		slow, quick int // segments
		severity    report.Severity
	}{{300, 52_500, report.Major}, {300, 53_600, report.Minor}} {
		s, first := begin()
		at, offset := 100*ms, int64(0)
		send := func(n int, every, late time.Duration) {
			for range n {
				first.Data(tracegen.A2B, at, offset, 1000).Late(late)
				at, offset = at+every, offset+1000
			}
		}
		send(2000, 2*ms, 0)
		send(c.slow, 20*ms, 80*ms)
		send(c.quick, 2*ms, 0)
		v := find(t, see(t, s, tracegen.HostA), report.VerdictRateFell)
		assert.Check(t, v.Severity == c.severity && *v.Subflow == 0 && strings.Contains(v.Text, "fell from 4 Mbit/s to 0.4 Mbit/s"), "%s: %s", v.Severity, v.Text)
	}
}

// TestOthersFell: two paths fall at the same time, the second one for 0.4 s, which is too short to count. It is not said that it did not.
func TestOthersFell(t *testing.T) {
	for slow, said := range map[time.Duration]string{2000 * ms: "subflow 1 fell at the same time", 400 * ms: "", 0: "that of subflow 1 did not"} {
		s, first, second := beginTwo()
		offset := int64(0)
		for i, f := range []*tracegen.Subflow{first, second} {
			low := [2]time.Duration{2000 * ms, slow}[i]
			for at := 500 * ms; at < 10*time.Second; {
				every, late := 2*ms, time.Duration(0)
				if since := at - 4000*ms; since >= 0 && since < low {
					every, late = 20*ms, 80*ms
				}
				f.Data(tracegen.A2B, at, offset, 1000).Late(late)
				at, offset = at+every, offset+1000
			}
		}
		text := ""
		for _, v := range verdictsOf(see(t, s, tracegen.HostA), report.VerdictRateFell) {
			if *v.Subflow == 0 {
				text = v.Text
			}
		}
		other := strings.Contains(text, "at the same time") || strings.Contains(text, "did not")
		assert.Check(t, text != "" && strings.Contains(text, said) && (said != "" || !other), "%v: %s", slow, text)
	}
}
