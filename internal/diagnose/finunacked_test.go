package diagnose_test

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// unclosed is a download of 1000 bytes, after which a sends its DATA_FIN at these times.
func unclosed(lost bool, times ...time.Duration) (*tracegen.Session, *tracegen.Subflow) {
	s, f := begin()
	f.Data(tracegen.A2B, 60*ms, 0, 500)
	f.Data(tracegen.B2A, 100*ms, 0, 1000)
	for _, at := range times {
		if x := f.DataFIN(tracegen.A2B, at, 500); lost {
			x.Lose()
		}
	}
	return s, f
}

// TestFINUnacked: a repeats its DATA_FIN at once, 5 ms later, and after timeouts, which double from 400 ms
// on; the capture ends with the last one. After two timeouts the answer may still come.
func TestFINUnacked(t *testing.T) {
	for _, c := range []struct {
		name  string
		view  tracegen.View
		lost  bool
		times []time.Duration
		more  func(f *tracegen.Subflow)
		lasts string   // in the text
		want  []string // in the text and the remedy; none for no verdict
		none  string
	}{
		// 3300 ms is 2800 ms behind the first one. Nothing of b came at all, so its stack is not blamed.
		{"the path carries nothing", tracegen.HostA, true, []time.Duration{500 * ms, 505 * ms, 900 * ms, 1700 * ms, 3300 * ms}, nil, "2.80 s", []string{"its DATA_FIN 5 times", "Nothing at all of b came", "the paths carried nothing any more", "b was gone"}, "stack of the peer"},
		{"they arrive at b, which sends nothing", tracegen.HostB, false, []time.Duration{500 * ms, 900 * ms, 1700 * ms, 3300 * ms}, nil, "2.80 s", []string{"b itself does not answer it"}, "b was gone"},
		{"two timeouts", tracegen.HostA, true, []time.Duration{500 * ms, 505 * ms, 900 * ms, 1700 * ms}, nil, "", nil, ""},
		{"b acknowledges data alone", tracegen.HostA, true, []time.Duration{500 * ms, 900 * ms, 1700 * ms, 3300 * ms}, func(f *tracegen.Subflow) { f.Ack(tracegen.B2A, 3350*ms) }, "2.86 s", []string{"stack of the peer"}, "Nothing at all"},
		{"a gives up after 60 s", tracegen.HostA, true, []time.Duration{500 * ms, 900 * ms, 1700 * ms}, func(f *tracegen.Subflow) { f.RST(tracegen.A2B, 60_500*ms) }, "60.0 s", []string{"until the connection was reset"}, "up to the end"},
	} {
		s, f := unclosed(c.lost, c.times...)
		if c.more != nil {
			c.more(f)
		}
		d := see(t, s, c.view)
		if c.want == nil {
			without(t, c.name, d, report.VerdictFINUnacked)
			continue
		}
		v := find(t, d, report.VerdictFINUnacked)
		if v.Severity != report.Major || v.CostS != nil || !strings.Contains(v.Text, "for "+c.lasts) || strings.Contains(v.Text+v.Remedy, c.none) {
			t.Errorf("%s: %+v", c.name, v)
		}
		for _, want := range c.want {
			assert.Check(t, strings.Contains(v.Text+v.Remedy, want), "%s: %q lacks %q", c.name, v.Text+v.Remedy, want)
		}
	}
}
