package palette

import "image/color"

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
