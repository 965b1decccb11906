package plaintext

import (
	"bufio"
	"strings"
	"testing"

	"mpanalyze/internal/report"
)

// of returns a state of an account of 100 ms.
func of(percent float64) report.StateTime { return report.StateTime{MS: percent, Percent: percent} }

func printed(width int, x *report.TimeAccount) string {
	var out strings.Builder
	p := &printer{w: bufio.NewWriter(&out), width: width}
	p.timeAccount("b2a", x)
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
		if got := printed(tt.width, tt.x); got != tt.want {
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
