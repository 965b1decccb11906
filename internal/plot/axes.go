package plot

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// fitAxes gives the axes as many ticks and labels as fit, and the panels their places. It stores
// how much width and height are missing.
func (s *sheet) fitAxes(columns int) {
	in := s.panels
	wide := (in.Max.X-in.Min.X+spaceX)/vg.Length(columns) - spaceX
	high := (in.Max.Y-in.Min.Y+spaceY)/vg.Length(s.perPage) - spaceY
	for range 3 { // the ticks of one axis change the length of the other
		s.align()
		s.makeRoom()
		s.each(func(i, j int, p *Panel, g *plot.Plot) {
			size := s.places[i][j].axes.Size()
			s.adjust(i, j, size.X, size.Y, high)
		})
	}
	s.align()
	s.each(func(i, j int, p *Panel, g *plot.Plot) {
		size, em := s.places[i][j].axes.Size(), s.layout.em()
		least := max(p.leastAcross()*em, vg.Length(len(p.Names))*leastFont)
		lack := max(least-size.X, widest(g.X.Label.Text, g.X.Label.TextStyle)-wide)
		s.lackX = max(s.lackX, vg.Length(columns)*lack)
		label := widest(g.Y.Label.Text, g.Y.Label.TextStyle)
		s.lackY = max(s.lackY, vg.Length(len(p.Places))*leastFont-size.Y, leastUp*em-size.Y, label-high)
		if s.layout.Height == 0 { // a label that is longer than its axis moves the axis
			s.lackY = max(s.lackY, label-size.Y, p.leastRows()*em-size.Y)
		}
	})
}

// each calls do for each panel, with its row and column.
func (s *sheet) each(do func(row, column int, p *Panel, g *plot.Plot)) {
	for i, row := range s.plots {
		for j, g := range row {
			if g != nil {
				do(i, j, &s.figure.Panels[s.cells[i][j]], g)
			}
		}
	}
}

// at returns the panel in a row and a column, or nil.
func (s *sheet) at(row, column int) *Panel {
	if row < 0 || row >= len(s.cells) || column < 0 || column >= len(s.cells[row]) || s.cells[row][column] == noPanel {
		return nil
	}
	return &s.figure.Panels[s.cells[row][column]]
}

// sharesX reports whether the panel below on the same page has the same horizontal axis, which
// then has the labels for both.
func (s *sheet) sharesX(row, column int) bool {
	p, under := s.at(row, column), s.at(row+1, column)
	return under != nil && (row+1)%s.perPage != 0 && under.X == p.X && slices.Equal(under.Names, p.Names) && (under.Names == nil) == (p.Names == nil)
}

// sharesY reports whether the panel to the left has the same vertical axis, which then has the
// labels for both.
func (s *sheet) sharesY(row, column int) bool {
	p, left := s.at(row, column), s.at(row, column-1)
	return left != nil && left.Y == p.Y && left.Rows == nil && p.Rows == nil && slices.Equal(left.Places, p.Places)
}

// sharesHead reports whether the panel above on the same page stands in the same named column.
func (s *sheet) sharesHead(row, column int) bool {
	p, above := s.at(row, column), s.at(row-1, column)
	return above != nil && row%s.perPage != 0 && p.Row != "" && above.Row != "" && above.Column == p.Column && above.Head == p.Head
}

// adjust fits ticks and labels to the space of a panel. across and up are the width and height
// between the axes, high the height of the whole panel. What a neighbour has for both is left out.
func (s *sheet) adjust(row, column int, across, up, high vg.Length) {
	p, g, o := s.at(row, column), s.plots[row][column], s.layout
	switch {
	case s.sharesX(row, column) && p.Names != nil:
		g.X.Label.Text, g.X.Tick.Marker = "", plot.ConstantTicks(nil)
	case s.sharesX(row, column):
		g.X.Label.Text, g.X.Tick.Marker = "", unlabelled(o.X.ticker(across, g.X.Tick.Label, false))
	case p.Names == nil:
		g.X.Label.Text, g.X.Tick.Marker = fitted(p.X, g.X.Label.TextStyle, across), o.X.ticker(across, g.X.Tick.Label, false)
	case slices.ContainsFunc(p.Names, func(name string) bool { return g.X.Tick.Label.Width(name) > across/vg.Length(len(p.Names))-4 }):
		g.X.Tick.Length, g.X.Tick.Label.Font.Size = 0.6*o.em(), nameFont(o.em(), across, len(p.Names))
		g.X.Tick.Label.Rotation, g.X.Tick.Label.XAlign, g.X.Tick.Label.YAlign = math.Pi/2, text.XRight, text.YCenter
	}
	g.Y.Label.Text = fitted(p.Y, g.Y.Label.TextStyle, min(high, up))
	if p.Strip != "" && s.at(row, column-1) == nil {
		g.Y.Label.Text = fitted(p.Strip, g.Y.Label.TextStyle, min(high, up)) + "\n" + g.Y.Label.Text
	}
	switch {
	case p.Places != nil:
		g.Y.Tick.Label.Font.Size = nameFont(o.em(), up, len(p.Places))
	case p.Rows == nil: // else the rows have their ticks
		g.Y.Tick.Marker = o.Y.ticker(up, g.Y.Tick.Label, true)
	}
	switch {
	case !s.sharesY(row, column):
	case p.Places != nil:
		g.Y.Label.Text, g.Y.Tick.Marker = "", plot.ConstantTicks(nil)
	default:
		g.Y.Label.Text, g.Y.Tick.Marker = "", unlabelled(o.Y.ticker(up, g.Y.Tick.Label, true))
	}
	if !s.sharesHead(row, column) {
		s.heads[row][column] = broken(p.Head, s.headStyle(), across+margin) // it stands above the middle of the axes
	}
}

// unlabelled returns the same ticks without labels.
func unlabelled(of plot.TickerFunc) plot.TickerFunc {
	return func(low, high float64) []plot.Tick {
		out := of(low, high)
		for i := range out {
			out[i].Label = ""
		}
		return out
	}
}

// shareAxes gives panels the same range of an axis if the axes have the same label. So equal
// times are one above the other, and equal values side by side.
func (s *sheet) shareAxes() {
	s.share(func(p *Panel, g *plot.Plot) (string, *plot.Axis) { return p.X, &g.X })
	s.share(func(p *Panel, g *plot.Plot) (string, *plot.Axis) {
		if p.Rows != nil || p.Places != nil { // each row has a scale of its own
			return "", &g.Y
		}
		return p.Y, &g.Y
	})
}

func (s *sheet) share(axis func(*Panel, *plot.Plot) (string, *plot.Axis)) {
	type span struct{ low, high float64 }
	spans := map[string]span{}
	s.each(func(_, _ int, p *Panel, g *plot.Plot) {
		label, a := axis(p, g)
		at, ok := spans[label]
		if !ok {
			at = span{math.Inf(1), math.Inf(-1)}
		}
		spans[label] = span{min(at.low, a.Min), max(at.high, a.Max)}
	})
	s.each(func(_, _ int, p *Panel, g *plot.Plot) {
		label, a := axis(p, g)
		if label != "" {
			a.Min, a.Max = spans[label].low, spans[label].high
		}
	})
}
