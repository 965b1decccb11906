package palette_test

import (
	"image/color"
	"math"
	"testing"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
)

// lab returns lightness and two differences of colour (CIELAB, white D65): about 2.3 is the
// least distance that people see.
func lab(c [3]float64) [3]float64 {
	f := func(v float64) float64 {
		if v > 0.008856 {
			return math.Cbrt(v)
		}
		return 7.787*v + 16./116
	}
	x := f((0.4124564*c[0] + 0.3575761*c[1] + 0.1804375*c[2]) / 0.95047)
	y := f(0.2126729*c[0] + 0.7151522*c[1] + 0.0721750*c[2])
	z := f((0.0193339*c[0] + 0.1191920*c[1] + 0.9503041*c[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// eyes are the usual colour vision and the three kinds of dichromacy (Machado et al., 2009).
var eyes = map[string][3][3]float64{
	"usual":        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func seen(eye [3][3]float64, c [3]float64) (out [3]float64) {
	for i, row := range eye {
		out[i] = max(0, min(1, row[0]*c[0]+row[1]*c[1]+row[2]*c[2]))
	}
	return out
}

// apart is the distance between two colours for an eye.
func apart(eye [3][3]float64, a, b color.NRGBA) float64 {
	p, q := lab(seen(eye, linear(a))), lab(seen(eye, linear(b)))
	return math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2])
}

// TestStatesAreSeen: every state but undetermined, which is to be light, has a contrast of 3 to 1
// on white (WCAG 2.1, 1.4.11). Two states with the same stripes differ for all eyes and on grey
// paper, two with different stripes for all eyes.
func TestStatesAreSeen(t *testing.T) {
	names := new(report.TimeAccount).States()
	if palette.States != len(names) {
		t.Fatalf("%d states have a look, want %d", palette.States, len(names))
	}
	for i := range names {
		a := palette.OfState(i)
		if c := contrast(a.Colour); c < 3 && names[i].Name != "undetermined" {
			t.Errorf("%s has a contrast of %.2f on white", names[i].Name, c)
		}
		for j := range i {
			b := palette.OfState(j)
			least := 5.0
			if a.Stripes == b.Stripes {
				least = 15
				if d := math.Abs(lightness(a.Colour) - lightness(b.Colour)); d < 6 {
					t.Errorf("%s and %s are %.1f apart on grey paper", names[i].Name, names[j].Name, d)
				}
			}
			for name, eye := range eyes {
				if d := apart(eye, a.Colour, b.Colour); d < least {
					t.Errorf("%s, %s and %s are %.1f apart", name, names[i].Name, names[j].Name, d)
				}
			}
		}
	}
}
