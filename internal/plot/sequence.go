package plot

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"sort"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// seriesStyle says how the series of one name are drawn.
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
				layer.Colour = darker(layer.Colour)
			}
			layer.Keys = []Key{{Name: k.name, Rank: ByMark, Shape: k.shape, Colour: neutral, Mark: k.mark}}
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
	f := m.sequences("Data sequence", unit, func(m *maker, r *Run) []Layer {
		return slices.Concat(m.ackLine(r, by, faint), m.data(r, by), m.again(r, by)) // data above the line, which would hide it
	})
	if m.options.Window {
		return f, m.windows(f)
	}
	return f, nil
}

// data returns the layers of the first transmissions. The path with the most data has the
// broadest bars and is drawn first, so that all paths are visible if they are close together.
func (m *maker) data(r *Run, by float64) []Layer {
	list := m.layers(r, seriesStyle{what: timeline.DSNFirst, shape: Spans}, by)
	slices.SortStableFunc(list, func(a, b Layer) int { return cmp.Compare(volume(&b), volume(&a)) })
	if len(list) > 1 {
		for i := range list {
			list[i].Pen = []float64{3.2, 1.6, 0.8}[min(i, 2)]
		}
	}
	return list
}

// volume returns how much data the bars of a layer stand for. It is in thousandths of the unit,
// as an integer, so that sums of equal amounts are equal.
func volume(l *Layer) int64 {
	sum := 0.0
	for _, p := range l.XY {
		sum += p.Hi - p.Lo
	}
	return int64(math.Round(sum * 1000))
}

// again returns the layers of data that passed again.
func (m *maker) again(r *Run, by float64) []Layer {
	return append(m.layers(r, seriesStyle{timeline.DSNRetransmission, "retransmission", Dots, Cross}, by),
		m.layers(r, seriesStyle{timeline.DSNReinjection, "reinjection", Dots, Ring}, by)...)
}

// ackLine returns the line of the DATA_ACK.
func (m *maker) ackLine(r *Run, by float64, c color.NRGBA) []Layer {
	series := r.series(timeline.DataAck)
	if len(series) == 0 {
		return nil
	}
	return []Layer{{Name: "DATA_ACK", Shape: Steps, Colour: c, XY: seconds(rising(series[0].Points(m.columns)), by)}}
}

// windows adds two panels for each scenario: how far the data is ahead of the latest DATA_ACK,
// and the receive window. The window is often so much larger that it needs a separate scale.
func (m *maker) windows(f *Figure) error {
	n := len(f.Panels)
	unit, by := byteUnit(m.largest(rwnd))
	list := m.scenarios()
	for _, m := range list {
		if p := m.inFlight(); len(p.Layers) > 0 {
			f.Panels = append(f.Panels, p)
		}
	}
	f.Panels = append(f.Panels, drawn(m.perScenario("Receive window ("+unit+")", func(m *maker, r *Run) (out []Layer) {
		for _, l := range r.series(rwnd) {
			window := Layer{Name: "receive window", Shape: Steps, Colour: palette.Total, XY: seconds(l.Points(m.columns), by)}
			m.interrupt(r, l, &window)
			out = append(out, window)
		}
		return out
	}))...)
	if len(f.Panels) == n {
		return fmt.Errorf("%w: no receive window in %s%s", ErrEmpty, m.where(), m.runs[0].reason(rwnd))
	}
	if len(list) <= fewColumns {
		f.Columns = len(list)
	}
	return nil
}

// inFlight returns the panel of the data ahead of the DATA_ACK.
func (m *maker) inFlight() Panel {
	p := Panel{Head: m.head, Group: m.head != "", X: timeLabel}
	most := 0.0
	for _, r := range m.runs {
		series := r.series(timeline.DataAck)
		if len(series) == 0 {
			continue
		}
		acks := rising(series[0].Points(m.columns))
		for _, l := range append(m.data(r, 1), m.again(r, 1)...) {
			l.XY = ahead(l.XY, acks, r.From > 0)
			for _, c := range l.XY {
				most = max(most, c.Hi)
			}
			p.Layers = append(p.Layers, l)
		}
	}
	unit, by := byteUnit(most)
	for i := range p.Layers {
		for k := range p.Layers[i].XY {
			c := &p.Layers[i].XY[k]
			c.Lo, c.Hi = c.Lo/by, c.Hi/by
		}
	}
	p.Y = "Ahead of the DATA_ACK (" + unit + ")"
	return p
}

// ahead subtracts the latest DATA_ACK from each range. Before the first DATA_ACK, the peer
// expects byte 1. If the figure shows a part of a session, it is not known what the peer
// expects before the first DATA_ACK, and such a range is left out.
func ahead(xy []Coord, acks []timeline.Point, part bool) (out []Coord) {
	for _, p := range xy {
		t, base := int64(math.Round(p.X*1e9)), 1.0
		i := sort.Search(len(acks), func(i int) bool { return acks[i].T > t })
		switch {
		case i > 0:
			base = acks[i-1].Hi
		case part:
			continue
		}
		out = append(out, Coord{p.X, p.Lo - base, p.Hi - base})
	}
	return out
}

// rising leaves out points that are not above all earlier points, because cumulative
// acknowledgments do not move back.
func rising(points []timeline.Point) (out []timeline.Point) {
	for _, p := range points {
		if n := len(out); n == 0 || p.Hi > out[n-1].Hi {
			out = append(out, timeline.Point{T: p.T, Lo: p.Hi, Hi: p.Hi})
		}
	}
	return out
}

func ssnFigure(m *maker, _ []string) (*Figure, error) {
	unit, by := byteUnit(m.largest(timeline.SSNFirst, timeline.SSNReinjection, timeline.SSNRetransmission))
	return m.sequences("Subflow sequence", unit, func(m *maker, r *Run) []Layer {
		return slices.Concat(
			m.layers(r, seriesStyle{what: timeline.SSNFirst, shape: Spans}, by),
			m.layers(r, seriesStyle{timeline.SSNRetransmission, "retransmission", Dots, Cross}, by),
			m.layers(r, seriesStyle{timeline.SSNReinjection, "reinjected data", Dots, Ring}, by))
	}), nil
}

// sequences returns a figure of sequence numbers with a panel for each scenario.
func (m *maker) sequences(what, unit string, layers func(*maker, *Run) []Layer) *Figure {
	return &Figure{Title: m.title(what), Panels: m.perScenario(what+" number ("+unit+")", layers)}
}

// perScenario returns a panel over time for each scenario, with the layers of its runs.
func (m *maker) perScenario(y string, layers func(*maker, *Run) []Layer) (out []Panel) {
	for _, m := range m.scenarios() {
		p := Panel{Head: m.head, Group: m.head != "", X: timeLabel, Y: y}
		for _, r := range m.runs {
			p.Layers = append(p.Layers, layers(m, r)...)
		}
		out = append(out, p)
	}
	return out
}

func orderFigure(m *maker, _ []string) (*Figure, error) {
	unit, by := byteUnit(m.largest(timeline.DSNFirst))
	f := &Figure{Title: m.title("Order of the data")}
	f.Panels = m.perScenario("Data sequence number ("+unit+")", func(m *maker, r *Run) []Layer {
		return slices.Concat(m.layers(r, seriesStyle{what: timeline.DSNFirst, shape: Spans}, by),
			m.layers(r, seriesStyle{timeline.DSNAcked, r.ackedName(), Dots, Disc}, by), m.ackLine(r, by, palette.Total))
	})
	unit, by = byteUnit(m.largest(dsnOffset))
	f.Panels = append(f.Panels, m.perScenario("Out-of-order offset O3-DSN ("+unit+")", func(m *maker, r *Run) []Layer {
		list := m.layers(r, seriesStyle{what: dsnOffset, shape: Dots, mark: Disc}, by)
		for i := range list {
			list[i].Name = ""
		}
		return list
	})...)
	if n := len(f.Panels) / 2; n <= fewColumns {
		f.Columns = n
	}
	return f, nil
}

// fewColumns is the largest number of scenarios that stand side by side in figures with two
// panels for each scenario.
const fewColumns = 3

// ackedName says what the time of [timeline.DSNAcked] is. In a capture at the receiver it is the
// time when all data up to the chunk had arrived. Elsewhere it is the time when the chunk was
// acknowledged.
func (r *Run) ackedName() string {
	v := r.connection().Vantage
	if v == report.VantageA && r.Direction == report.B2A || v == report.VantageB && r.Direction == report.A2B {
		return "in order"
	}
	return "acknowledged on the path"
}
