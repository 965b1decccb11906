package plot

import (
	"cmp"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sheet is a figure after its parts have got their places.
type sheet struct {
	figure        *Figure
	layout        *Layout
	width, height vg.Length
	row           vg.Length      // height of a row of panels
	title         string         // in lines
	caption       string         // below the legend, in lines
	panels        vg.Rectangle   // of a page
	plots         [][]*plot.Plot // in rows; nil for places without a panel
	cells         [][]int        // the panels by number; noPanel for none
	places        [][]place      // of the panels, each on its page
	heads         [][]string     // of the panels, in lines
	legend        *legend
	lackX, lackY  vg.Length // how much the figure's width and each panel's height are too small

	perPage int // rows of panels on a page
	page    int // number of the page that is drawn, from 0
}

// pages returns how many pages the figure has.
func (s *sheet) pages() int { return (len(s.plots) + s.perPage - 1) / s.perPage }

const (
	margin = 4 * vg.Length(1)
	spaceX = 12 * vg.Length(1) // between panels
	spaceY = 8 * vg.Length(1)
)

// arrange gives the parts of a figure their places.
func (f *Figure) arrange(o *Layout) *sheet {
	columns := f.columns(o)
	s := &sheet{figure: f, layout: o, width: vg.Length(o.Width) * vg.Centimeter, cells: f.cells(columns)}
	rows := len(s.cells)
	inside := s.width - 2*margin
	row := vg.Length(f.height(o, columns, rows)*max(1, f.Tall)) * vg.Centimeter
	s.row = row
	high := row * vg.Length(rows)

	words := f.Title
	if all := f.Title + "; " + f.Caption; f.Caption != "" && o.titles(all, 0).Width(all) <= inside {
		words = all
	} else {
		s.caption = broken(upperFirst(f.Caption), o.style(0, text.XLeft, text.YTop), inside)
	}
	titles := o.titles(words, inside)
	s.title = broken(words, titles, inside)
	above := margin
	if s.title != "" {
		above += vg.Length(strings.Count(s.title, "\n")+1)*1.2*titles.Font.Size + 0.4*o.em()
	}
	right, under := s.width-margin, margin+s.captionHeight()
	switch keys := f.keys(); {
	case len(keys) == 0 || o.Legend == NoLegend:
		s.legend = &legend{layout: o}
	case o.Legend == LegendRight:
		s.legend = within(min(high, max(row, o.page()-above-under)), keys, s.width, o)
		right -= s.legend.width + o.em()
	default:
		s.legend = within(max(maxRows*o.row(), min(high, cmp.Or(o.page(), high))/5), keys, inside, o)
		under += s.legend.height + 0.4*o.em()
	}
	if s.perPage = rows; o.paged { // as many rows as have room
		s.perPage = min(rows, max(1, int((pageHeight*vg.Centimeter-above-under)/row)))
	}
	s.height = above + row*vg.Length(s.perPage) + under
	s.panels = vg.Rectangle{Min: vg.Point{X: margin, Y: under}, Max: vg.Point{X: right, Y: under + row*vg.Length(s.perPage)}}

	for i, row := range s.cells {
		plots := make([]*plot.Plot, len(row))
		for j := range row {
			if p := s.at(i, j); p != nil {
				plots[j] = p.plot(o)
				plots[j].Add(surroundings{s, i, j})
			}
		}
		s.plots, s.heads = append(s.plots, plots), append(s.heads, make([]string, len(row)))
	}
	s.shareAxes()
	s.fitAxes(columns)
	return s
}

// align gives the panels of each page their places.
func (s *sheet) align() {
	s.places = s.places[:0]
	for rows := range slices.Chunk(s.plots, s.perPage) {
		in := s.panels
		in.Min.Y = in.Max.Y - s.row*vg.Length(len(rows))
		s.places = append(s.places, align(rows, in)...)
	}
}

// surroundings are what stands around the axes of a panel (gonum's plot.Plotter): its head and its second axis.
type surroundings struct {
	*sheet
	row, column int
}

// GlyphBoxes returns the room that they need (gonum's plot.GlyphBoxer).
func (s surroundings) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	side, head := vg.Point{X: s.sideWidth(s.row, s.column)}, vg.Point{Y: s.headHeight(s.row, s.column)}
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: side}}, {Y: 1, Rectangle: vg.Rectangle{Max: head}}}
}

// Plot draws them around the axes, which have the edges of the canvas.
func (s surroundings) Plot(c draw.Canvas, _ *plot.Plot) {
	s.drawSide(c, s.row, s.column)
	c.FillText(s.headStyle(), vg.Point{X: c.Center().X, Y: c.Max.Y + 0.3*s.layout.em()}, s.heads[s.row][s.column])
}

// headStyle is the style of the texts above panels.
func (s *sheet) headStyle() text.Style { return s.layout.style(1, text.XCenter, text.YBottom) }

// headHeight returns the height of the head of a panel, with the space below it. The labels at the upper ends of its axes have
// room, too.
func (s *sheet) headHeight(row, column int) vg.Length {
	high := 0.6 * s.layout.em()
	if h := s.heads[row][column]; h != "" {
		high = s.headStyle().Height(h) + 0.4*s.layout.em()
	}
	return high
}

// draw draws all parts of a page.
func (s *sheet) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	titles := s.layout.titles(s.title, s.width-2*margin)
	for i, line := range strings.Split(s.title, "\n") {
		c.FillText(titles, vg.Point{X: c.Center().X, Y: c.Max.Y - margin - vg.Length(i)*1.2*titles.Font.Size}, line)
	}
	left := s.panels.Max.X
	from, to := s.page*s.perPage, (s.page+1)*s.perPage
	for i, row := range s.places {
		if i < from || i >= to {
			continue
		}
		for j, at := range row {
			if g := s.plots[i][j]; g != nil {
				left = min(left, at.axes.Min.X)
				g.Draw(draw.Canvas{Canvas: c.Canvas, Rectangle: at.whole})
			}
		}
	}
	switch s.layout.Legend {
	case NoLegend:
	case LegendRight:
		s.legend.draw(&c, vg.Point{X: s.panels.Max.X + s.layout.em(), Y: s.panels.Max.Y})
	default:
		left = max(margin, min(left, s.width-margin-s.legend.width)) // it begins where the panels begin, if it has room there
		s.legend.draw(&c, vg.Point{X: left, Y: margin + s.captionHeight() + s.legend.height})
	}
	c.FillText(s.layout.style(0, text.XLeft, text.YBottom), vg.Point{X: margin, Y: margin}, s.caption)
}

// captionHeight returns the height of the caption with the space above it.
func (s *sheet) captionHeight() vg.Length {
	if s.caption == "" {
		return 0
	}
	return s.layout.style(0, text.XLeft, text.YTop).Height(s.caption) + 0.4*s.layout.em()
}
