package plot

import (
	"fmt"
	"slices"

	"mpanalyze/internal/overlay"
	"mpanalyze/internal/palette"
	"mpanalyze/internal/timeline"
)

// Overlaid reports whether the kind can have panels of series from a file.
func (k *Kind) Overlaid() bool { return k.Name == seriesKind || k.Name == timeAccount }

// addOverlays adds a panel for each series of [Options.Overlay], below the others.
func (m *maker) addOverlays(f *Figure) {
	for i := range m.options.Overlay {
		s := &m.options.Overlay[i]
		p, err := m.runs[0].OverlayPanel(s)
		if err != nil {
			f.Missing = append(f.Missing, err.Error())
			continue
		}
		f.Panels = append(f.Panels, p)
	}
}

// OverlayPanel draws a series of a file over the time that the run's figure shows. Each value holds
// until the next one, as far as there is one. The error says why there is nothing to draw.
func (r *Run) OverlayPanel(s *overlay.Series) (Panel, error) {
	from, to := r.From, r.To
	end := int64(r.connection().DurationS * 1e9)
	if to == 0 || to > end {
		to = end
	}
	start := int64(r.connection().Start)
	list := s.Since(overlay.FirstPacket(r.Document, start), start)
	part := overlay.Within(list, from, to)
	if len(part) == 0 {
		first, last := float64(list[0].T)/1e9, float64(list[len(list)-1].T)/1e9
		return Panel{}, fmt.Errorf("no %s in the time shown, %.3f to %.3f s: the file has it from %.3f to %.3f s", s.Name, float64(from)/1e9, float64(to)/1e9, first, last)
	}
	columns := r.Columns
	if columns == 0 {
		columns = printColumns
	}
	line := Layer{Shape: Steps, Colour: palette.Total, XY: coords(part, columns)}
	p := Panel{X: timeLabel, Y: s.Label(), Layers: []Layer{line}}
	samples := slices.DeleteFunc(slices.Clone(list), func(o overlay.Point) bool { return o.T < from || o.T > to })
	if n := len(samples); n > 0 && n <= manyMarks {
		p.Layers = append(p.Layers, Layer{Shape: Dots, Colour: palette.Total, Mark: kernelMarks[0], XY: coords(samples, columns), Keys: []Key{}})
	}
	return p, nil
}

// coords returns the thinned points of a series of a file in the units of the axes.
func coords(list []overlay.Point, columns int) []Coord {
	points := make([]timeline.Point, len(list))
	for i, p := range list {
		points[i] = timeline.Point{T: p.T, Lo: p.Value, Hi: p.Value}
	}
	return seconds(timeline.Thin(points, columns))
}
