package plot

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdfCanvas draws on the pages of a PDF, in points. The canvas of gonum has neither round joins of lines nor texts beyond
// Windows-1252: a mitred join leaves the data where a line turns sharply.
type pdfCanvas struct {
	doc        *fpdf.Fpdf
	wide, high vg.Length
	fonts      map[string]bool
}

// reproduciblePDF makes PDF files of equal figures equal: they have no time of day, and their
// parts have a fixed order. The library has these settings only for all documents together.
var reproduciblePDF = sync.OnceFunc(func() {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
})

// newPDF returns a canvas with a first page.
func newPDF(wide, high vg.Length) *pdfCanvas {
	reproduciblePDF()
	size := fpdf.SizeType{Wd: wide.Points(), Ht: high.Points()}
	c := &pdfCanvas{doc: fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: size}), wide: wide, high: high, fonts: map[string]bool{}}
	c.doc.SetMargins(0, 0, 0)
	c.doc.SetAutoPageBreak(false, 0)
	c.doc.SetLineJoinStyle("round")
	c.page()
	vg.Initialize(c)
	return c
}

// page begins a page. The origin of figures is at the bottom, that of the library at the top.
func (c *pdfCanvas) page() {
	if c.doc.PageNo() > 0 {
		c.Pop()
	}
	c.doc.AddPage()
	c.Push()
	c.Translate(vg.Point{Y: c.high})
	c.Scale(1, -1)
}

func (c *pdfCanvas) Size() (wide, high vg.Length) { return c.wide, c.high }

func (c *pdfCanvas) SetLineWidth(w vg.Length) { c.doc.SetLineWidth(w.Points()) }

func (c *pdfCanvas) SetLineDash(dashes []vg.Length, offset vg.Length) {
	lengths := make([]float64, len(dashes))
	for i, d := range dashes {
		lengths[i] = d.Points()
	}
	c.doc.SetDashPattern(lengths, offset.Points())
}

func (c *pdfCanvas) SetColor(of color.Color) {
	if of == nil {
		of = color.Black
	}
	x := color.NRGBAModel.Convert(of).(color.NRGBA)
	c.doc.SetFillColor(int(x.R), int(x.G), int(x.B))
	c.doc.SetDrawColor(int(x.R), int(x.G), int(x.B))
	c.doc.SetTextColor(int(x.R), int(x.G), int(x.B))
	c.doc.SetAlpha(float64(x.A)/math.MaxUint8, "Normal")
}

func (c *pdfCanvas) Rotate(radians float64) { c.doc.TransformRotate(-radians*180/math.Pi, 0, 0) }

func (c *pdfCanvas) Translate(by vg.Point) {
	c.doc.TransformTranslate(by.X.Points(), by.Y.Points())
}

func (c *pdfCanvas) Scale(x, y float64) { c.doc.TransformScale(100*x, 100*y, 0, 0) }

func (c *pdfCanvas) Push() { c.doc.TransformBegin() }

func (c *pdfCanvas) Pop() { c.doc.TransformEnd() }

func (c *pdfCanvas) Stroke(p vg.Path) { c.path(p, "D") }

func (c *pdfCanvas) Fill(p vg.Path) { c.path(p, "F") }

// path draws a path of lines and arcs, of which figures consist.
func (c *pdfCanvas) path(p vg.Path, style string) {
	for _, x := range p {
		at := x.Pos
		switch x.Type {
		case vg.MoveComp:
			c.doc.MoveTo(at.X.Points(), at.Y.Points())
		case vg.LineComp:
			c.doc.LineTo(at.X.Points(), at.Y.Points())
		case vg.ArcComp:
			r := x.Radius.Points() // turned over, because the library takes angles as on a page whose origin is at the bottom
			c.doc.ArcTo(at.X.Points(), at.Y.Points(), r, -r, 0, x.Start*180/math.Pi, (x.Start+x.Angle)*180/math.Pi)
		case vg.CloseComp:
			c.doc.ClosePath()
		}
	}
	c.doc.DrawPath(style)
}

func (c *pdfCanvas) FillString(face font.Face, at vg.Point, text string) {
	name := face.Name()
	if !c.fonts[name] {
		var ttf bytes.Buffer
		if _, err := face.Face.WriteSourceTo(nil, &ttf); err != nil {
			c.doc.SetError(fmt.Errorf("the font of the figure: %w", err))
			return
		}
		c.doc.AddUTF8FontFromBytes(name, "", ttf.Bytes())
		c.fonts[name] = true
	}
	c.doc.SetFont(name, "", face.Font.Size.Points())
	c.Push()
	c.Translate(at)
	c.Scale(1, -1)
	c.doc.Text(0, 0, text)
	c.Pop()
}

// DrawImage fails: a figure has no images.
func (c *pdfCanvas) DrawImage(vg.Rectangle, image.Image) { c.doc.SetErrorf("a figure with an image") }

// WriteTo ends the document and writes it.
func (c *pdfCanvas) WriteTo(w io.Writer) (int64, error) {
	c.Pop()
	var out bytes.Buffer
	if err := c.doc.Output(&out); err != nil {
		return 0, err
	}
	return out.WriteTo(w)
}
