package plot

import (
	"math"
	"sort"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// seriesStyle is how the series of one name are drawn.
type seriesStyle struct {
	what  string
	name  string // in the legend; empty for the name of the path
	shape Shape
	mark  Mark
}

// largest returns the highest value of the series, for the unit of their axis.
func (m *maker) largest(what ...string) (most float64) {
	for _, r := range m.runs {
		for _, w := range what {
			for _, l := range r.series(w) {
				for _, p := range l.Points(m.columns) {
					most = max(most, p.Hi, -p.Lo)
				}
			}
		}
	}
	return most
}

// layers returns a layer for each series of that name.
func (m *maker) layers(r *Run, k seriesStyle, by float64) (out []Layer) {
	for _, l := range r.series(k.what) {
		layer := m.layer(r, l, k.shape)
		layer.Mark = k.mark
		if k.name != "" {
			layer.Name = k.name
			if k.shape == Dots {
				layer.Colour = dark(layer.Colour)
			}
		}
		layer.XY = seconds(l.Points(m.columns), by)
		if k.shape == Spans {
			layer.Dash = 0
		}
		out = append(out, layer)
	}
	return out
}

func dsnFigure(m *maker, _ []string) (*Figure, error) {
	unit, by := byteUnit(m.largest(timeline.DSNFirst, timeline.DSNReinjection, timeline.DSNRetransmission))
	f := &Figure{Title: m.title("Data sequence")}
	for _, m := range m.scenarios() {
		p := Panel{Head: m.head, X: timeLabel, Y: "Data sequence number (" + unit + ")"}
		for _, r := range m.runs {
			p.Layers = append(p.Layers, m.layers(r, seriesStyle{what: timeline.DSNFirst, shape: Spans}, by)...)
			marks := m.layers(r, seriesStyle{timeline.DSNRetransmission, "retransmission", Dots, Cross}, by)
			marks = append(marks, m.layers(r, seriesStyle{timeline.DSNReinjection, "reinjection", Dots, Ring}, by)...)
			lines := m.ackLines(r, by)
			if r.From > 0 || r.To > 0 {
				lines = belowLimit(lines, append(p.Layers[:len(p.Layers):len(p.Layers)], marks...))
			}
			p.Layers = append(append(p.Layers, lines...), marks...)
		}
		f.Panels = append(f.Panels, p)
	}
	return f, nil
}

// belowLimit cuts rising lines where they are further above the data than half
// the data is high. A figure of a part of a session shows details, and a far
// edge of the window would leave them no height.
func belowLimit(lines, data []Layer) (out []Layer) {
	if len(data) == 0 {
		return lines
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range data {
		_, _, lo, hi := data[i].DataRange()
		low, high = min(low, lo), max(high, hi)
	}
	for _, l := range lines {
		n := sort.Search(len(l.XY), func(i int) bool { return l.XY[i].Hi > high+(high-low)/2 })
		if l.XY = l.XY[:n]; n > 0 {
			out = append(out, l)
		}
	}
	return out
}

// ackLines returns the line of the DATA_ACK and that of the right edge of the
// window.
func (m *maker) ackLines(r *Run, by float64) (out []Layer) {
	series := r.series(timeline.DataAck)
	if len(series) == 0 {
		return nil
	}
	acks := rising(series[0].Points(m.columns))
	out = append(out, Layer{Name: "DATA_ACK", Shape: Steps, Colour: palette.Total, XY: seconds(acks, by)})
	for _, l := range r.series(rwnd) {
		edge := rising(windowEdge(acks, l.Points(m.columns), r.From > 0))
		out = append(out, Layer{Name: "window edge", Shape: Steps, Colour: faint, XY: seconds(edge, by)})
	}
	return out
}

// rising leaves out points that are not above all earlier ones: cumulative
// acknowledgments and the right edge of a window do not move back.
func rising(points []timeline.Point) (out []timeline.Point) {
	for _, p := range points {
		if n := len(out); n == 0 || p.Hi > out[n-1].Hi {
			out = append(out, timeline.Point{T: p.T, Lo: p.Hi, Hi: p.Hi})
		}
	}
	return out
}

// windowEdge adds to each window the latest DATA_ACK before it. Before the first
// DATA_ACK the peer expects byte 1; in a part of a session what it expects is not
// known, and the window is left out.
func windowEdge(acks, windows []timeline.Point, part bool) (out []timeline.Point) {
	for _, w := range windows {
		i := sort.Search(len(acks), func(i int) bool { return acks[i].T > w.T })
		edge := w.Hi + 1
		switch {
		case i > 0:
			edge = w.Hi + acks[i-1].Hi
		case part:
			continue
		}
		out = append(out, timeline.Point{T: w.T, Lo: edge, Hi: edge})
	}
	return out
}

func ssnFigure(m *maker, _ []string) (*Figure, error) {
	unit, by := byteUnit(m.largest(timeline.SSNFirst, timeline.SSNReinjection, timeline.SSNRetransmission))
	f := &Figure{Title: m.title("Subflow sequence")}
	for _, m := range m.scenarios() {
		p := Panel{Head: m.head, X: timeLabel, Y: "Subflow sequence number (" + unit + ")"}
		for _, r := range m.runs {
			p.Layers = append(p.Layers, m.layers(r, seriesStyle{what: timeline.SSNFirst, shape: Spans}, by)...)
			p.Layers = append(p.Layers, m.layers(r, seriesStyle{timeline.SSNRetransmission, "retransmission", Dots, Cross}, by)...)
			p.Layers = append(p.Layers, m.layers(r, seriesStyle{timeline.SSNReinjection, "reinjected data", Dots, Ring}, by)...)
		}
		f.Panels = append(f.Panels, p)
	}
	return f, nil
}

func orderFigure(m *maker, _ []string) (*Figure, error) {
	unit, by := byteUnit(m.largest(timeline.DSNFirst))
	f := &Figure{Title: m.title("Order of the data")}
	for _, m := range m.scenarios() {
		top := Panel{Head: m.head, X: timeLabel, Y: "Data sequence number (" + unit + ")"}
		for _, r := range m.runs {
			top.Layers = append(top.Layers, m.layers(r, seriesStyle{what: timeline.DSNFirst, shape: Spans}, by)...)
			top.Layers = append(top.Layers, m.layers(r, seriesStyle{timeline.DSNAcked, r.ackedName(), Dots, Disc}, by)...)
			if acks := r.series(timeline.DataAck); len(acks) > 0 {
				top.Layers = append(top.Layers, Layer{Name: "DATA_ACK", Shape: Steps, Colour: palette.Total, XY: seconds(rising(acks[0].Points(m.columns)), by)})
			}
		}
		f.Panels = append(f.Panels, top)
	}
	unit, by = byteUnit(m.largest(dsnOffset))
	low := Panel{X: timeLabel, Y: "Out-of-order offset O3-DSN (" + unit + ")"}
	for _, r := range m.runs {
		for _, l := range m.layers(r, seriesStyle{what: dsnOffset, shape: Dots, mark: Disc}, by) {
			if !m.several {
				l.Name = ""
			}
			low.Layers = append(low.Layers, l)
		}
	}
	f.Panels = append(f.Panels, low)
	return f, nil
}

// ackedName says what the time of [timeline.DSNAcked] is: in a capture at the
// receiver when all data up to the chunk had arrived, elsewhere when the chunk was
// acknowledged.
func (r *Run) ackedName() string {
	v := r.connection().Vantage
	if v == report.VantageA && r.Direction == report.B2A || v == report.VantageB && r.Direction == report.A2B {
		return "in order"
	}
	return "acknowledged on the path"
}
