package diagnose_test

import (
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// unclosed is a download of 1000 bytes, after which a sends its DATA_FIN at these times.
func unclosed(lost bool, times ...time.Duration) (*tracegen.Session, *tracegen.Subflow) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	f := s.Subflow(path(0, 10*ms))
	f.Open(0)
	f.Data(tracegen.A2B, 60*ms, 0, 500)
	f.Data(tracegen.B2A, 100*ms, 0, 1000)
	for _, at := range times {
		if x := f.DataFIN(tracegen.A2B, at, 500); lost {
			x.Lose()
		}
	}
	return s, f
}

// TestFINWithoutAnswer: the path carries nothing any more when a closes. a repeats its DATA_FIN at
// once, 5 ms later, and after timeouts, which double from 400 ms on. The capture ends at 3300 ms,
// 2800 ms behind the first one. The verdict does not blame the stack of b: nothing of b came at all.
func TestFINWithoutAnswer(t *testing.T) {
	s, _ := unclosed(true, 500*ms, 505*ms, 900*ms, 1700*ms, 3300*ms)
	v := find(t, see(t, s, tracegen.HostA), report.VerdictFINUnacked)
	wantNumber(t, v, "packets with the DATA_FIN", 5)
	if v.Severity != report.Major || v.CostS == nil || *v.CostS != 2.8 {
		t.Errorf("%+v", v)
	}
	for _, want := range []string{"Nothing at all of b came", "the paths carried nothing any more", "b was gone"} {
		if !strings.Contains(v.Text, want) {
			t.Errorf("%q lacks %q", v.Text, want)
		}
	}
	if strings.Contains(v.Remedy, "stack of the peer") {
		t.Errorf("the remedy blames the peer: %q", v.Remedy)
	}
}

// TestFINAtTheSilentHost: in a capture at b the DATA_FINs arrive, and b sends nothing.
func TestFINAtTheSilentHost(t *testing.T) {
	s, _ := unclosed(false, 500*ms, 900*ms, 1700*ms, 3300*ms)
	v := find(t, see(t, s, tracegen.HostB), report.VerdictFINUnacked)
	if want := "b itself does not answer it"; !strings.Contains(v.Text, want) {
		t.Errorf("%q lacks %q", v.Text, want)
	}
}

// TestFINSoon: after two timeouts the answer may still come.
func TestFINSoon(t *testing.T) {
	s, _ := unclosed(true, 500*ms, 505*ms, 900*ms, 1700*ms)
	without(t, "two timeouts", see(t, s, tracegen.HostA), report.VerdictFINUnacked)
}

// TestFINIgnored: b goes on acknowledging data and never the DATA_FIN. Then its stack is at fault.
func TestFINIgnored(t *testing.T) {
	s, f := unclosed(true, 500*ms, 900*ms, 1700*ms, 3300*ms)
	f.Ack(tracegen.B2A, 3350*ms)
	v := find(t, see(t, s, tracegen.HostA), report.VerdictFINUnacked)
	if strings.Contains(v.Text, "Nothing at all") || !strings.Contains(v.Remedy, "stack of the peer") {
		t.Errorf("%q, %q", v.Text, v.Remedy)
	}
}

// TestFINGivenUp: 60 s after its DATA_FIN a gives up and resets the subflow. Until then nothing
// acknowledged the DATA_FIN.
func TestFINGivenUp(t *testing.T) {
	s, f := unclosed(true, 500*ms, 900*ms, 1700*ms)
	f.RST(tracegen.A2B, 60_500*ms)
	if v := find(t, see(t, s, tracegen.HostA), report.VerdictFINUnacked); v.CostS == nil || *v.CostS != 60 {
		t.Errorf("%+v", v)
	}
}
