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

// TestSeenWithoutRed looks at the colours as a dichromat without red cones
// does, who is left with lightness and blue against yellow: two colours that
// agree in both would be one.
func TestSeenWithoutRed(t *testing.T) {
	see := func(i int) (light, blue float64) {
		c := palette.Of(i)
		r, g, b := float64(c.R)/255, float64(c.G)/255, float64(c.B)/255
		return 0.11*r + 0.82*g + 0.07*b, b - 0.11*r - 0.89*g
	}
	for i := range palette.Colours {
		for j := range i {
			l1, b1 := see(i)
			l2, b2 := see(j)
			if d := math.Hypot(l1-l2, b1-b2); d < 0.08 {
				t.Errorf("colours %d and %d are %.3f apart", i, j, d)
			}
		}
	}
}
