package live

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"mpanalyze/internal/report"
)

// twoPaths is an interval of a second with a download over two paths, a connection over
// IPv6 that stalls, one of plain TCP that ended, and others that are not shown.
func twoPaths() (*Interval, History) {
	down := SubDir{Payload: 3_750_000, Share: new(75.), Segments: 2600, Retransmitted: 4, Lost: new(int64(3)), Loss: new(0.125), SRTT: new(12.34), InFlight: 64_000, Blocked: new(0.)}
	slow := SubDir{Payload: 1_250_000, Share: new(25.), Segments: 900, Lost: new(int64(0)), Loss: new(0.), SRTT: new(98.76), InFlight: 1_500_000, Blocked: new(420.)}
	stalled := SubDir{Lost: new(int64(0)), Loss: new(0.), InFlight: 2800, SRTT: new(30.), Blocked: new(0.), Unavailable: report.Reasons{{Metric: "share_percent", Why: noData}}}
	plain := SubDir{Payload: 20_000, InFlight: 0, Unavailable: report.Reasons{{Metric: "lost_segments", Why: "SACK is not in use"}, {Metric: "srtt_ms", Why: "no timestamps"}}}
	v := &Interval{
		Number: 7, Start: report.Time(1767323045_000000000), Seconds: 1, Opened: 2, Ended: 1, Open: 15, Late: 0,
		Amounts: Amounts{Payload: 5_145_000},
		Shown: report.List[Connection]{
			{
				Number: 0, Connection: new(0), A: "10.0.1.1:40000", B: "198.51.100.1:443", State: report.ConnOpen,
				B2A: ConnDir{Bytes: new(int64(5_000_000)), Payload: 5_000_000, Rwnd: new(int64(6_000_000)), RwndFree: new(int64(4_400_000)), Window: new(0.), Application: new(10.), DataAck: new(0.)},
				Subflows: report.List[Subflow]{
					{Subflow: 0, Path: "wifi", Open: true, B2A: down},
					{Subflow: 1, Path: "10.0.2.1-198.51.100.1", Backup: true, Open: true, B2A: slow},
					{Subflow: 2, Path: "10.0.3.1-198.51.100.1"}, // closed
				},
			},
			{
				Number: 3, Connection: new(1), A: "[2001:db8:1:2:3:4:5:6]:40001", B: "[2001:db8:1:2:3:4:5:7]:443", State: report.ConnOpen,
				A2B:      ConnDir{Bytes: new(int64(0)), DataAck: new(2300.), Window: new(0.), Application: new(0.)},
				Subflows: report.List[Subflow]{{Subflow: 0, Path: "2001:db8:1:2:3:4:5:6-2001:db8:1:2:3:4:5:7", Open: true, A2B: stalled}},
			},
			{
				Number: 9, A: "10.0.1.1:40002", B: "198.51.100.2:80", State: report.ConnClosed, Ended: true,
				A2B: ConnDir{Payload: 20_000}, Subflows: report.List[Subflow]{{Path: "wifi", A2B: plain}},
			},
		},
		Rest: Rest{Connections: 12, Amounts: Amounts{Payload: 125_000}},
		Verdicts: report.List[Verdict]{
			{Change: Arose, Time: report.Time(1767323043_000000000), Connection: new(0), VerdictOf: VerdictOf{report.VerdictAggregates, report.Fine, nil, nil}, Text: "2 paths carried the data, 1.33 times what the best one carried"},
			{Change: Arose, Time: report.Time(1767323044_000000000), Connection: new(1), VerdictOf: VerdictOf{report.VerdictStalled, report.Major, nil, nil}, Text: "data was outstanding and no DATA_ACK advanced for 2.3 s"},
			{Change: Gone, Time: report.Time(1767323046_000000000), Connection: new(0), VerdictOf: VerdictOf{report.VerdictHoLBlocked, report.Major, nil, new(1)}, Text: "data that had arrived waited 60 % of the time for data on subflow 1 (10.0.2.1-198.51.100.1), 80 ms at the longest"},
		},
	}
	v.rates(1e9)
	var h History
	h.Add(v)
	return v, h
}

// TestScreen holds screens of several sizes: none is wider or higher than the terminal.
func TestScreen(t *testing.T) {
	v, h := twoPaths()
	for _, size := range [][2]int{{80, 24}, {160, 40}, {40, 12}, {80, 16}, {80, 10}, {20, 6}} {
		rows := Screen(v, h, ScreenOptions{Width: size[0], Height: size[1], Source: "eth0"})
		assert.Check(t, len(rows) <= size[1], "%v: %d rows", size, len(rows))
		for _, row := range rows {
			assert.Check(t, utf8.RuneCountInString(row) <= size[0], "%v: %q is too wide", size, row)
		}
		name := fmt.Sprintf("testdata/screen-%dx%d.txt", size[0], size[1])
		got := strings.Join(rows, "\n") + "\n"
		want, _ := os.ReadFile(name)
		if diff := cmp.Diff(string(want), got); diff != "" {
			if golden.FlagUpdate() {
				os.MkdirAll("testdata", 0o777)
				os.WriteFile(name, []byte(got), 0o666)
			}
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	// By arithmetic: 3.75 MB in a second are 30 Mbit/s; 12 connections carried 125 kB, 1 Mbit/s.
	wide := strings.Join(Screen(v, h, ScreenOptions{Width: 160, Height: 40, Source: "eth0"}), "\n")
	for _, want := range []string{"30.00", "10.00", "40.00", "75 %", "12.3", "0.12 %", "and 12 more connections, 1.00 Mbit/s", "waits for subflow 1", "no DATA_ACK for 2.3 s", "closed"} {
		assert.Check(t, strings.Contains(wide, want), "no %q in\n%s", want, wide)
	}
}

// TestScreenColor: colours change the look and nothing else.
func TestScreenColor(t *testing.T) {
	v, h := twoPaths()
	plain := Screen(v, h, ScreenOptions{Width: 80, Height: 24})
	colored := strings.Join(Screen(v, h, ScreenOptions{Width: 80, Height: 24, Color: true}), "\n")
	assert.Check(t, !strings.Contains(strings.Join(plain, ""), "\x1b"), "colours that nobody wants")
	bare := colored
	for _, look := range []string{bold, dim, red, green, amber, "0"} {
		bare = strings.ReplaceAll(bare, "\x1b["+look+"m", "")
	}
	assert.Check(t, bare == strings.Join(plain, "\n") && bare != colored, "colours change the text")
}

// TestScreenFits: the connections that have no room are counted with the others.
func TestScreenFits(t *testing.T) {
	v, h := twoPaths()
	all := strings.Join(Screen(v, nil, ScreenOptions{Width: 80, Height: 11, Source: "eth0"}), "\n")
	assert.Check(t, strings.Contains(all, "and 14 more connections, 1.16 Mbit/s") && strings.Contains(all, "wifi") && !strings.Contains(all, "2001"), "%s", all)
	rows := Screen(nil, h, ScreenOptions{Width: 80, Height: 24, Source: "eth0"})
	assert.Check(t, len(rows) == 2, "before the first interval: %q", rows)
}

// TestHistory is bounded.
func TestHistory(t *testing.T) {
	v, h := twoPaths()
	for range maxHistory {
		h.Add(v)
	}
	assert.Check(t, len(h) == maxHistory && h[0].Change == Gone, "%d verdicts", len(h))
}
