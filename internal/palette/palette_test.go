package palette_test

import (
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
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
		assert.Check(t, palette.Of(i) == palette.Of(i+palette.Colours), "colour %d does not come again", i)
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

// TestRamp: the lightness falls from light to dark by about the same amount in each tenth, so that
// grey print keeps the order and the distances.
func TestRamp(t *testing.T) {
	all := lightness(palette.Ramp(0)) - lightness(palette.Ramp(1))
	assert.Assert(t, all >= 70, "the lightness falls by %.1f in all, want 70 or more", all)
	for i := range 10 {
		step := lightness(palette.Ramp(float64(i)/10)) - lightness(palette.Ramp(float64(i+1)/10))
		assert.Check(t, math.Abs(step-all/10) <= 0.2*all/10, "step %d: the lightness falls by %.2f, want about %.2f", i, step, all/10)
	}
	assert.Check(t, palette.Ramp(-1) == palette.Ramp(0) && palette.Ramp(2) == palette.Ramp(1), "values outside have no colour of an end")
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
	assert.Assert(t, palette.States == len(names), "%d states have a look, want %d", palette.States, len(names))
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

// TestSameNameSameColour: the usual names and names that differ in a number have the same
// numbers in whatever order and part of them, and no two of up to seven share a colour.
func TestSameNameSameColour(t *testing.T) {
	for _, all := range [][]string{
		{"lia", "olia", "balia", "wvegas", "cubic", "reno", "bbr"},
		{"wifi", "lte", "ethernet", "satellite", "fibre"},
		{"path1", "path2", "path3", "path4", "path5", "path6", "path7"},
		{"10.1.1.1-10.9.9.9", "10.2.1.1-10.9.9.9", "10.3.1.1-10.9.9.9", "10.4.1.1-10.9.9.9"},
	} {
		want := palette.Numbered(all)
		colours := map[int]bool{}
		for _, n := range want {
			colours[n%palette.Colours] = true
		}
		assert.Check(t, len(colours) == len(all), "%q: %d colours: %v", all, len(colours), want)
		r := rand.New(rand.NewPCG(1, 0))
		for range 50 {
			some := slices.Clone(all)
			r.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
			some = some[:1+r.IntN(len(some))]
			got := palette.Numbered(some)
			for _, name := range some {
				if got[name] != want[name] || got.Number(name) != want[name] {
					t.Errorf("%s has the number %d among %q, %d among all", name, got[name], some, want[name])
				}
			}
		}
	}
}

// TestAnyNames: names of any sort have different numbers that do not depend on their order; a
// colour is repeated only when all are used.
func TestAnyNames(t *testing.T) {
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("%c scenario %c", 'z'-i, 'a'+i*7%26))
	}
	want := palette.Numbered(names)
	seen := map[int]bool{}
	for _, n := range want {
		seen[n] = true
		assert.Check(t, n < 3*palette.Colours, "number %d of 20 names: three rounds of colours are enough", n)
	}
	assert.Check(t, len(seen) == 20, "%d numbers of 20 names", len(seen))
	slices.Reverse(names)
	for name, n := range palette.Numbered(append(names, names[0])) {
		if want[name] != n {
			t.Errorf("%s has the number %d in reverse order, else %d", name, n, want[name])
		}
	}
	if n := len(palette.Numbered(nil)); n != 0 {
		t.Errorf("%d numbers of no names", n)
	}
}

// TestPathsOf: paths of connections that a figure does not show count, too.
func TestPathsOf(t *testing.T) {
	sub := func(paths ...string) (c report.Connection) {
		for _, p := range paths {
			c.Subflows = append(c.Subflows, report.Subflow{Path: p})
		}
		return c
	}
	got := palette.PathsOf(&report.Document{Connections: report.List[report.Connection]{sub("wifi", "lte"), sub("lte", "ethernet")}})
	for _, want := range []string{"wifi", "lte", "ethernet"} {
		assert.Check(t, slices.Contains(got, want), "paths %q, want %s among them", got, want)
	}
}
