package plot

import (
	"strings"
	"testing"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
)

// TestArrowStaysInLine: no line of a title ends within "B → A", whatever the width.
func TestArrowStaysInLine(t *testing.T) {
	s := (&Layout{Size: DefaultSize}).style(0, text.XLeft, text.YTop)
	const arrow, title = "B \u2192 A", "Over time, connection 0, B \u2192 A, at the receiver"
	several := 0
	for width := s.Width("connection"); width < s.Width(title)+1; width++ {
		got := broken(title, s, width)
		assert.Check(t, strings.Contains(got, arrow) && strings.Join(strings.Fields(got), " ") == title, "%v wide: %q", width, got)
		several += strings.Count(got, "\n")
	}
	assert.Check(t, several != 0, "no title was broken")
}

// TestFitted: a label has one line, or two, or as many as it needs. No word is broken, and no line
// is wider than asked for, unless it is one word.
func TestFitted(t *testing.T) {
	s := (&Layout{Size: DefaultSize}).style(0, text.XLeft, text.YTop)
	const label = "Out-of-order offset O3-DSN (kB)"
	most := 0
	for width := vg.Length(1); width < s.Width(label)+1; width++ {
		got := fitted(label, s, width)
		assert.Check(t, strings.ReplaceAll(got, "\n", " ") == label, "%v wide: %q", width, got)
		assert.Check(t, widest(got, s) <= max(width, s.Width("Out-of-order")), "%v wide: %q is wider", width, got)
		most = max(most, strings.Count(got, "\n"))
	}
	assert.Check(t, most == 3, "at most %d lines, want a line for each of 4 words", most+1)
}

// TestAxisBeginsWithFigure: if a figure begins at 1 s, so does the axis, unless a cell begins before.
func TestAxisBeginsWithFigure(t *testing.T) {
	for _, c := range []struct{ from, first, want float64 }{{1, 1.2, 1}, {1, 0.95, 0.95}, {0, 1.2, 0}} {
		p := Panel{X: timeLabel, Y: "y", From: c.from, Layers: []Layer{{Shape: Line, XY: []Coord{{c.first, 1, 1}, {3, 2, 2}}}}}
		assert.Check(t, is.Equal(p.plot(&Layout{Size: DefaultSize}).X.Min, c.want), "from %v, data from %v: the axis begins at", c.from, c.first)
	}
}

// What records say of a state stands behind its share.
func TestSharesWithRecords(t *testing.T) {
	x := &report.TimeAccount{
		Window: report.StateTime{Percent: 80}, Path: report.StateTime{Percent: 20},
		Kernel: report.List[report.KernelCause]{{Host: report.SideB, Cause: report.CauseSendBuffer, States: []string{"application", "window"}}},
	}
	assert.Check(t, is.DeepEqual(x.Shares(LeastShare), []string{"window 80% (kernel of b: send buffer)", "path 20%"}))
}
