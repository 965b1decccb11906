package plaintext_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/overlay"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
)

// findings are one figure that moved with a signal, one that did not, and three without a correlation.
func findings(*report.Connection) []overlay.Moved {
	path, why := "lte\x1b[31m", "the figure is constant"
	moved := overlay.Moved{
		Series: "signal", Unit: "dBm", Direction: report.B2A, Subflow: new(1), Path: &path, Figure: "throughput", CellS: 0.1, Cells: 57,
		Independent: new(21.4), Spearman: new(0.62), Low: new(0.31), High: new(0.81), LagS: new(0.5), AtLag: new(0.71),
	}
	still := moved
	still.Figure, still.Spearman, still.Low, still.High = "path", new(0.1), new(-0.2), new(0.4)
	none := overlay.Moved{Series: "signal", Unit: "dBm", Direction: report.B2A, Figure: "down", CellS: 0.1, Unavailable: &why}
	other := none
	other.Series = "cpu"
	return []overlay.Moved{moved, still, none, other, other, other}
}

// TestWhyOverlay: a line for what moved, the count of what was compared, and reasons; never a cause.
func TestWhyOverlay(t *testing.T) {
	text := why(t, verdicts(), plaintext.Options{Width: 1000, All: true, Beside: findings})
	for _, want := range []string{
		"signal (dBm) moved with throughput of b2a on subflow 1 (lte", "rank correlation 0.62, 95 % 0.31 to 0.81, in 57 cells of 0.1 s that tell as much as 21 independent ones; the largest is 0.71, where the figure follows by 0.5 s",
		"signal (dBm): 1 of 2 figures moved with it; one in 20 does so by chance, and a correlation is no cause",
		"signal (dBm) is not compared with the share of down of b2a: the figure is constant",
		"cpu (dBm) is compared with nothing: 3 figures: the figure is constant",
	} {
		assert.Check(t, strings.Contains(text, want), "%s\nlacks %q", text, want)
	}
	assert.Check(t, !strings.Contains(text, "because of signal") && !strings.Contains(text, "\x1b[31m"), "a cause, or a text of a capture as it is: %s", text)
}
