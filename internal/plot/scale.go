package plot

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Scale says how the axes of numbers of one direction are drawn.
type Scale struct {
	Log       bool
	Low, High *float64 // where they begin and end, in their units; nil for what the data needs
}

// has reports whether a value has a place on the axes.
func (s *Scale) has(v float64) bool {
	return (!s.Log || v > 0) && (s.Low == nil || v >= *s.Low) && (s.High == nil || v <= *s.High)
}

// SetLimits reads the limits of axes as on the command line: LOW,HIGH, where one of them may be empty.
func (s *Scale) SetLimits(text string) error {
	from, to, ok := strings.Cut(text, ",")
	for i, number := range []string{from, to} {
		if number = strings.TrimSpace(number); number == "" {
			continue
		}
		v, bad := strconv.ParseFloat(number, 64)
		if ok = ok && bad == nil && !math.IsNaN(v) && !math.IsInf(v, 0); ok {
			*[]**float64{&s.Low, &s.High}[i] = &v
		}
	}
	if !ok || s.Low == nil && s.High == nil || s.Low != nil && s.High != nil && *s.Low >= *s.High {
		return errors.New("want LOW,HIGH in the unit of the axis, LOW below HIGH; one of them may be empty, as in 0,50 or ,50")
	}
	return nil
}

// numericX and numericY report whether an axis of the panel has numbers that a scale can change.
func (p *Panel) numericX() bool { return p.Names == nil }
func (p *Panel) numericY() bool { return p.Rows == nil && p.Places == nil }

// rescale gives the axes of a panel the scales of the layout. Values that are not above 0 have no place on a logarithmic axis.
func (p *Panel) rescale(g *plot.Plot, o *Layout) {
	if p.numericX() {
		o.X.set(&g.X, p.above0(func(c Coord) (float64, float64) { return c.X, c.X }))
	}
	if p.numericY() {
		least := p.above0(func(c Coord) (float64, float64) { return c.Lo, c.Hi })
		if p.Names != nil { // the lowest bar has a height
			least = math.Pow(10, math.Ceil(math.Log10(least))-1)
		}
		o.Y.set(&g.Y, least)
	}
}

// above0 returns the lowest value above 0 of the layers, +Inf if there is none.
func (p *Panel) above0(of func(Coord) (float64, float64)) float64 {
	least := math.Inf(1)
	for i := range p.Layers {
		for _, c := range p.Layers[i].XY {
			low, high := of(c)
			for _, v := range []float64{low, high} {
				if v > 0 && !p.Layers[i].Right {
					least = min(least, v)
				}
			}
		}
	}
	return least
}

// set sets the scale and the ends of an axis; least is the lowest of its values above 0.
func (s *Scale) set(a *plot.Axis, least float64) {
	if s.Log {
		a.Scale = logScale{}
		if a.Min = least; math.IsInf(least, 1) {
			a.Min = 1
		}
	}
	if room := math.Abs(a.Min) / 20; s.Low == nil && s.High == nil && a.Min == a.Max { // a single value stands in the middle
		a.Min, a.Max = a.Min-room, a.Max+room
	}
	if s.Low != nil && (!s.Log || *s.Low > 0) {
		a.Min = *s.Low
	}
	if s.High != nil {
		a.Max = *s.High
	}
	if a.Max <= a.Min { // a limit beyond the data
		a.Max = a.Min + 1
	}
}

// logScale is a logarithmic scale (gonum's plot.Normalizer). What is not above 0 lies outside, below its lower end, as in matplotlib:
// a line falls to the end of the axis, bars and areas begin there, and a mark is not seen.
type logScale struct{}

// Normalize returns where a value is between the ends of the axis, from 0 to 1.
func (logScale) Normalize(low, high, v float64) float64 {
	if v <= 0 {
		return -0.05
	}
	return math.Log(v/low) / math.Log(high/low)
}

// logTicks returns the ticks of a logarithmic axis: powers of ten, or 1, 2 and 5 times these if there are few, with unlabelled
// ticks between them. It has at most this number of labels.
func logTicks(low, high float64, most int) (out []plot.Tick) {
	labels := map[float64]int{} // how many there are of 1, of 2 and so on
	for e := math.Floor(math.Log10(low)); e <= math.Log10(high)+1e-9; e++ {
		for part := 1.0; part < 10; part++ {
			if v := part * math.Pow10(int(e)); v >= low*(1-1e-9) && v <= high*(1+1e-9) {
				out = append(out, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)})
				labels[part]++
			}
		}
	}
	n, parts := labels[1]+labels[2]+labels[5], "125"
	if n > most {
		n, parts = labels[1], "1"
	}
	if n < leastTicks {
		return Ticks(low, high, most)
	}
	n = (n + most - 1) / most // each so many has a label
	i := 0
	for k := range out {
		labelled := strings.ContainsRune(parts, rune(strconv.FormatFloat(out[k].Value, 'e', 0, 64)[0]))
		if !labelled || i%n != 0 {
			out[k].Label = ""
		}
		if labelled {
			i++
		}
	}
	return out
}

// ticks returns the ticks of an axis of numbers. Those at its limits are not rounded to beyond it, where gonum makes no room for
// their labels.
func (s *Scale) ticks(low, high float64, most int) (out []plot.Tick) {
	if s.Log && low > 0 {
		out = logTicks(low, high, most)
	} else {
		out = Ticks(low, high, most)
	}
	if s.Low != nil || s.High != nil {
		for i := range out {
			out[i].Value = min(max(out[i].Value, low), high)
		}
	}
	return out
}

// ticker returns a function that makes ticks whose labels fit on an axis of this length.
func (s *Scale) ticker(length vg.Length, style text.Style, upright bool) plot.TickerFunc {
	return func(low, high float64) []plot.Tick {
		var out []plot.Tick
		for most := mostTicks; most >= leastTicks; most-- {
			out = s.ticks(low, high, most)
			need := vg.Length(0)
			for _, t := range out {
				switch {
				case t.Label == "":
				case upright:
					need += 1.6 * style.Font.Size
				default:
					need += style.Width(t.Label) + style.Font.Size
				}
			}
			if need <= length {
				break
			}
		}
		return out
	}
}

// ErrScale says that a scale changes nothing.
var ErrScale = errors.New("neither limits nor a logarithmic scale fit these axes")

// CheckScales returns [ErrScale] if no axis has numbers for a scale of the layout. It notes how many points have no place on
// logarithmic axes.
func (f *Figure) CheckScales(o Layout) error {
	f.clean(&o) // whose axes may be logarithmic whatever the layout says
	var x, y bool
	left := 0
	for p, l := range f.layers() {
		x, y = x || p.numericX(), y || p.numericY()
		for _, c := range l.XY {
			if !l.placed(c, o.X.Log && p.numericX(), o.Y.Log && p.numericY()) {
				left++
			}
		}
	}
	for _, d := range []struct {
		axes    string
		scale   Scale
		numbers bool
	}{{"horizontal", o.X, x}, {"vertical", o.Y, y}} {
		if d.scale != (Scale{}) && !d.numbers {
			return fmt.Errorf("%w: the %s ones of this figure have names", ErrScale, d.axes)
		}
	}
	if left > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("below the end of a logarithmic axis, which has no place for values that are not above 0: %d points", left))
	}
	return nil
}

// placed reports whether a point of the layer has a place on axes that may be logarithmic. A bar or an area whose upper end has one
// begins at the end of its axis.
func (l *Layer) placed(c Coord, logX, logY bool) bool {
	high := c.Hi
	if l.Shape == Line || l.Shape == Steps || l.Shape == Dots {
		high = min(c.Lo, c.Hi)
	}
	return (!logX || c.X > 0) && (!logY || high > 0)
}

// strokeInside draws lines as far as they are inside the axes: a limit may lie inside the data.
func strokeInside(c draw.Canvas, s draw.LineStyle, lines ...[]vg.Point) {
	var path vg.Path
	for _, line := range c.ClipLinesXY(lines...) {
		path.Move(line[0])
		for _, at := range line[1:] {
			path.Line(at)
		}
	}
	if len(path) > 0 {
		c.SetLineStyle(s)
		c.Stroke(path)
	}
}
