package plot

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sheet is a figure after its parts have got their places.
type sheet struct {
	figure        *Figure
	layout        *Layout
	width, height vg.Length
	title         string // in lines
	panels        vg.Rectangle
	plots         [][]*plot.Plot // in rows; nil for missing panels in the last row
	legend        *legend
	lackX, lackY  vg.Length // how much the figure's width and each panel's height are too small

	perPage int // rows of panels on a page
	page    int // number of the page that is drawn, from 0
}

// pages returns how many pages the figure has.
func (s *sheet) pages() int { return (len(s.plots) + s.perPage - 1) / s.perPage }

// rowsPerPage returns the number of rows of panels on a page. page is the height of a page,
// around the height of everything that is not a panel, row the height of a row. It uses as few
// pages as possible and gives them about equally many rows. Panels that belong together stay on
// one page if they fit there.
func (f *Figure) rowsPerPage(rows, columns int, around, row, page vg.Length) int {
	if page <= 0 || around+row*vg.Length(rows) <= page {
		return rows
	}
	most := max(1, int((page-around)/row))
	together := (max(1, f.Group) + columns - 1) / columns
	if max(1, f.Group)%columns != 0 || together > most {
		together = 1
	}
	most -= most % together
	groups := (rows + together - 1) / together
	pages := (rows + most - 1) / most
	return (groups + pages - 1) / pages * together
}

const (
	margin = 4 * vg.Length(1)
	spaceX = 12 * vg.Length(1) // between panels
	spaceY = 8 * vg.Length(1)
)

// arrange gives the parts of a figure their places.
func (f *Figure) arrange(o *Layout) *sheet {
	columns := f.columns(o)
	rows := (len(f.Panels) + columns - 1) / columns
	s := &sheet{figure: f, layout: o, width: vg.Length(o.Width) * vg.Centimeter}
	inside := s.width - 2*margin
	row := vg.Length(o.Height*max(1, f.Tall)) * vg.Centimeter
	high := row * vg.Length(rows)

	titles := o.style(2, text.XCenter, text.YTop)
	s.title = wrap(f.Title, titles, inside)
	above := margin
	if s.title != "" {
		above += vg.Length(strings.Count(s.title, "\n")+1)*1.2*titles.Font.Size + 0.4*o.em()
	}
	right, under := s.width-margin, margin
	switch keys := f.keys(); {
	case len(keys) == 0 || o.Legend == NoLegend:
		s.legend = &legend{layout: o}
	case o.Legend == LegendRight:
		s.legend = beside(keys, s.width, min(high, max(row, o.page()-above-under)), o)
		right -= s.legend.width + o.em()
	default:
		s.legend = below(keys, inside, o)
		under += s.legend.height + 0.4*o.em()
	}
	s.perPage = f.rowsPerPage(rows, columns, above+under, row, o.page())
	s.height = above + row*vg.Length(s.perPage) + under
	s.panels = vg.Rectangle{Min: vg.Point{X: margin, Y: under}, Max: vg.Point{X: right, Y: under + high}}

	s.plots = make([][]*plot.Plot, rows)
	for i := range f.Panels {
		s.plots[i/columns] = append(s.plots[i/columns], f.Panels[i].plot(o))
	}
	for len(s.plots[rows-1]) < columns {
		s.plots[rows-1] = append(s.plots[rows-1], nil)
	}
	s.shareAxes()
	s.fitAxes(columns)
	return s
}

func (s *sheet) tiles() draw.Tiles {
	return draw.Tiles{Rows: len(s.plots), Cols: len(s.plots[0]), PadX: spaceX, PadY: spaceY}
}

// fitAxes gives the axes as many ticks and labels as fit. It stores how much width and height
// are missing.
func (s *sheet) fitAxes(columns int) {
	c := draw.Canvas{Rectangle: s.panels}
	cell := s.tiles().At(c, 0, 0)
	wide, high := cell.Max.X-cell.Min.X, cell.Max.Y-cell.Min.Y
	for range 2 { // the ticks of one axis change the length of the other
		for i, row := range plot.Align(s.plots, s.tiles(), c) {
			for j, tile := range row {
				if g := s.plots[i][j]; g != nil {
					in := g.DataCanvas(tile)
					s.panel(i, j).adjust(g, in.Max.X-in.Min.X, in.Max.Y-in.Min.Y, wide, high, s.layout)
				}
			}
		}
	}
	for i, row := range plot.Align(s.plots, s.tiles(), c) {
		for j, tile := range row {
			g := s.plots[i][j]
			if g == nil {
				continue
			}
			in, em := g.DataCanvas(tile), s.layout.em()
			least := max(leastAcross*em, vg.Length(len(s.panel(i, j).Names))*nameAcross*em)
			lack := max(least-(in.Max.X-in.Min.X), widest(g.X.Label.Text, g.X.Label.TextStyle)-wide)
			s.lackX = max(s.lackX, vg.Length(columns)*lack)
			s.lackY = max(s.lackY, leastUp*em-(in.Max.Y-in.Min.Y), widest(g.Y.Label.Text, g.Y.Label.TextStyle)-high)
		}
	}
}

// panel returns the panel in this row and column.
func (s *sheet) panel(row, column int) *Panel {
	return &s.figure.Panels[row*len(s.plots[0])+column]
}

// adjust fits ticks and labels to the space of a panel. across and up are the width and height
// between the axes, wide and high those of the whole cell.
func (p *Panel) adjust(g *plot.Plot, across, up, wide, high vg.Length, o *Layout) {
	if p.Names == nil {
		g.X.Tick.Marker = ticker(across, g.X.Tick.Label, false)
	} else if !namesFit(p.Names, across, g.X.Tick.Label) {
		g.X.Tick.Label.Rotation, g.X.Tick.Label.XAlign, g.X.Tick.Label.YAlign = math.Pi/3, text.XRight, text.YTop
	}
	if p.Rows == nil {
		g.Y.Tick.Marker = ticker(up, g.Y.Tick.Label, true)
	}
	if g.X.Label.Text != "" {
		g.X.Label.Text = halves(p.X, g.X.Label.TextStyle, across)
	}
	g.Y.Label.Text = halves(p.Y, g.Y.Label.TextStyle, min(high, up+3*o.em()))
	if g.Title.Text = cut(p.Head, g.Title.TextStyle, wide); p.Rows != nil {
		g.Title.Text = wrap(p.Head, g.Title.TextStyle, wide)
	}
}

// top is the upper edge of the panels on a page.
func (s *sheet) top() vg.Length {
	return s.panels.Min.Y + vg.Length(s.perPage)*(s.panels.Max.Y-s.panels.Min.Y)/vg.Length(len(s.plots))
}

// draw draws all parts of a page.
func (s *sheet) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	titles := s.layout.style(2, text.XCenter, text.YTop)
	for i, line := range strings.Split(s.title, "\n") {
		c.FillText(titles, vg.Point{X: c.Center().X, Y: c.Max.Y - margin - vg.Length(i)*1.2*titles.Font.Size}, line)
	}
	at := draw.Canvas{Canvas: c.Canvas, Rectangle: s.panels}
	left := s.panels.Max.X
	from, to := s.page*s.perPage, (s.page+1)*s.perPage
	for i, row := range plot.Align(s.plots, s.tiles(), at) {
		if i < from || i >= to {
			continue
		}
		// The places of rows are as if all rows were on one page. down moves the rows of this page.
		down := s.panels.Max.Y - vg.Length(from)*(s.panels.Max.Y-s.panels.Min.Y)/vg.Length(len(s.plots)) - s.top()
		for j, tile := range row {
			if g := s.plots[i][j]; g != nil {
				tile.Min.Y, tile.Max.Y = tile.Min.Y-down, tile.Max.Y-down
				left = min(left, g.DataCanvas(tile).Min.X)
				g.Draw(tile)
			}
		}
	}
	switch s.layout.Legend {
	case NoLegend:
	case LegendRight:
		s.legend.draw(&c, vg.Point{X: s.panels.Max.X + s.layout.em(), Y: s.top()})
	default:
		s.legend.draw(&c, vg.Point{X: margin + s.legend.shift(left-margin), Y: margin + s.legend.height})
	}
}

// shareAxes gives all panels the same horizontal range, if they have the same horizontal axis.
// So equal times are one above the other. The axis then has one label in each column. Panels
// that show a part of the runs get the same vertical range, too.
func (s *sheet) shareAxes() {
	f, columns := s.figure, len(s.plots[0])
	for i := range f.Panels {
		if f.Panels[i].X != f.Panels[0].X {
			return
		}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range f.Panels {
		x := &s.plots[i/columns][i%columns].X
		low, high = min(low, x.Min), max(high, x.Max)
	}
	for i := range f.Panels {
		x := &s.plots[i/columns][i%columns].X
		x.Min, x.Max = low, high
		if i+columns < len(f.Panels) && (i/columns+1)%s.perPage != 0 {
			x.Label.Text = ""
		}
	}
	s.sameHeight()
}

// sameHeight gives panels that show a part of the runs the same vertical range if their vertical
// axes have the same label.
func (s *sheet) sameHeight() {
	type span struct{ low, high float64 }
	spans := map[string]span{}
	each := func(do func(p *Panel, y *plot.Axis)) {
		for i := range s.figure.Panels {
			if p := &s.figure.Panels[i]; p.Group {
				do(p, &s.plots[i/len(s.plots[0])][i%len(s.plots[0])].Y)
			}
		}
	}
	each(func(p *Panel, y *plot.Axis) {
		at, ok := spans[p.Y]
		if !ok {
			at = span{math.Inf(1), math.Inf(-1)}
		}
		spans[p.Y] = span{min(at.low, y.Min), max(at.high, y.Max)}
	})
	each(func(p *Panel, y *plot.Axis) { y.Min, y.Max = spans[p.Y].low, spans[p.Y].high })
}

// plot returns the axes and layers of a panel.
func (p *Panel) plot(o *Layout) *plot.Plot {
	g := plot.New()
	g.TextHandler = text.Plain{Fonts: faces()}
	g.X.Label.Text, g.Y.Label.Text, g.Title.Text = p.X, p.Y, p.Head
	g.Title.TextStyle, g.Title.Padding = o.style(1, text.XCenter, text.YTop), 0.2*o.em()
	for _, a := range []*plot.Axis{&g.X, &g.Y} {
		a.Label.TextStyle = o.style(1, text.XCenter, text.YBottom)
		a.Tick.Label.Font, a.Tick.Label.Handler = font.From(sans, o.em()), g.TextHandler
		a.Tick.Length = 0.5 * o.em()
		a.LineStyle.Width, a.Tick.LineStyle.Width = 0.6, 0.6
		a.Padding = 2
	}
	g.Add(grid{})
	room := false
	for i := range p.Layers {
		g.Add(&p.Layers[i])
		if l := &p.Layers[i]; l.Inside != nil {
			g.Add(&inside{l, o.style(0, text.XCenter, text.YCenter)})
		}
		if l := &p.Layers[i]; l.Labels != nil {
			g.Add(&labels{l, o.style(0, text.XCenter, text.YBottom)})
			room = true
		}
	}
	if len(p.Moments) > 0 {
		g.Add(&moments{p.Moments, o.style(0, text.XLeft, text.YTop)})
	}
	if p.Rows != nil {
		g.Add(&rows{p.Rows, o.style(0, text.XLeft, text.YCenter)})
	}
	if p.Names != nil {
		g.X.Tick.Marker = plot.ConstantTicks(nameTicks(p.Names))
		g.X.Min, g.X.Max = -0.6, float64(len(p.Names))-0.4
		g.X.Tick.LineStyle.Width = 0
	} else {
		g.X.Min = axisBegins(g.X.Min, g.X.Max)
	}
	if p.Rows != nil {
		p.rowAxis(&g.Y)
		return g
	}
	if g.Y.Min >= 0 && g.Y.Min < g.Y.Max/2 {
		g.Y.Min = 0
	}
	pad := (g.Y.Max - g.Y.Min) / 40
	g.Y.Max += pad
	if room {
		g.Y.Max += 6 * pad
	}
	if len(p.Moments) > 0 { // room for the letters above the data
		g.Y.Max += 3 * pad
	}
	if g.Y.Min != 0 {
		g.Y.Min -= pad
	}
	return g
}

// axisBegins returns where an axis of these values begins: at 0, if that is near.
func axisBegins(low, high float64) float64 {
	if low > 0 && low < high/2 {
		return 0
	}
	return low
}

// namesFit reports whether names fit side by side under an axis of this length.
func namesFit(names []string, across vg.Length, s text.Style) bool {
	slot := across / vg.Length(len(names))
	for _, n := range names {
		if s.Width(n) > slot-4 {
			return false
		}
	}
	return true
}

func nameTicks(names []string) (out []plot.Tick) {
	for i, n := range names {
		out = append(out, plot.Tick{Value: float64(i), Label: n})
	}
	return out
}

// grid draws faint lines at the ticks of the vertical axis.
type grid struct{}

// Plot draws the lines (gonum's plot.Plotter).
func (grid) Plot(c draw.Canvas, g *plot.Plot) {
	_, y := g.Transforms(&c)
	for _, t := range g.Y.Tick.Marker.Ticks(g.Y.Min, g.Y.Max) {
		at := y(t.Value)
		c.StrokeLine2(draw.LineStyle{Color: grey, Width: 0.4}, c.Min.X, at, c.Max.X, at)
	}
}
