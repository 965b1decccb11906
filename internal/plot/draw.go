package plot

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"mpanalyze/internal/plaintext"
)

// Size is that of a figure in centimetres; Height is of each panel.
type Size struct{ Width, Height float64 }

// DefaultSize is as wide as the text of a page with margins.
var DefaultSize = Size{16, 8}

// dpi is the resolution of PNG files.
const dpi = 200

// Formats lists the formats of [Figure.Write].
func Formats() []string { return []string{"svg", "png", "pdf"} }

var (
	sans = font.Font{Typeface: "Liberation", Variant: "Sans"}
	grey = color.NRGBA{0xd8, 0xd8, 0xd8, 0xff}
)

// faces reads the fonts, when the first figure is drawn: nearly all runs of the
// program draw none.
var faces = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

// reproduciblePDF makes equal figures equal PDF files: without the time of day,
// and with their parts in a fixed order. The library has these settings for all
// documents only.
var reproduciblePDF = sync.OnceFunc(func() {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
})

// Write draws the figure. Files of equal figures are equal byte by byte; SVG
// and PDF hold their fonts.
func (f *Figure) Write(w io.Writer, format string, size Size) error {
	f = f.clean()
	width := vg.Length(size.Width) * vg.Centimeter
	height := vg.Length(size.Height)*vg.Centimeter*vg.Length(len(f.Panels)) + titleHeight
	var c vg.CanvasWriterTo
	switch format {
	case "svg":
		c = vgsvg.NewWith(vgsvg.UseWH(width, height), vgsvg.EmbedFonts(true))
	case "png":
		c = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))}
	case "pdf":
		reproduciblePDF()
		pdf := vgpdf.New(width, height)
		pdf.EmbedFonts(true)
		c = pdf
	default:
		return fmt.Errorf("no format %q: want svg, png or pdf", format)
	}
	f.draw(draw.New(c))
	if format != "svg" {
		_, err := c.WriteTo(w)
		return err
	}
	var whole bytes.Buffer
	if _, err := c.WriteTo(&whole); err != nil {
		return err
	}
	svg, err := lighten(whole.Bytes())
	if err != nil {
		return err
	}
	_, err = w.Write(svg)
	return err
}

// clean returns the figure with texts that every format can hold: labels and names of
// scenarios and files may hold any bytes, XML no control characters.
func (f *Figure) clean() *Figure {
	out := &Figure{Title: plaintext.Clean(f.Title), Panels: slices.Clone(f.Panels)}
	for i := range out.Panels {
		p := &out.Panels[i]
		p.Head, p.X, p.Y = plaintext.Clean(p.Head), plaintext.Clean(p.X), plaintext.Clean(p.Y)
		p.Names, p.Layers = slices.Clone(p.Names), slices.Clone(p.Layers)
		for k := range p.Names {
			p.Names[k] = plaintext.Clean(p.Names[k])
		}
		for k := range p.Layers {
			p.Layers[k].Name = plaintext.Clean(p.Layers[k].Name)
		}
	}
	return out
}

const titleHeight = 20 * vg.Length(1)

// draw draws all panels, with their vertical axes in one line.
func (f *Figure) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c.FillText(style(11, text.XCenter, text.YTop), vg.Point{X: c.Center().X, Y: c.Max.Y - 5}, f.Title)
	c = draw.Crop(c, 6, -10, 4, -titleHeight)
	plots := make([][]*plot.Plot, len(f.Panels))
	for i := range f.Panels {
		plots[i] = []*plot.Plot{f.Panels[i].plot(c.Max.X - c.Min.X)}
	}
	f.shareAxes(plots)
	tiles := draw.Tiles{Rows: len(plots), Cols: 1, PadY: 8}
	// Legends stand above the panels: their heights have to be known before the axes are aligned.
	heads := make([]vg.Length, len(f.Panels))
	for i := range f.Panels {
		heads[i] = f.Panels[i].legend(tiles.At(c, 0, i), false)
	}
	for i, row := range plot.Align(plots, tiles, c) {
		tile := row[0]
		plots[i][0].Draw(draw.Crop(tile, 0, 0, 0, -heads[i]))
		f.Panels[i].legend(tile, true)
	}
}

// shareAxes gives panels with the same horizontal axis the same range, so that
// equal times stand above each other, and labels that axis once. Panels that show
// a scenario each get the same vertical range too.
func (f *Figure) shareAxes(plots [][]*plot.Plot) {
	for i := 1; i < len(plots); i++ {
		if f.Panels[i].X != f.Panels[0].X {
			return
		}
	}
	first := &plots[0][0].X
	for _, row := range plots[1:] {
		first.Min, first.Max = min(first.Min, row[0].X.Min), max(first.Max, row[0].X.Max)
	}
	for i, row := range plots {
		row[0].X.Min, row[0].X.Max = first.Min, first.Max
		if i < len(plots)-1 {
			row[0].X.Label.Text = ""
		}
	}
	f.sameHeight(plots)
}

// sameHeight gives panels that show a scenario each the same vertical range,
// where their vertical axes have the same label.
func (f *Figure) sameHeight(plots [][]*plot.Plot) {
	low, high := map[string]float64{}, map[string]float64{}
	for i, row := range plots {
		if p := &f.Panels[i]; p.Head != "" {
			if _, ok := low[p.Y]; !ok {
				low[p.Y], high[p.Y] = math.Inf(1), math.Inf(-1)
			}
			low[p.Y], high[p.Y] = min(low[p.Y], row[0].Y.Min), max(high[p.Y], row[0].Y.Max)
		}
	}
	for i, row := range plots {
		if p := &f.Panels[i]; p.Head != "" {
			row[0].Y.Min, row[0].Y.Max = low[p.Y], high[p.Y]
		}
	}
}

// plot returns the axes and layers of a panel; width is that of the figure.
func (p *Panel) plot(width vg.Length) *plot.Plot {
	g := plot.New()
	g.TextHandler = text.Plain{Fonts: faces()}
	g.X.Label.Text, g.Y.Label.Text = p.X, p.Y
	for _, a := range []*plot.Axis{&g.X, &g.Y} {
		a.Label.TextStyle = style(10, text.XCenter, text.YBottom)
		a.Tick.Label.Font, a.Tick.Label.Handler = font.Font{Typeface: sans.Typeface, Variant: sans.Variant, Size: 9}, g.TextHandler
		a.Tick.Marker = plot.TickerFunc(ticks)
		a.LineStyle.Width, a.Tick.LineStyle.Width = 0.6, 0.6
		a.Padding = 2
	}
	g.Add(grid{})
	for i := range p.Layers {
		g.Add(&p.Layers[i])
	}
	if p.Names != nil {
		g.X.Tick.Marker = plot.ConstantTicks(nameTicks(p.Names))
		if !namesFit(p.Names, width) {
			g.X.Tick.Label.Rotation, g.X.Tick.Label.XAlign, g.X.Tick.Label.YAlign = math.Pi/3, text.XRight, text.YTop
		}
		g.X.Min, g.X.Max = -0.6, float64(len(p.Names))-0.4
		g.X.Tick.LineStyle.Width = 0
	} else if g.X.Min > 0 && g.X.Min < g.X.Max/2 {
		g.X.Min = 0
	}
	if g.Y.Min >= 0 && g.Y.Min < g.Y.Max/2 {
		g.Y.Min = 0
	}
	pad := (g.Y.Max - g.Y.Min) / 40
	g.Y.Max += pad
	if g.Y.Min != 0 {
		g.Y.Min -= pad
	}
	return g
}

// style is that of a text in this size.
func style(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	f := sans
	f.Size = size
	return text.Style{Color: color.Black, Font: f, XAlign: x, YAlign: y, Handler: text.Plain{Fonts: faces()}}
}

// namesFit reports whether names have room side by side under an axis.
func namesFit(names []string, width vg.Length) bool {
	s := style(9, text.XCenter, text.YTop)
	slot := (width - axisWidth) / vg.Length(len(names))
	for _, n := range names {
		if s.Width(n) > slot-4 {
			return false
		}
	}
	return true
}

// axisWidth is about what the vertical axis takes.
const axisWidth = 40 * vg.Length(1)

func nameTicks(names []string) (out []plot.Tick) {
	for i, n := range names {
		out = append(out, plot.Tick{Value: float64(i), Label: n})
	}
	return out
}

// ticks places about six ticks at steps of 1, 2 or 5 times a power of ten.
func ticks(low, high float64) (out []plot.Tick) {
	span := high - low
	if !(span > 0) || math.IsInf(span, 0) {
		return []plot.Tick{{Value: low, Label: fmt.Sprintf("%.4g", low)}}
	}
	step := math.Pow(10, math.Floor(math.Log10(span/5)))
	for _, m := range []float64{5, 2} {
		if span/(step*m) >= 4 {
			step *= m
			break
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	first := math.Ceil(low/step - 1e-9)
	for i := 0.0; i < 20; i++ {
		v := (first + i) * step
		if v > high+step*1e-9 {
			break
		}
		out = append(out, plot.Tick{Value: v, Label: fmt.Sprintf("%.*f", decimals, v+0)})
	}
	return out
}

// grid is faint lines at the ticks of the vertical axis.
type grid struct{}

// Plot draws the lines (gonum's plot.Plotter).
func (grid) Plot(c draw.Canvas, g *plot.Plot) {
	_, y := g.Transforms(&c)
	for _, t := range g.Y.Tick.Marker.Ticks(g.Y.Min, g.Y.Max) {
		at := y(t.Value)
		c.StrokeLine2(draw.LineStyle{Color: grey, Width: 0.4}, c.Min.X, at, c.Max.X, at)
	}
}
