package plot

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/report"
)

// Moment is an event that a panel marks: an upright line with a letter.
type Moment struct {
	X      float64 // seconds
	Letter string
	Name   string
	Colour color.NRGBA // of the path
}

// event is how panels mark events of some kinds.
type event struct {
	letter, name string
	kinds        []report.EventKind
	metric       string // only panels of this metric mark it; empty for all
}

// marked names the events that panels mark. A subflow ends by a RST
// (D), or it is silent and another path takes over (H).
var marked = []event{
	{"J", "join", []report.EventKind{report.EventJoin, report.EventAttached}, ""},
	{"A", "ADD_ADDR", []report.EventKind{report.EventAddAddr}, ""},
	{"R", "REMOVE_ADDR", []report.EventKind{report.EventRemoveAddr}, ""},
	{"D", "subflow reset", []report.EventKind{report.EventReset}, ""},
	{"H", "handover", []report.EventKind{report.EventHandover}, ""},
	{"F", "fallback", []report.EventKind{report.EventFallback, report.EventInfiniteMapping}, ""},
	{"L", "RB2LOC", []report.EventKind{report.EventReceiveBufferBlock}, "awnd_delta"},
	{"E", "end of data", []report.EventKind{report.EventDataFin}, timeAccount},
	{"X", "subflow FIN", []report.EventKind{report.EventFin}, timeAccount},
}

// moments returns the events of the run's connection that panels of a metric mark, in the time that the figure
// shows.
func (m *maker) moments(r *Run, metric string) (out []Moment) {
	c := r.connection()
	paths := map[int]string{}
	for i := range c.Subflows {
		paths[c.Subflows[i].ID] = c.Subflows[i].Path
	}
	for i := range c.Events {
		e := &c.Events[i]
		if t := int64(e.TS * 1e9); t < r.From || r.To > 0 && t > r.To {
			continue
		}
		for _, k := range marked {
			if k.metric != "" && k.metric != metric || !slices.Contains(k.kinds, e.Kind) || k.letter == "D" && e.Subflow == nil {
				continue
			}
			if k.metric == timeAccount && (e.Direction == nil || *e.Direction != r.Direction) {
				continue // an end of the other direction
			}
			one := Moment{X: e.TS, Letter: k.letter, Name: k.name, Colour: neutral}
			if e.Subflow != nil && e.Kind != report.EventAddAddr && e.Kind != report.EventRemoveAddr {
				one.Colour = m.looks.path(paths[*e.Subflow]).colour
			}
			out = append(out, one)
		}
	}
	slices.SortStableFunc(out, func(a, b Moment) int { return cmp.Compare(a.X, b.X) })
	return out
}

// momentKeys returns the entries of the legend for the panel's events, in the order of time.
func (p *Panel) momentKeys() (out []Key) {
	for _, e := range p.Moments {
		out = campaign.Once(out, Key{Name: e.Name, Rank: ByEvent, Letter: e.Letter, Colour: neutral})
	}
	return out
}

// moments draws the events of a panel.
type moments struct {
	list  []Moment
	style text.Style
}

const (
	momentRows = 2 // rows of letters; if more events are close to each other, some have only a line
	firstRows  = 4 // rows for the first event of each letter, which the legend names
)

// letterGround is behind the letters of events, so that they are read on curves and on lines of other events. A curve is seen through it.
var letterGround = color.NRGBA{0xff, 0xff, 0xff, 0xa0}

// Plot draws lines and letters (gonum's plot.Plotter).
func (l *moments) Plot(c draw.Canvas, g *plot.Plot) {
	x, _ := g.Transforms(&c)
	s := l.style
	rows := placeLetters(l.list, func(e *Moment) (float64, bool) {
		at := x(e.X)
		return float64(at / s.Font.Size), at >= c.Min.X && at <= c.Max.X
	})
	size := s.Font.Size
	for _, e := range l.list {
		if at := x(e.X); at >= c.Min.X && at <= c.Max.X {
			c.StrokeLine2(draw.LineStyle{Color: e.Colour, Width: 0.5, Dashes: []vg.Length{2, 2}}, at, c.Min.Y, at, c.Max.Y)
		}
	}
	for i, e := range l.list {
		if rows[i] < 0 {
			continue
		}
		x, y, wide := x(e.X)+0.15*size, c.Max.Y-vg.Length(rows[i])*size, s.Width(e.Letter)
		if x+wide > c.Max.X { // no room at the right edge
			x -= 0.3*size + wide
		}
		s.Color = darker(e.Colour)
		c.FillPolygon(letterGround, rectangle(x-0.5, y-size, x+wide+0.5, y))
		c.FillText(s, vg.Point{X: x, Y: y}, e.Letter)
	}
}

// placeLetters returns the row of each event's letter, or -1 for no letter. at returns the place
// of an event in sizes of the font, and whether it is shown. The first event of each letter is
// placed before all others, so that the panel shows every letter that the legend has.
func placeLetters(list []Moment, at func(*Moment) (x float64, shown bool)) []int {
	const width = 1.1
	rows := slices.Repeat([]int{-1}, len(list))
	taken := map[int][]float64{} // places by row
	seen := map[string]bool{}
	for pass, most := range []int{firstRows, momentRows} {
		for i := range list {
			x, shown := at(&list[i])
			if !shown || rows[i] >= 0 || pass == 0 && seen[list[i].Letter] {
				continue
			}
			seen[list[i].Letter] = true
			for row := range most {
				if !slices.ContainsFunc(taken[row], func(o float64) bool { return max(o-x, x-o) < width }) {
					rows[i], taken[row] = row, append(taken[row], x)
					break
				}
			}
		}
	}
	return rows
}
