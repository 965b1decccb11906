package plot

import (
	"fmt"
	"image/color"
	"math"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
)

// sharesFigure has bars for the bytes that each path carried, and for the bytes that were sent
// again on it: retransmitted, or reinjected onto it.
func sharesFigure(m *maker, _ []string) (*Figure, error) {
	f := &Figure{Title: m.title("What each path carried")}
	for _, r := range m.runs {
		if d := r.dir(); d.Bytes == nil && len(d.Paths) > 0 {
			return nil, fmt.Errorf("%w: what each path carried is not known%s", ErrEmpty, r.reason("bytes"))
		}
	}
	if len(m.runs) > 1 {
		for _, x := range []struct {
			name string
			of   func(*report.PathShare) int64
		}{
			{"Payload", func(s *report.PathShare) int64 { return report.Known(s.Bytes) }},
			{"Retransmitted", func(s *report.PathShare) int64 { return s.RetransmittedBytes }},
			{"Reinjected", func(s *report.PathShare) int64 { return report.Known(s.ReinjectedBytes) }},
		} {
			if p, most := m.meanBars(x.name, x.of); most > 0 || f.Panels == nil {
				f.Panels = append(f.Panels, p)
			}
		}
		return f, nil
	}
	m.barsByPath(f)
	return f, nil
}

// barsByPath fills the figure of one run.
func (m *maker) barsByPath(f *Figure) {
	paths := m.runs[0].dir().Paths
	most, extra := 0.0, 0.0
	for _, p := range paths {
		most = max(most, float64(report.Known(p.Bytes)))
		extra = max(extra, float64(p.RetransmittedBytes), float64(report.Known(p.ReinjectedBytes)))
	}
	unit, by := byteUnit(most)
	small, less := byteUnit(extra)
	carried := Panel{Y: "Payload (" + unit + ")", Names: []string{}, Dense: true}
	again := Panel{Y: "Sent again (" + small + ")", Dense: true}
	for i, s := range paths {
		x := float64(i)
		carried.Names = append(carried.Names, s.Path)
		payload := bar("", x, 0.6, float64(report.Known(s.Bytes))/by, palette.Total)
		payload.wear(m.looks.path(s.Path))
		payload.Labels = []string{threeDigits(payload.XY[0].Hi) + " " + unit}
		if s.Percent != nil {
			payload.Labels[0] += ", " + threeDigits(*s.Percent) + " %"
		}
		carried.Layers = append(carried.Layers, payload)
		for k, part := range []struct {
			name  string
			bytes int64
			ink   color.NRGBA
		}{{"retransmitted", s.RetransmittedBytes, palette.Total}, {"reinjected", report.Known(s.ReinjectedBytes), faint}} {
			l := bar(part.name, x-0.15+0.3*float64(k), 0.26, float64(part.bytes)/less, part.ink)
			l.Labels = []string{threeDigits(l.XY[0].Hi)}
			again.Layers = append(again.Layers, l)
		}
	}
	again.Names = carried.Names
	f.Panels = []Panel{carried}
	if extra > 0 {
		f.Panels = append(f.Panels, again)
	}
}

// threeDigits returns a number with three digits, for a label.
func threeDigits(v float64) string {
	switch size := math.Abs(v); {
	case size == 0:
		return "0"
	case size < 0.1:
		return fmt.Sprintf("%.2g", v)
	case size < 10:
		return fmt.Sprintf("%.2f", v)
	case size < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func bar(name string, at, width, value float64, c color.NRGBA) Layer {
	return Layer{Name: name, Shape: Bars, Colour: c, Width: width, XY: []Coord{{at, 0, value}}}
}

// pathBars draws the means of samples, in units of by, as bars with the looks of the paths.
func (m *maker) pathBars(list []sample, by float64) Panel {
	return m.groups(list, func(at, width float64, values []float64, s sample) []Layer {
		for i := range values {
			values[i] /= by
		}
		l := Layer{Shape: Bars, Width: 0.85 * width}
		l.wear(m.looks.path(s.path))
		return meanBar(l, at, values)
	})
}

// meanBars draws a bar for each path and scenario: the mean of the runs. If there are several
// runs, each is also a dot. most is the largest value of a run.
func (m *maker) meanBars(name string, of func(*report.PathShare) int64) (p Panel, most int64) {
	paths := map[string][]string{} // by scenario. A run that lacks one of these paths carried 0 bytes over it.
	for _, r := range m.runs {
		for i := range r.dir().Paths {
			paths[r.Scenario] = campaign.Once(paths[r.Scenario], r.dir().Paths[i].Path)
		}
	}
	var list []sample
	for _, r := range m.runs {
		for _, path := range paths[r.Scenario] {
			carried := int64(0)
			for i := range r.dir().Paths {
				if s := &r.dir().Paths[i]; s.Path == path {
					carried = of(s)
				}
			}
			most = max(most, carried)
			list = append(list, sample{r.Scenario, average{path, float64(carried)}})
		}
	}
	unit, by := byteUnit(float64(most))
	p = m.pathBars(list, by)
	p.Y = name + " (" + unit + ")"
	return p, most
}
