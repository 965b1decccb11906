package plot

import (
	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// receivedRatePanel is the throughput at the receiving host: of each path, and their total. It is
// from the analysis of that host's capture alone.
func (m *maker) receivedRatePanel() Panel {
	p := Panel{Y: label(throughput, unitOf(throughput))}
	for _, r := range m.runs {
		there := r.there()
		if there == nil {
			continue
		}
		var total *Layer
		paths := 0
		for _, l := range there.series(throughput) {
			layer := m.curve(there, r.named(there, l), 1)
			if layer.XY = r.from(there, layer.XY); l.Subflow == report.NoSubflow {
				layer.Name, layer.Colour, layer.Dash, layer.Sign = "total", palette.Total, 0, 0
				total = &layer
				continue
			}
			p.Layers = append(p.Layers, layer)
			paths++
		}
		if total != nil && paths != 1 { // the total of one path is that path
			p.Layers = append(p.Layers, *total)
		}
	}
	return p
}

// there returns the run in the analysis of the capture at the receiving host alone, or nil.
func (r *Run) there() *Run {
	if r.Receiver == nil {
		return nil
	}
	return r.On(r.Receiver)
}

// from converts times in the analysis of the receiving host's capture to the clock of the first
// capture. It leaves out points outside the time that is shown.
func (r *Run) from(there *Run, xy []Coord) []Coord {
	for k := range xy {
		xy[k].X += float64(there.connection().Start-r.connection().Start) / 1e9
	}
	return r.onFirstClock(xy, !r.away(), false)
}

// named returns a series of the receiving host's capture with the path that the same subflow has
// in the report on both captures. Its addresses may differ.
func (r *Run) named(there *Run, l *timeline.Series) *timeline.Series {
	named := *l
	for i := range there.connection().Subflows {
		s := &there.connection().Subflows[i]
		if s.ID != l.Subflow {
			continue
		}
		if both := r.connection().SameSubflow(s); both != nil {
			named.Path = both.Path
		}
	}
	return &named
}
