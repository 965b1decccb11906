package palette_test

import (
	"image/color"
	"math"
	"testing"

	"mpanalyze/internal/palette"
)

// linear returns the part of the light of a colour's channels (IEC 61966-2-1).
func linear(c color.NRGBA) (out [3]float64) {
	for i, v := range []uint8{c.R, c.G, c.B} {
		x := float64(v) / 255
		if out[i] = x / 12.92; x > 0.04045 {
			out[i] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	return out
}

// luminance is the relative luminance of WCAG 2.1.
func luminance(c color.NRGBA) float64 {
	l := linear(c)
	return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2]
}

// lightness is L* of CIE 1976, from 0 for black to 100 for white: what grey print keeps.
func lightness(c color.NRGBA) float64 { return 116*math.Cbrt(luminance(c)) - 16 }

// contrast is that of a colour on white (WCAG 2.1).
func contrast(c color.NRGBA) float64 { return 1.05 / (luminance(c) + 0.05) }

// TestContrast: every colour has a contrast of at least 3 to 1 on white (WCAG 2.1,
// criterion 1.4.11: graphical objects). Behind the last, the colours begin again.
func TestContrast(t *testing.T) {
	for i := range palette.Colours {
		if ratio := contrast(palette.Of(i)); ratio < 3 {
			t.Errorf("colour %d has a contrast of %.2f on white, want 3", i, ratio)
		}
		if palette.Of(i) != palette.Of(i+palette.Colours) {
			t.Errorf("colour %d does not come again", i)
		}
	}
}

// TestGrey: in grey, each two colours differ in lightness by 5, neighbours, and areas that
// both have stripes or both have none, by 11: between white and black there is room for nine
// such steps.
func TestGrey(t *testing.T) {
	for i := range palette.Colours {
		for j := range i {
			want := 5.0
			if palette.Striped(i) == palette.Striped(j) || i-j == 1 || i-j == palette.Colours-1 {
				want = 11
			}
			if d := math.Abs(lightness(palette.Of(i)) - lightness(palette.Of(j))); d < want {
				t.Errorf("colours %d and %d differ in lightness by %.1f, want %v", j, i, d, want)
			}
		}
	}
}

// TestSeenByAll: two colours of paths differ for the usual colour vision and for every dichromat,
// without regard to stripes: about 2.3 is the least distance that people see.
func TestSeenByAll(t *testing.T) {
	for i := range palette.Colours {
		for j := range i {
			for name, eye := range eyes {
				if d := apart(eye, palette.Of(i), palette.Of(j)); d < 10 {
					t.Errorf("%s: colours %d and %d are %.1f apart", name, i, j, d)
				}
			}
		}
	}
}
