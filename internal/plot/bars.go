package plot

import (
	"encoding/json"
	"image/color"
	"strings"

	"mpanalyze/internal/metrics"
	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
)

// sharesFigure stacks, for each path, the bytes that it carried first, those
// that it retransmitted and those reinjected onto it.
func sharesFigure(m *maker, _ []string) (*Figure, error) {
	most, extra := 0.0, 0.0
	for _, r := range m.runs {
		for _, p := range r.dir().Paths {
			most = max(most, float64(p.Bytes))
			extra = max(extra, float64(p.RetransmittedBytes), float64(p.ReinjectedBytes))
		}
	}
	unit, by := octets(most)
	small, less := octets(extra)
	carried := Panel{Y: "Payload (" + unit + ")", Names: []string{}}
	again := Panel{Y: "Sent again (" + small + ")"}
	for _, r := range m.runs {
		for _, s := range r.dir().Paths {
			x := float64(len(carried.Names))
			carried.Names = append(carried.Names, strings.TrimSpace(r.Scenario+" "+s.Path))
			c := palette.Of(m.paths.Number(s.Path))
			bar := func(at, width, value, by float64, c color.NRGBA, name string) Layer {
				return Layer{Name: name, Shape: Bars, Colour: c, Width: width, XY: []Coord{{at, 0, value / by}}}
			}
			carried.Layers = append(carried.Layers, bar(x, 0.6, float64(s.Bytes), by, c, s.Path))
			again.Layers = append(again.Layers,
				bar(x-0.15, 0.26, float64(s.RetransmittedBytes), less, palette.Total, "retransmitted"),
				bar(x+0.15, 0.26, float64(s.ReinjectedBytes), less, faint, "reinjected"))
		}
	}
	again.Names = carried.Names
	f := &Figure{m.title("What each path carried"), []Panel{carried}}
	if extra > 0 {
		f.Panels = append(f.Panels, again)
	}
	return f, nil
}

// boxFigure draws, for each metric, a box per scenario over the averages of
// its runs, and where the metric is one of subflows, per path.
func boxFigure(m *maker, names []string) (*Figure, error) {
	return m.perMetric("Runs by scenario", names, func(name string) Panel {
		p := Panel{Y: label(name, unitOf(name)), Names: []string{}}
		place := map[string]int{}
		for _, r := range m.runs {
			for _, v := range r.averages(name) {
				m.dot(&p, place, r, v)
			}
		}
		return p
	})
}

// dot adds one run to its box.
func (m *maker) dot(p *Panel, place map[string]int, r *Run, v average) {
	where := strings.TrimSpace(r.Scenario + " " + v.path)
	if where == "" {
		where = "all runs"
	}
	i, ok := place[where]
	if !ok {
		i = len(p.Names)
		place[where] = i
		p.Names = append(p.Names, where)
		c := palette.Of(m.numbers[r.Scenario])
		if v.path != "" {
			c = palette.Of(m.paths.Number(v.path))
		}
		p.Layers = append(p.Layers, Layer{Shape: Boxes, Colour: c, Width: 0.5}, Layer{Shape: Dots, Mark: Disc, Colour: palette.Total})
	}
	at := float64(i)
	p.Layers[2*i].XY = append(p.Layers[2*i].XY, Coord{at, v.value, v.value})
	p.Layers[2*i+1].XY = append(p.Layers[2*i+1].XY, Coord{at, v.value, v.value})
}

// average is a metric's figure in one run.
type average struct {
	path  string // empty for the whole connection
	value float64
}

// averages returns the figures of a metric as the report has them: of the
// connection's direction, or of each subflow.
func (r *Run) averages(name string) (out []average) {
	for _, row := range metrics.Lookup(name) {
		if v, ok := field(r.dir(), row.JSON); ok {
			return []average{{"", v}}
		}
		c := r.connection()
		for i := range c.Subflows {
			s := &c.Subflows[i]
			d := &s.A2B
			if r.Direction == report.B2A {
				d = &s.B2A
			}
			if v, ok := field(d, row.JSON); ok {
				out = append(out, average{s.Path, v})
			}
		}
		if out != nil {
			return out
		}
	}
	return out
}

// field returns a number of a part of the report by its JSON name, or the
// average of a summary.
func field(part any, name string) (v float64, ok bool) {
	text, err := json.Marshal(part)
	if err != nil {
		return 0, false
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return 0, false
	}
	raw := fields[name]
	if raw == nil || string(raw) == "null" {
		return 0, false
	}
	if json.Unmarshal(raw, &v) == nil {
		return v, true
	}
	var stat struct{ Avg *float64 }
	if json.Unmarshal(raw, &stat) != nil || stat.Avg == nil {
		return 0, false
	}
	return *stat.Avg, true
}
