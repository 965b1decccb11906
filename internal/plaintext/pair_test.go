package plaintext_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
)

// TestClockLine: the summary names what was corrected, and nothing else.
func TestClockLine(t *testing.T) {
	for want, k := range map[string]report.Clock{
		"clocks: nothing corrected; how": {},
		"clocks: corrected by the receiver's offset +357.164 ms (uncertainty 0.914 ms); how": {
			Offset: new(357.1637), Uncertainty: new(0.9143),
		},
		"clocks: corrected by the receiver's drift +80.0 ppm (uncertainty 1.30 ppm); how": {
			Uncertainty: new(0.01), Drift: 80, DriftUncertainty: new(1.3),
		},
		"clocks: corrected by the receiver's step -25.000 ms at 1.500 s; how": {
			Step: new(-25.0), StepS: new(1.5),
		},
		"clocks: corrected by the receiver's offset -0.00012 ms (uncertainty 0.010 ms), drift +0.02 ppm; how": {
			Offset: new(-0.00012), Uncertainty: new(0.01), Drift: 0.02,
		},
	} {
		k.Method = "how"
		line, _, _ := strings.Cut(summary(t, &report.Document{Clock: &k}, plaintext.Options{Width: 200}), "\n")
		assert.Check(t, line == want, "%q, want %q", line, want)
	}
}
