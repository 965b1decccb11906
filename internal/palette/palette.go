package palette

import (
	"image/color"

	"mpanalyze/internal/report"
)

// Total is the colour of figures that belong to no single path.
var Total = color.NRGBA{0x26, 0x26, 0x26, 0xff}

// paths holds the colours of Okabe and Ito, which people with the common kinds of colour
// vision can tell apart. The darkest are first, because yellow is hardly visible on paper.
var paths = [...]color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermillion
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0xf0, 0xe4, 0x42, 0xff}, // yellow
}

// Colours is the number of different colours; further paths repeat them.
const Colours = len(paths)

// Of returns the colour of a path by its number.
func Of(path int) color.NRGBA { return paths[path%Colours] }

// Paths has a number for the name of each path.
type Paths map[string]int

// Number returns the number of a path; a new name gets the next one.
func (p Paths) Number(name string) int {
	n, ok := p[name]
	if !ok {
		n = len(p)
		p[name] = n
	}
	return n
}

// Document numbers all paths of a report in its order, also those that a figure does not
// show. So a choice of connections does not change the colours.
func (p Paths) Document(d *report.Document) {
	for i := range d.Connections {
		for j := range d.Connections[i].Subflows {
			p.Number(d.Connections[i].Subflows[j].Path)
		}
	}
}
