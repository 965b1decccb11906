package palette

import "image/color"

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
