package plot

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg/draw"
)

const axisWidth = 0.6 // of the line, in points

// plot returns the axes and layers of a panel.
func (p *Panel) plot(o *Layout) *plot.Plot {
	g := p.unscaled(o)
	p.rescale(g, o)
	return g
}

// unscaled returns them with linear axes that fit the data.
func (p *Panel) unscaled(o *Layout) *plot.Plot {
	g := plot.New()
	g.TextHandler = text.Plain{Fonts: faces()}
	g.X.Label.Text, g.Y.Label.Text = p.X, p.Y
	for _, a := range []*plot.Axis{&g.X, &g.Y} {
		a.Label.TextStyle = o.style(1, text.XCenter, text.YBottom)
		a.Tick.Label.Font, a.Tick.Label.Handler = font.From(sans, o.em()), g.TextHandler
		a.Tick.Length = 0.5 * o.em()
		a.LineStyle.Width, a.Tick.LineStyle.Width = axisWidth, axisWidth
		a.Padding = 2
	}
	if p.Places == nil {
		g.Add(grid{})
	}
	for i := range p.Layers {
		if p.Layers[i].Right {
			g.Add(onSide{&p.Layers[i], p.Right})
			continue
		}
		l := &p.Layers[i]
		g.Add(l)
		if l.Labels != nil {
			g.Add(&labels{l, o.style(0, text.XCenter, text.YBottom)})
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
		g.X.Tick.LineStyle.Color, g.X.Tick.Length = color.White, 0.25*o.em() // a space between the axis and the names
	} else if p.From > 0 {
		g.X.Min = min(g.X.Min, p.From)
	} else if !p.Fit {
		g.X.Min = axisBegins(g.X.Min, g.X.Max)
	}
	switch {
	case p.Rows != nil:
		p.rowAxis(&g.Y)
		return g
	case p.Places != nil:
		g.Y.Tick.Marker = plot.ConstantTicks(nameTicks(p.Places))
		g.Y.Min, g.Y.Max = -0.6, float64(len(p.Places))-0.4
		g.Y.Tick.LineStyle.Width = 0
		return g
	}
	if p.Fit {
		if g.X.Min > 0 && g.X.Min < (g.X.Max-g.X.Min)/100 {
			g.X.Min = 0
		}
		g.Y.Max += (g.Y.Max - g.Y.Min) / 40
		return g
	}
	if g.Y.Min >= 0 && g.Y.Min < g.Y.Max/4 { // values from 40 to 90 need no 0
		g.Y.Min = 0
	}
	pad := (g.Y.Max - g.Y.Min) / 40
	g.Y.Max += pad
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
		if t.Label == "" && g.Y.Scale == (logScale{}) {
			continue
		}
		at := y(t.Value)
		c.StrokeLine2(draw.LineStyle{Color: grey, Width: 0.4}, c.Min.X, at, c.Max.X, at)
	}
}
