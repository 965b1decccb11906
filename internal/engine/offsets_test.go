package engine_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// TestOffsetsLeaveReport gives the receiver's clock of a real session offsets of up to a
// year. The offset is found, and all figures of delays equal those without it to 0.1 us.
func TestOffsetsLeaveReport(t *testing.T) {
	t.Parallel()
	o, _, ok := bothEnds(t, filepath.Join(sessions, "v1", "b-lte-cubic", "expected.json"))
	if !ok {
		t.Fatal("the session is not bundled whole")
	}
	o.Swap, o.Clock = false, clock.Offset
	receiver := o.Receiver
	var none []report.Stat
	zero := 0.0
	for _, lead := range testrun.Few([]float64{0, 0.36, -0.36, 10, -10, 100, -100, 365 * 86400, -365 * 86400}) {
		o.Receiver = led(t, receiver, lead)
		doc, _ := analyzeBoth(t, o)
		got := delayStats(doc)
		if lead == 0 {
			none, zero = got, *doc.Clock.Offset
		}
		if math.Abs(*doc.Clock.Offset-zero-1e3*lead) > 1e-4 {
			t.Errorf("lead %v s: offset %v ms, %v ms without", lead, *doc.Clock.Offset, zero)
		}
		for i := range none {
			x, y := &none[i], &got[i]
			for j, by := range []float64{y.Avg - x.Avg, y.Min - x.Min, y.Max - x.Max, y.P50 - x.P50, y.P95 - x.P95, y.P99 - x.P99, y.Stddev - x.Stddev} {
				if math.Abs(by) > 1e-4 {
					t.Errorf("lead %v s: figure %d of delay %d differs by %v ms", lead, j, i, by)
				}
			}
		}
	}
	if len(none) < 8 {
		t.Errorf("only %d distributions of delays were compared", len(none))
	}
}

// led adds an offset in seconds to the times of one host's captures and returns their new
// names.
func led(t *testing.T, names []string, lead float64) (out []string) {
	t.Helper()
	dir := t.TempDir()
	for i, name := range names {
		file := unpacked(t, math.MaxInt64, name)
		restamp(t, [][]byte{file}, func(now float64) float64 { return now + lead })
		to := filepath.Join(dir, fmt.Sprint(i, ".pcap"))
		if err := os.WriteFile(to, file, 0o600); err != nil {
			t.Fatal(err)
		}
		out = append(out, to)
	}
	return out
}

// delayStats returns the distributions of delays between two captures.
func delayStats(doc *report.Document) (out []report.Stat) {
	for i := range doc.Connections {
		c := &doc.Connections[i]
		for _, d := range []*report.ConnDir{c.A2B, c.B2A} {
			if d.EndToEnd != nil {
				out = append(out, d.EndToEnd.Stat)
			}
		}
		for j := range c.Subflows {
			for _, d := range []*report.SubDir{c.Subflows[j].A2B, c.Subflows[j].B2A} {
				for _, s := range []*report.Stat{d.OWD, d.AckOWD} {
					if s != nil {
						out = append(out, *s)
					}
				}
			}
		}
	}
	return out
}
