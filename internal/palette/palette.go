package palette

import (
	"image/color"
	"math"
)

// Total is the colour of figures that belong to no single path.
var Total = color.NRGBA{0x26, 0x26, 0x26, 0xff}

// colours have a contrast of at least 3 to 1 on white (WCAG 2.1, criterion 1.4.11), and differ
// for people with the common kinds of colour vision. Each lightness is different, so that they
// also differ in grey print. Neighbours in this order differ most.
var colours = [...]color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xe0, 0x74, 0x1c, 0xff}, // orange
	{0x18, 0x10, 0xcf, 0xff}, // indigo
	{0x62, 0x64, 0x0f, 0xff}, // olive
	{0x19, 0x94, 0x70, 0xff}, // green
	{0x57, 0x20, 0x13, 0xff}, // brown
	{0x95, 0x26, 0x43, 0xff}, // wine red
}

// Colours is the number of different colours; higher numbers repeat them.
const Colours = len(colours)

// Of returns the colour of a number.
func Of(number int) color.NRGBA { return colours[number%Colours] }

// Striped reports whether areas of this number have stripes. Colours that are close in lightness
// then differ in grey print.
func Striped(number int) bool { n := number % Colours; return n >= 2 && n <= 4 }

// StateLook is how a figure draws a state of the account of time. Stripes tell states apart
// that have the same lightness on grey paper.
type StateLook struct {
	Colour  color.NRGBA
	Stripes int // 0 none, 1 falling, 2 rising
}

// states holds the look of each state by its number in the series time_account.
var states = [...]StateLook{
	{color.NRGBA{0xd9, 0xd9, 0xd9, 0xff}, 0}, // undetermined: light grey
	{color.NRGBA{0x5c, 0x00, 0x11, 0xff}, 0}, // down: dark red
	{color.NRGBA{0xd5, 0x5e, 0x00, 0xff}, 1}, // recovery: vermillion
	{color.NRGBA{0x6a, 0x3d, 0x9a, 0xff}, 1}, // rwnd: violet
	{color.NRGBA{0xb0, 0x3a, 0x86, 0xff}, 2}, // window: reddish purple
	{color.NRGBA{0x0a, 0x86, 0xa6, 0xff}, 2}, // slow_start: teal
	{color.NRGBA{0x00, 0x60, 0xa8, 0xff}, 0}, // path: blue
	{color.NRGBA{0x00, 0x9e, 0x73, 0xff}, 0}, // congestion_window: bluish green
	{color.NRGBA{0x6e, 0x4c, 0x00, 0xff}, 2}, // scheduler: brown
	{color.NRGBA{0x38, 0x38, 0x38, 0xff}, 1}, // application: dark grey
	{color.NRGBA{0x94, 0x94, 0x94, 0xff}, 2}, // idle: grey
}

// States is the number of states that have a look.
const States = len(states)

// OfState returns the look of a state by its number in the series time_account.
func OfState(state int) StateLook { return states[state] }

// ramp is matplotlib's viridis (CC0), from its light end to its dark one. Equal steps along it look
// equal, in grey print and in any colour vision, too.
var ramp = [...]uint32{
	0xfde725, 0xd8e219, 0xaddc30, 0x84d44b, 0x5ec962, 0x3fbc73, 0x28ae80, 0x1fa088, 0x21918c,
	0x26828e, 0x2c728e, 0x33638d, 0x3b528b, 0x424086, 0x472d7b, 0x48186a, 0x440154,
}

// Ramp returns the colour of a value in a heat map: light for 0, dark for 1.
func Ramp(part float64) color.NRGBA {
	at := min(max(part, 0), 1) * float64(len(ramp)-1)
	i := min(int(at), len(ramp)-2)
	between := func(shift uint) uint8 {
		a, b := float64(ramp[i]>>shift&0xff), float64(ramp[i+1]>>shift&0xff)
		return uint8(a + (at-float64(i))*(b-a) + 0.5)
	}
	return color.NRGBA{between(16), between(8), between(0), 0xff}
}

// Dark reports whether white text has more contrast on a colour than black text, by the relative
// luminance of WCAG 2.
func Dark(c color.NRGBA) bool {
	luminance := 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	return 1.05/(luminance+0.05) > (luminance+0.05)/0.05
}

// linear returns a part of an sRGB colour as light, from 0 to 1.
func linear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}
