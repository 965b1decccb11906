package plaintext

import (
	"bufio"
	"strings"
	"testing"

	"mpanalyze/internal/report"
)

// of returns a state of an account of 100 ms.
func of(percent float64) report.StateTime { return report.StateTime{MS: percent, Percent: percent} }

func printed(width int, bytes int64, x *report.TimeAccount) string {
	var out strings.Builder
	p := &printer{bufio.NewWriter(&out), Options{Width: width}}
	p.timeAccount("b2a", &report.ConnDir{Bytes: &bytes, TimeAccount: x})
	p.w.Flush()
	return out.String()
}

// TestTimeAccountBar: 60 cells stand for 100 %, so one is 1.67 %: 55 % are 33, 30 % 18, 10 % 6,
// 5 % 3. States below 1 % are left out, and the cells are divided among the others.
func TestTimeAccountBar(t *testing.T) {
	for name, tt := range map[string]struct {
		x     *report.TimeAccount
		width int
		want  string
	}{
		"none": {nil, 80, ""},
		"four states": {
			&report.TimeAccount{Down: of(30), Path: of(55), Rwnd: of(5), Recovery: of(10)}, 80,
			"  b2a time: P path 55%, D down 30%, R recovery 10%, r rwnd 5%\n" +
				"    [" + strings.Repeat("P", 33) + strings.Repeat("D", 18) + strings.Repeat("R", 6) + "rrr]\n",
		},
		// 1 % would be 0.6 cells: it has one. 99 % are 59.4: the other 59.
		"a short state is seen": {
			&report.TimeAccount{SlowStart: of(1), Idle: of(99)}, 80,
			"  b2a time: . idle 99%, S slow_start 1%\n    [" + strings.Repeat(".", 59) + "S]\n",
		},
		// The others add up to 99.5 %: 50/99.5 * 60 = 30.2 and 49.5/99.5 * 60 = 29.8 cells.
		"what is left out leaves no hole": {
			&report.TimeAccount{Scheduler: of(49.5), Window: of(50), Down: of(0.5)}, 80,
			"  b2a time: W window 50%, s scheduler 50%\n    [" + strings.Repeat("W", 30) + strings.Repeat("s", 30) + "]\n",
		},
		"one state": {&report.TimeAccount{Application: of(100)}, 80, "  b2a time: application 100%\n"},
		// 40 columns have room for 34 cells: 17 each.
		"narrow": {
			&report.TimeAccount{CongestionWindow: of(50), Undetermined: of(50)}, 40,
			"  b2a time: ? undetermined 50%, C\n    congestion_window 50%\n    [" + strings.Repeat("?", 17) + strings.Repeat("C", 17) + "]\n",
		},
	} {
		if got := printed(tt.width, 1e6, tt.x); got != tt.want {
			t.Errorf("%s:\n%swant\n%s", name, got, tt.want)
		}
	}
}

// TestLettersDiffer: each state has a letter of its own.
func TestLettersDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, s := range new(report.TimeAccount).States() {
		l := letters[s.Name]
		if len(l) != 1 || l[0] >= 0x7f || seen[l] != "" {
			t.Errorf("%s and %s have the letter %q", s.Name, seen[l], l)
		}
		seen[l] = s.Name
	}
}

// TestTimeAccountLine: the line names the place unless it is that of the sender. There is no line
// where no state is told, nor for data that fits in the initial window, 10 segments of 1460 bytes,
// if only the application decided when it left.
func TestTimeAccountLine(t *testing.T) {
	for _, x := range []struct {
		bytes int64
		time  *report.TimeAccount
		want  string
	}{
		{1e6, nil, ""},
		{1e6, &report.TimeAccount{SeenAt: report.SeenAtSender, Rwnd: of(20.4), Path: of(79), Idle: of(0.6)}, "  b2a time: P path 79%, r rwnd 20%"},
		{1e6, &report.TimeAccount{SeenAt: report.SeenAtReceiver, Path: of(5), Undetermined: of(95)}, "  b2a time at the receiver: ? undetermined 95%, P path 5%"},
		{1e6, &report.TimeAccount{SeenAt: report.SeenBetween, Down: of(100)}, "  b2a time between the hosts: down 100%"},
		{1e6, &report.TimeAccount{SeenAt: report.SeenAtReceiver, Path: of(0.5), Undetermined: of(99.5)}, ""},
		{14600, &report.TimeAccount{SeenAt: report.SeenAtSender, Application: of(60), Idle: of(40)}, ""},
		{14601, &report.TimeAccount{SeenAt: report.SeenAtSender, Application: of(60), Idle: of(40)}, "  b2a time: A application 60%, . idle 40%"},
		{512, &report.TimeAccount{SeenAt: report.SeenAtSender, Application: of(60), Down: of(40)}, "  b2a time: A application 60%, D down 40%"},
	} {
		if got, _, _ := strings.Cut(printed(80, x.bytes, x.time), "\n"); got != x.want {
			t.Errorf("%d bytes: %q, want %q", x.bytes, got, x.want)
		}
	}
}
