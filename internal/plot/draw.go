package plot

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"slices"
	"sync"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"mpanalyze/internal/plaintext"
)

// DPI is the usual resolution of PNG files, as journals ask for, in dots per inch.
const DPI = 300

// Formats lists the formats of [Figure.Write].
func Formats() []string { return []string{"svg", "png", "pdf"} }

var (
	sans = font.Font{Typeface: "Liberation", Variant: "Sans"}
	ink  = color.Black
	grey = color.NRGBA{0xd8, 0xd8, 0xd8, 0xff}
)

// faces reads the fonts when the first figure is drawn, because most runs of the program draw
// no figure.
var faces = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

// Write draws the figure. Files of equal figures are equal byte by byte. SVG and PDF contain
// their fonts. If a figure is higher than a page of A4, a PDF has several pages, each with title
// and legend. Write returns [ErrSize] if the size is too small.
func (f *Figure) Write(w io.Writer, format string, o Layout) error {
	f = f.clean(&o)
	o.paged = format == "pdf"
	s, err := f.fit(&o)
	if err != nil {
		return err
	}
	scale := max(1, o.Scale)
	wide, high := vg.Length(scale)*s.width, vg.Length(scale)*s.height
	page := func(c vg.Canvas) draw.Canvas {
		if scale != 1 && format != "png" { // a PNG has more dots in place of a larger page
			c.Scale(scale, scale)
		}
		return draw.NewCanvas(c, s.width, s.height)
	}
	var c vg.CanvasWriterTo
	switch format {
	case "svg":
		c = newSVG(wide, high)
	case "png":
		c = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(s.width, s.height), vgimg.UseDPI(int(scale*float64(cmp.Or(o.DPI, DPI)))))}
	case "pdf":
		pdf := newPDF(wide, high)
		for ; s.page < s.pages()-1; s.page++ {
			s.draw(page(pdf))
			pdf.page()
		}
		c = pdf
	default:
		return fmt.Errorf("no format %q: want svg, png or pdf", format)
	}
	s.draw(page(c))
	_, err = c.WriteTo(w)
	return err
}

// clean returns the figure with the title of the layout, and with texts that every format can contain. Labels and names of
// scenarios and files may contain any bytes, but XML may not contain control characters.
func (f *Figure) clean(o *Layout) *Figure {
	out := *f
	o.Y.Log = o.Y.Log || f.LogY
	if o.Title != nil {
		out.Title, out.Caption = *o.Title, ""
	}
	clean := out.texts(plaintext.Clean)
	for i := range clean.Panels { // the legend names no event that a limit cuts off
		p := &clean.Panels[i]
		p.Moments = slices.DeleteFunc(slices.Clone(p.Moments), func(e Moment) bool { return p.numericX() && !o.X.has(e.X) })
	}
	return clean
}

// Undrawable returns the characters of the figure's texts that its font does not have, and in whose place it draws boxes, each
// once.
func (f *Figure) Undrawable(o Layout) (missing []rune) {
	face := faces().Lookup(sans, sans.Size).Face
	var buffer sfnt.Buffer
	look := func(text string) string {
		for _, r := range text {
			if i, err := face.GlyphIndex(&buffer, r); (err != nil || i == 0) && !slices.Contains(missing, r) {
				missing = append(missing, r)
			}
		}
		return text
	}
	f.clean(&o).texts(look)
	return missing
}

// texts returns the figure with each text as change returns it.
func (f *Figure) texts(change func(string) string) *Figure {
	out := *f
	out.Title, out.Caption, out.Panels = change(f.Title), change(f.Caption), slices.Clone(f.Panels)
	for i := range out.Panels {
		p := &out.Panels[i]
		p.Head, p.X, p.Y = change(p.Head), change(p.X), change(p.Y)
		p.Names, p.Places, p.Layers, p.Rows = slices.Clone(p.Names), slices.Clone(p.Places), slices.Clone(p.Layers), slices.Clone(p.Rows)
		for k := range p.Rows {
			p.Rows[k].Name, p.Rows[k].Note = change(p.Rows[k].Name), change(p.Rows[k].Note)
		}
		for _, names := range [][]string{p.Names, p.Places} {
			for k := range names {
				names[k] = change(names[k])
			}
		}
	}
	for _, l := range out.layers() {
		l.Name, l.Keys = change(l.Name), slices.Clone(l.Keys)
		for j := range l.Keys {
			l.Keys[j].Name = change(l.Keys[j].Name)
		}
	}
	return &out
}
