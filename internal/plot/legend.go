package plot

import (
	"cmp"
	"fmt"
	"slices"

	"mpanalyze/internal/campaign"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legend holds the entries of a figure with their places. It stands beside or below the panels
// and does not cover them.
type legend struct {
	layout        *Layout
	entries       []entry
	width, height vg.Length
}

// entry is a key with its place, from the upper left corner of the legend.
type entry struct {
	Key
	x, y vg.Length
}

const (
	maxRows  = 8    // rows of a legend below the panels, unless a fifth of their height has room for more
	nameCut  = 0.45 // part of the figure's width that a name may take, beside the panels
	axisCut  = 0.25 // the same for a name under the horizontal axis
	swatchEm = 2.2  // width of the sample (swatch) before a name, in sizes of the font
)

// keys returns the entries of all panels, each once: first colours, then dashes, then marks,
// then events.
func (f *Figure) keys() (out []Key) {
	for _, l := range f.layers() {
		list := l.Keys
		if list == nil && l.Name != "" {
			list = []Key{l.key()}
		}
		for _, key := range list {
			if key.Shape == Steps {
				key.Shape = Line
			}
			if key.Shape != Dots {
				key.Mark = 0
			}
			switch at := slices.IndexFunc(out, key.explains); {
			case at < 0:
				out = append(out, key)
			case out[at].Sign == 0 && key.Sign != 0: // in this panel the same path is a line
				out[at].Shape, out[at].Sign = key.Shape, key.Sign
			}
		}
	}
	for i := range f.Panels {
		for _, key := range f.Panels[i].momentKeys() {
			out = campaign.Once(out, key)
		}
	}
	slices.SortStableFunc(out, func(a, b Key) int { return cmp.Compare(a.Rank, b.Rank) })
	return out
}

// explains reports whether two entries have the same name and look. Their shapes may differ, and
// one of them may have no sign.
func (k Key) explains(other Key) bool {
	return k.Name == other.Name && k.Colour == other.Colour && k.Dash == other.Dash && (k.Sign == other.Sign || k.Sign == 0 || other.Sign == 0) && k.Letter == other.Letter
}

// key returns the entry of a layer by its name.
func (l *Layer) key() Key {
	k := Key{Name: l.Name, Shape: l.Shape, Colour: l.Colour, Dash: l.Dash, Sign: l.Sign, Mark: l.Mark}
	if l.Shape == Dots || l.Shape == Intervals {
		k.Rank = ByMark
	}
	return k
}

// arranged places the entries in rows of this width. Each has a row of its own if they stand beside the panels, or else each rank
// begins a new one if one row is not enough.
func arranged(keys []Key, width vg.Length, o *Layout) *legend {
	g := &legend{layout: o}
	s := o.style(0, text.XLeft, text.YCenter)
	row, space, most, all := o.row(), 1.5*o.em(), width-o.swatch()-o.em(), vg.Length(0)
	beside := o.Legend == LegendRight
	if beside {
		most = nameCut * width
	}
	keys = slices.Clone(keys)
	for i := range keys {
		keys[i].Name = cut(keys[i].Name, s, most)
		all += g.across(&keys[i]) + space
	}
	x, y := vg.Length(0), row/2
	for i, k := range keys {
		w := g.across(&k)
		if i > 0 && (beside || x+w > width || all > width+space && k.Rank != keys[i-1].Rank) {
			x, y = 0, y+row
		}
		g.entries = append(g.entries, entry{k, x, y})
		g.width = max(g.width, x+w)
		x += w + space
	}
	g.height = y + row/2
	return g
}

// within places entries at this height at most: of each rank so many that all ranks fit, and one that counts the others.
func within(most vg.Length, keys []Key, width vg.Length, o *Layout) *legend {
	g := arranged(keys, width, o)
	for n := len(keys) - 1; g.height > most && n > 0; n-- {
		var shown []Key
		of := map[Rank]int{}
		for _, k := range keys {
			if of[k.Rank]++; of[k.Rank] <= n {
				shown = append(shown, k)
			}
		}
		if len(shown) == len(keys) {
			continue
		}
		g = arranged(append(shown, Key{Name: fmt.Sprintf("and %d more", len(keys)-len(shown)), Rank: keys[len(keys)-1].Rank, Shape: noShape}), width, o)
	}
	return g
}

// across returns the width of an entry.
func (g *legend) across(k *Key) vg.Length {
	return g.nameAt(k) + g.layout.style(0, text.XLeft, text.YCenter).Width(k.Name)
}

// nameAt returns where the name of an entry begins: behind its swatch or its letter.
func (g *legend) nameAt(k *Key) vg.Length {
	switch {
	case k.Shape == noShape:
		return 0
	case k.Letter != "":
		return g.layout.style(0, text.XLeft, text.YCenter).Width(k.Letter) + g.layout.em()/2
	}
	return g.layout.swatch() + g.layout.em()/2
}

// noShape is the shape of an entry without a swatch.
const noShape = Shape(255)

// draw draws the legend. Its upper left corner is at this point.
func (g *legend) draw(c *draw.Canvas, at vg.Point) {
	s := g.layout.style(0, text.XLeft, text.YCenter)
	for _, e := range g.entries {
		x, y := at.X+e.x, at.Y-e.y
		switch {
		case e.Shape == noShape:
		case e.Letter != "":
			c.FillText(s, vg.Point{X: x, Y: y}, e.Letter)
		default:
			e.swatch(c, x, y-g.layout.em()/9, g.layout.swatch()) // the middle of small letters is below the middle of the line
		}
		c.FillText(s, vg.Point{X: x + g.nameAt(&e.Key), Y: y}, e.Name)
	}
}

// swatch shows what the entry stands for.
func (k *Key) swatch(c *draw.Canvas, x, y, width vg.Length) {
	l := Layer{Shape: k.Shape, Colour: k.Colour, Dash: k.Dash, Sign: k.Sign, Mark: k.Mark}
	switch k.Shape {
	case Spans:
		if k.Rank == ByMark { // on curves
			c.StrokeLine2(l.stroke(dotHeight), x+width/2, y-3, x+width/2, y+3)
		} else {
			l.fill(c, rectangle(x+width/4, y-2, x+3*width/4, y+2))
		}
	case Dots:
		l.mark(c, vg.Point{X: x + width/2, Y: y})
	case Bars, Tiles, Areas, Bands:
		l.fill(c, rectangle(x+width/4, y-3, x+3*width/4, y+3))
	case Intervals:
		l.Width, l.XY = 1, []Coord{{0, -4, 4}}
		l.intervals(*c, func(v float64) vg.Length { return x + width/2 + vg.Length(v)*width/6 }, func(v float64) vg.Length { return y + vg.Length(v) })
	default:
		c.StrokeLine2(l.stroke(1.4), x, y, x+width, y)
		l.sign(c, vg.Point{X: x + width/2, Y: y})
	}
}

// cut shortens a text to a width. It keeps beginning and end, because names differ there.
func cut(name string, s text.Style, width vg.Length) string {
	letters := []rune(name)
	for n := len(letters) - 1; s.Width(name) > width && n > 2; n-- {
		name = string(letters[:(n+1)/2]) + "\u2026" + string(letters[len(letters)-n/2:])
	}
	return name
}
