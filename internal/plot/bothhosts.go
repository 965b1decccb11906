package plot

import (
	"fmt"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// Figures of the paper REC16, which need captures of both hosts. Times are by the clock of the
// first capture.
var (
	// arrivalFigure is its Figure 6: when data is sent and when it is received.
	arrivalFigure = bothHosts("Data sequence, sent and received", (*maker).arrivalPanel)
	// offsetFigure is its Figure 7: the distance between the data sequence numbers of chunks that
	// arrive one after the other.
	offsetFigure = bothHosts("Out-of-order offset", (*maker).offsetPanel)
	// delayFigure is its Figure 9: the time from sending until the data is in order.
	delayFigure = bothHosts("End-to-end delay", (*maker).delayPanel)
	// jitterFigure is its Figure 10.
	jitterFigure = bothHosts("Jitter", (*maker).jitterPanel)
)

// recFigure has all four and Figure 8, the throughput at the receiver.
func recFigure(m *maker, names []string) (*Figure, error) {
	m.setRateCell([]string{throughput}, true)
	return bothHosts("Captures of both hosts"+m.rateNote(),
		(*maker).arrivalPanel, (*maker).offsetPanel, (*maker).receivedRatePanel, (*maker).delayPanel, (*maker).jitterPanel)(m, names)
}

// bothHosts returns a function that makes a figure with these panels for each scenario.
func bothHosts(title string, panels ...func(*maker) Panel) func(*maker, []string) (*Figure, error) {
	return func(m *maker, _ []string) (*Figure, error) {
		f := &Figure{Title: m.title(title)}
		for _, r := range m.runs {
			if r.Document.Clock == nil {
				return nil, fmt.Errorf("%w: it takes captures of both hosts (--both)", ErrEmpty)
			}
		}
		for _, of := range m.scenarios() {
			for _, panel := range panels {
				p := panel(of)
				p.X, p.Head, p.Group = timeLabel, of.head, of.head != ""
				f.Panels = append(f.Panels, p)
			}
		}
		if f.Group = len(panels); len(f.Panels) > fewColumns {
			f.Columns = 2
		}
		return f, nil
	}
}

// In a figure of a whole session, the sent and the received data are less than the width of a
// usual line apart. So many chunks are drawn with a fine pen, and in each column of pixels only
// the extreme chunks are kept.
const (
	finePen     = 0.8 // points
	fineColumns = 900
)

func (m *maker) arrivalPanel() Panel {
	unit, by := byteUnit(m.largest(timeline.DSNFirst))
	p := Panel{Y: "Data sequence number (" + unit + ")"}
	chunks := 0
	for _, r := range m.runs {
		for _, l := range r.series(timeline.DSNFirst) {
			chunks += len(l.Points(m.columns))
		}
	}
	fine := chunks > 2*manyMarks
	if fine {
		thin := *m
		thin.columns = min(m.columns, fineColumns)
		m = &thin
	}
	for _, r := range m.runs {
		for _, l := range m.data(r, by) {
			if l.XY = r.onFirstClock(l.XY, r.away(), false); fine {
				l.Pen = finePen
			}
			p.Layers = append(p.Layers, l)
		}
		for _, l := range m.layers(r, seriesStyle{timeline.DSNArrived, "received", Dots, Disc}, by) {
			if l.XY = r.onFirstClock(l.XY, !r.away(), false); fine {
				l.Pen = finePen
			}
			p.Layers = append(p.Layers, l)
		}
	}
	return p
}

func (m *maker) offsetPanel() Panel {
	most := 0.0
	var all [][]Coord
	for _, r := range m.runs {
		xy := r.offsets()
		for _, c := range xy {
			most = max(most, c.Hi, -c.Lo)
		}
		all = append(all, xy)
	}
	unit, by := byteUnit(most)
	p := Panel{Y: "Out-of-order offset O3-DSN (" + unit + ")"}
	for _, xy := range all {
		for i := range xy {
			xy[i].Lo, xy[i].Hi = xy[i].Lo/by, xy[i].Hi/by
		}
		p.Layers = append(p.Layers, Layer{Shape: Dots, Mark: Disc, Colour: palette.Total, XY: xy})
	}
	return p
}

// offsets returns the offsets of the data as it arrives, from the analysis of the
// capture at the receiving host alone.
func (r *Run) offsets() []Coord {
	there := r.there()
	if there == nil {
		return nil
	}
	var xy []Coord
	for _, l := range there.series(dsnOffset) {
		xy = append(xy, seconds(l.Points(printColumns), 1)...)
	}
	return r.from(there, xy)
}

func (m *maker) delayPanel() Panel {
	return Panel{Y: "End-to-end delay (ms)", Layers: m.delays(timeline.EndToEnd, true)}
}

func (m *maker) jitterPanel() Panel {
	return Panel{Y: "Jitter (ms)", Layers: m.delays(timeline.Jitter, false)}
}

// delays returns a line for each path. corrected says that the values contain the difference of
// the clocks, which is then removed.
func (m *maker) delays(what string, corrected bool) (out []Layer) {
	for _, r := range m.runs {
		if what == timeline.Jitter && r.Document.Clock.Step != nil {
			continue // the step of the clock is in it
		}
		out = append(out, m.delaysOf(r, what, corrected)...)
	}
	return out
}

func (m *maker) delaysOf(r *Run, what string, corrected bool) (out []Layer) {
	for _, l := range r.series(what) {
		layer := m.layer(r, l, Line)
		layer.XY = r.onFirstClock(seconds(l.Points(m.columns), 1), r.away(), corrected)
		layer.Gap = gapOf(layer.XY)
		out = append(out, layer)
	}
	return out
}

// away reports whether the sender of the data is the host of the second capture.
func (r *Run) away() bool {
	return r.connection().Away(r.Direction)
}

// ReceivingHost returns the host that receives the data of the figure, in a report on captures
// of both hosts.
func (r *Run) ReceivingHost() report.Host {
	if r.away() {
		return report.SenderHost // it sends most of the data, but not the data of this direction
	}
	return report.ReceiverHost
}
