package plot

import (
	"sort"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// lanesOf is lanes in one style.
type lanesOf struct {
	what  string
	name  string // in the legend; empty for the name of the path
	shape Shape
	mark  Mark
}

// largest returns the highest value of the lanes, for the unit of their axis.
func (m *maker) largest(what ...string) (most float64) {
	for _, r := range m.runs {
		for _, w := range what {
			for _, l := range r.lanes(w) {
				for _, p := range l.Points(m.columns) {
					most = max(most, p.Hi, -p.Lo)
				}
			}
		}
	}
	return most
}

// lanes returns a layer for each lane of that kind.
func (m *maker) lanes(r *Run, k lanesOf, by float64) (out []Layer) {
	for _, l := range r.lanes(k.what) {
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
	unit, by := octets(m.largest(timeline.DSNFirst, timeline.DSNReinjection, timeline.DSNRetransmission))
	p := Panel{X: timeLabel, Y: "Data sequence number (" + unit + ")"}
	for _, r := range m.runs {
		p.Layers = append(p.Layers, m.lanes(r, lanesOf{what: timeline.DSNFirst, shape: Spans}, by)...)
		p.Layers = append(p.Layers, m.acknowledged(r, by)...)
		p.Layers = append(p.Layers, m.lanes(r, lanesOf{timeline.DSNRetransmission, "retransmission", Dots, Cross}, by)...)
		p.Layers = append(p.Layers, m.lanes(r, lanesOf{timeline.DSNReinjection, "reinjection", Dots, Ring}, by)...)
	}
	return &Figure{m.title("Data sequence"), []Panel{p}}, nil
}

// acknowledged returns the line of the DATA_ACK and that of the right edge of
// the window.
func (m *maker) acknowledged(r *Run, by float64) (out []Layer) {
	lanes := r.lanes(timeline.DataAck)
	if len(lanes) == 0 {
		return nil
	}
	acks := rising(lanes[0].Points(m.columns))
	out = append(out, Layer{Name: "DATA_ACK", Shape: Steps, Colour: palette.Total, XY: seconds(acks, by)})
	for _, l := range r.lanes(rwnd) {
		edge := rising(windowEdge(acks, l.Points(m.columns)))
		out = append(out, Layer{Name: "window edge", Shape: Steps, Colour: faint, XY: seconds(edge, by)})
	}
	return out
}

// rising leaves out what is not above all before it: an acknowledgment and the
// edge of a window do not move back.
func rising(points []timeline.Point) (out []timeline.Point) {
	for _, p := range points {
		if n := len(out); n == 0 || p.Hi > out[n-1].Hi {
			out = append(out, timeline.Point{T: p.T, Lo: p.Hi, Hi: p.Hi})
		}
	}
	return out
}

// windowEdge adds to each window the DATA_ACK that stood then.
func windowEdge(acks, windows []timeline.Point) (out []timeline.Point) {
	for _, w := range windows {
		i := sort.Search(len(acks), func(i int) bool { return acks[i].T > w.T })
		edge := w.Hi + 1 // before any DATA_ACK of data: the first octet is expected
		if i > 0 {
			edge = w.Hi + acks[i-1].Hi
		}
		out = append(out, timeline.Point{T: w.T, Lo: edge, Hi: edge})
	}
	return out
}

func ssnFigure(m *maker, _ []string) (*Figure, error) {
	unit, by := octets(m.largest(timeline.SSNFirst, timeline.SSNReinjection, timeline.SSNRetransmission))
	p := Panel{X: timeLabel, Y: "Subflow sequence number (" + unit + ")"}
	for _, r := range m.runs {
		p.Layers = append(p.Layers, m.lanes(r, lanesOf{what: timeline.SSNFirst, shape: Spans}, by)...)
		p.Layers = append(p.Layers, m.lanes(r, lanesOf{timeline.SSNRetransmission, "retransmission", Dots, Cross}, by)...)
		p.Layers = append(p.Layers, m.lanes(r, lanesOf{timeline.SSNReinjection, "reinjected data", Dots, Ring}, by)...)
	}
	return &Figure{m.title("Subflow sequence"), []Panel{p}}, nil
}

func orderFigure(m *maker, _ []string) (*Figure, error) {
	unit, by := octets(m.largest(timeline.DSNFirst))
	top := Panel{X: timeLabel, Y: "Data sequence number (" + unit + ")"}
	unit, off := octets(m.largest(dsnOffset))
	low := Panel{X: timeLabel, Y: "Out-of-order offset O3-DSN (" + unit + ")"}
	for _, r := range m.runs {
		top.Layers = append(top.Layers, m.lanes(r, lanesOf{what: timeline.DSNFirst, shape: Spans}, by)...)
		top.Layers = append(top.Layers, m.lanes(r, lanesOf{timeline.DSNAcked, r.answer(), Dots, Disc}, by)...)
		if lanes := r.lanes(timeline.DataAck); len(lanes) > 0 {
			top.Layers = append(top.Layers, Layer{Name: "DATA_ACK", Shape: Steps, Colour: palette.Total, XY: seconds(rising(lanes[0].Points(m.columns)), by)})
		}
		for _, l := range m.lanes(r, lanesOf{what: dsnOffset, shape: Dots, mark: Disc}, off) {
			if !m.several {
				l.Name = ""
			}
			low.Layers = append(low.Layers, l)
		}
	}
	return &Figure{m.title("Order of the data"), []Panel{top, low}}, nil
}

// answer says what ends the way of a chunk for the capture: at the receiver
// that all before it has come, elsewhere that it is acknowledged.
func (r *Run) answer() string {
	v := r.connection().Vantage
	if v == report.VantageA && r.Direction == report.B2A || v == report.VantageB && r.Direction == report.A2B {
		return "in order"
	}
	return "acknowledged on the path"
}
