package diagnose_test

import (
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestLeftFrom: the first subflow sends 1000 segments, one each 10 ms, from 200 ms on, and the second
// one 200 of them, up to 2190 ms: a sixth of all data. Then it carries nothing for 80 of 100 cells of 100
// ms, up to the end at 10,190 ms. With a segment at 10,100 ms it does not stay unused up to the end.
func TestLeftFrom(t *testing.T) {
	for _, returns := range []bool{false, true} {
		s, first, second := beginTwo()
		for i := range int64(200) {
			at := 200*ms + time.Duration(i)*10*ms
			first.Data(tracegen.A2B, at, 2000*i, 1000)
			second.Data(tracegen.A2B, at, 2000*i+1000, 1000)
		}
		steady(first, 2200*ms, 400_000, 800)
		if returns {
			second.Data(tracegen.A2B, 10_100*ms, 1_200_000, 1000)
		}
		d := see(t, s, tracegen.HostA)
		if returns {
			without(t, "used at the end", d, report.VerdictPathIdle)
			continue
		}
		v := find(t, d, report.VerdictPathIdle)
		wantNumber(t, v, "time idle at the end while others carried data", 80)
		if v.Severity != report.Major || *v.Subflow != 1 || *v.CostS != 8 || !strings.Contains(v.Text, "carried nothing from 2.19 s on, up to the end of the data 8.00 s later") {
			t.Errorf("%s on subflow %d, %v s: %s", v.Severity, *v.Subflow, *v.CostS, v.Text)
		}
	}
}
