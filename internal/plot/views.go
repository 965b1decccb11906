package plot

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"sort"
	"strings"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/timeline"
)

// view is a panel over time, made of tracks that lie over each other.
type view struct {
	y      string // label of the vertical axis, without the unit
	unit   string // "" for bytes: their unit follows from their number
	window bool   // only with [Options.Window]
	ahead  bool   // values are how far the data is ahead of the latest DATA_ACK
	fine   bool   // many chunks are drawn with a fine pen
	tracks []track
}

// track is how the series of one name are drawn: one for each path, or one for the connection.
type track struct {
	series  string
	name    string // in the legend; empty for the name of the path
	inOrder string // name in a capture at the receiver, where the series is of another time
	shape   Shape
	mark    Mark
	colour  color.NRGBA // empty for that of the path
	pens    bool        // the path with the most data has the broadest bars and lies below the others, so that all are seen

	clock  clock
	delays bool // values contain the difference of the clocks of two captures, which is then removed
	steady bool // left out where a clock was set during the capture: the step is in the values
	metric bool // drawn as the kind series draws it
}

// clock says by whose clock the times of a track are.
type clock uint8

const (
	oneClock   clock = iota // there is one capture
	sending                 // by that of the sending host
	receiving               // by that of the receiving host
	atReceiver              // the same, and the series is from the analysis of the receiving host's capture alone
)

var (
	sent            = track{series: timeline.DSNFirst, shape: Spans}
	pennedData      = track{series: timeline.DSNFirst, shape: Spans, pens: true}
	retransmissions = track{series: timeline.DSNRetransmission, name: "retransmission", shape: Dots, mark: Cross}
	reinjections    = track{series: timeline.DSNReinjection, name: "reinjection", shape: Dots, mark: Ring}
)

// dataAcks is the line of the DATA_ACK.
func dataAcks(c color.NRGBA) track {
	return track{series: timeline.DataAck, name: "DATA_ACK", shape: Steps, colour: c}
}

// The views of the kinds. Figures 6 to 10 of the paper REC16 are arrival, offset, receivedRate, delay and jitter.
var (
	dsnViews = []view{
		{y: "Data sequence number", tracks: []track{dataAcks(faint), pennedData, retransmissions, reinjections}}, // data above the line, which would hide it
		{y: "Ahead of the DATA_ACK", window: true, ahead: true, tracks: []track{pennedData, retransmissions, reinjections}},
		{y: "Receive window", window: true, tracks: []track{{series: rwnd, name: "receive window", shape: Steps, colour: palette.Total, metric: true}}},
	}
	ssnViews = []view{{y: "Subflow sequence number", tracks: []track{
		{series: timeline.SSNFirst, shape: Spans},
		{series: timeline.SSNRetransmission, name: "retransmission", shape: Dots, mark: Cross},
		{series: timeline.SSNReinjection, name: "reinjected data", shape: Dots, mark: Ring},
	}}}
	orderViews = []view{
		{y: "Data sequence number", tracks: []track{sent, {series: timeline.DSNAcked, name: "acknowledged on the path", inOrder: "in order", shape: Dots, mark: Disc}, dataAcks(palette.Total)}},
		{y: "Out-of-order offset O3-DSN", tracks: []track{{series: dsnOffset, name: unnamed, shape: Dots, mark: Disc}}},
	}
	bufferViews = []view{
		{y: "Reorder buffer", tracks: []track{{series: holQueue, name: unnamed, shape: Steps, colour: palette.Total, metric: true}}},
		{y: "Receive window", tracks: []track{
			{series: rwnd, name: "offered", shape: Steps, colour: palette.Total, metric: true},
			{series: rwndFree, name: "not yet used", shape: Steps, colour: faint, metric: true},
		}},
	}
	owdView = view{y: "One-way delay", unit: "ms", tracks: []track{
		{series: timeline.OneWayDelay, shape: Line, clock: sending, delays: true},
		{series: timeline.Lost, name: "lost", shape: Dots, mark: Cross, clock: sending},
	}}
	arrivalView = view{y: "Data sequence number", fine: true, tracks: []track{
		{series: timeline.DSNFirst, shape: Spans, pens: true, clock: sending},
		{series: timeline.DSNArrived, name: "received", shape: Dots, mark: Disc, clock: receiving},
	}}
	offsetView       = view{y: "Out-of-order offset O3-DSN", tracks: []track{{series: dsnOffset, name: unnamed, shape: Dots, mark: Disc, colour: palette.Total, clock: atReceiver}}}
	receivedRateView = view{y: "Throughput", unit: "Mbit/s", tracks: []track{{series: throughput, metric: true, clock: atReceiver}}}
	delayView        = view{y: "End-to-end delay", unit: "ms", tracks: []track{{series: timeline.EndToEnd, shape: Line, clock: sending, delays: true}}}
	jitterView       = view{y: "Jitter", unit: "ms", tracks: []track{{series: timeline.Jitter, shape: Line, clock: sending, steady: true}}}
)

// unnamed is the name of a track that has no entry in the legend.
const unnamed = "-"

// viewsFigure has a panel for each view of the kind.
func (k *Kind) viewsFigure(m *maker, _ []string) (*Figure, error) {
	f := &Figure{Title: m.title(k.title)}
	f.explain(m.cellNotes()...)
	for _, r := range m.runs {
		if k.pair && r.Document.Clock == nil {
			return nil, fmt.Errorf("%w: it takes captures of both hosts (--both)", ErrEmpty)
		}
	}
	for i := range k.views {
		if v := &k.views[i]; !v.window || m.options.Window {
			f.add(m, strings.ToLower(v.y[:1])+v.y[1:], v.tracks[0].series, []Panel{m.view(v)})
		}
	}
	if len(f.Panels) > fewColumns {
		f.Columns = 2
	}
	return f.some()
}

// In a figure of a whole session, the sent and the received data are less than the width of a
// usual line apart. So many chunks are drawn with a fine pen, and in each column of pixels only
// the extreme chunks are kept.
const (
	finePen     = 1.0 // points
	fineColumns = 900
)

// view draws the tracks of all runs.
func (m *maker) view(v *view) Panel {
	p := Panel{X: timeLabel, Y: v.y, bytes: v.unit == ""}
	if !p.bytes {
		p.Y = Label(v.y, v.unit)
	}
	chunks := 0
	for _, r := range m.runs {
		for _, l := range r.series(timeline.DSNFirst) {
			chunks += len(l.Points(m.columns))
		}
	}
	fine := v.fine && chunks > 2*manyMarks
	if fine {
		thin := *m
		thin.columns = min(m.columns, fineColumns)
		m = &thin
	}
	for _, r := range m.runs {
		for k := range v.tracks {
			list := m.track(r, &v.tracks[k])
			for i := range list {
				if v.ahead {
					list[i].XY = ahead(list[i].XY, r.dataAcks(m.columns), r.From > 0)
				}
				if fine {
					list[i].Pen = finePen
				}
			}
			p.Layers = append(p.Layers, list...)
		}
	}
	return p
}

// track draws the series of a track in one run.
func (m *maker) track(r *Run, t *track) (out []Layer) {
	from := r
	if t.clock == atReceiver {
		from = r.there()
	}
	if from == nil || t.steady && r.Document.Clock.Step != nil {
		return nil
	}
	if t.metric && t.name == "" {
		out = m.curves(r, from, t.series)
		if n := len(out); n == 2 && out[1].Name == "total" { // the total of one path is that path
			out = out[:1]
		}
	} else {
		for _, l := range from.series(t.series) {
			out = append(out, m.trackLayer(r, l, t))
		}
	}
	for i := range out {
		if xy := &out[i].XY; t.clock != oneClock {
			*xy = r.onFirstClock(r.since(from, *xy), r.away() == (t.clock == sending), t.delays)
			if out[i].Shape == Line {
				out[i].Gap = gapOf(*xy)
			}
		}
	}
	if t.pens && len(out) > 1 {
		slices.SortStableFunc(out, func(a, b Layer) int { return cmp.Compare(volume(&b), volume(&a)) })
		for i := range out {
			out[i].Pen = []float64{3.2, 1.6, 0.8}[min(i, 2)]
		}
	}
	return out
}

// trackLayer draws one series of a track.
func (m *maker) trackLayer(r *Run, l *timeline.Series, t *track) Layer {
	layer := m.layer(r, l, t.shape)
	if t.metric {
		layer = m.curve(r, l)
	} else {
		points := l.Points(m.columns)
		if l.Name == timeline.DataAck {
			points = rising(points)
		}
		layer.XY = seconds(points)
	}
	layer.Mark = t.mark
	name := t.name
	if t.inOrder != "" && r.atReceiver() {
		name = t.inOrder
	}
	switch {
	case t.shape == Spans:
		layer.Dash = 0
	case name == unnamed:
		layer.Name, layer.Keys = "", nil
	case name != "":
		layer.Name = name
		if t.shape == Dots {
			layer.Colour = darker(layer.Colour)
		}
		if layer.Keys = nil; t.colour == (color.NRGBA{}) {
			layer.Keys = []Key{{Name: name, Rank: ByMark, Shape: t.shape, Colour: neutral, Mark: t.mark}}
		}
	}
	if t.colour != (color.NRGBA{}) {
		layer.Colour, layer.Dash, layer.Sign = t.colour, 0, 0
	}
	return layer
}

// volume returns how many bytes the bars of a layer stand for.
func volume(l *Layer) (sum int64) {
	for _, p := range l.XY {
		sum += int64(math.Round(p.Hi - p.Lo))
	}
	return sum
}

// dataAcks returns the DATA_ACKs of the direction.
func (r *Run) dataAcks(columns int) []timeline.Point {
	if list := r.series(timeline.DataAck); len(list) > 0 {
		return rising(list[0].Points(columns))
	}
	return nil
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

// fewColumns is the largest number of panels of one run in one column, and of scenarios side by side.
const fewColumns = 3
