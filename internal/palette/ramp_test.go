package palette_test

import (
	"math"
	"testing"

	"mpanalyze/internal/palette"
)

// TestRamp: the lightness falls from light to dark by about the same amount in each tenth, so that
// grey print keeps the order and the distances.
func TestRamp(t *testing.T) {
	all := lightness(palette.Ramp(0)) - lightness(palette.Ramp(1))
	if all < 70 {
		t.Fatalf("the lightness falls by %.1f in all, want 70 or more", all)
	}
	for i := range 10 {
		step := lightness(palette.Ramp(float64(i)/10)) - lightness(palette.Ramp(float64(i+1)/10))
		if math.Abs(step-all/10) > 0.2*all/10 {
			t.Errorf("step %d: the lightness falls by %.2f, want about %.2f", i, step, all/10)
		}
	}
	if palette.Ramp(-1) != palette.Ramp(0) || palette.Ramp(2) != palette.Ramp(1) {
		t.Error("values outside have no colour of an end")
	}
	for i := range 101 {
		c := palette.Ramp(float64(i) / 100)
		of := (luminance(c) + 0.05) / 0.05 // black text
		if palette.Dark(c) {
			of = contrast(c) // white text
		}
		if of < 4.5 { // WCAG 2.1, criterion 1.4.3
			t.Errorf("text on the colour of %d %% has a contrast of %.2f, want 4.5", i, of)
		}
	}
}
