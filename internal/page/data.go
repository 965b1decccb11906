package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/plot"
)

// chartData is a chart as the script of the page takes it.
type chartData struct {
	Y      string      `json:"y"`
	Layers []layerData `json:"layers"`
	Rows   []rowData   `json:"rows,omitempty"`
	Events [][4]any    `json:"events"` // seconds, letter, name and colour of each
}

// rowData is a row of a chart.
type rowData struct {
	Name  string      `json:"name"`
	Note  string      `json:"note"`
	Full  json.Number `json:"full"`
	Words []string    `json:"words"`
}

// layerData is a layer of a chart.
type layerData struct {
	Name  string        `json:"name"`
	Shape string        `json:"shape"`
	Mark  string        `json:"mark"`
	Ink   string        `json:"ink"`
	Gap   json.Number   `json:"gap,omitempty"`
	Cell  json.Number   `json:"cell,omitempty"`
	Row   *int          `json:"row,omitempty"`  // of a curve
	Dash  int           `json:"dash,omitempty"` // pattern of a line, or of the stripes of bands
	Rows  []int         `json:"rows,omitempty"` // of each band
	X     []int64       `json:"x"`              // microseconds, each as the difference to the time before
	Lo    []json.Number `json:"lo"`             // none of bands: their rows say where they are
	H     []json.Number `json:"h,omitempty"`
}

// encode writes the charts for the script of the page. The result has no character that could end
// the script element, because [json.Marshal] escapes such characters in strings.
func encode(list []section) ([]byte, error) {
	var parts [][]byte
	for _, s := range list {
		charts := []chartData{}
		for i := range s.Charts {
			charts = append(charts, dataOfPanel(&s.Charts[i].panel))
		}
		part, err := json.Marshal(struct {
			ID     int         `json:"id"`
			Charts []chartData `json:"charts"`
		}{s.ID, charts})
		if err != nil {
			return nil, fmt.Errorf("writing the charts: %w", err)
		}
		parts = append(parts, part)
	}
	return slices.Concat([]byte{'['}, bytes.Join(parts, []byte(",\n")), []byte{']'}), nil
}

// maxMoments bounds the events that a chart marks.
const maxMoments = 100

func dataOfPanel(p *plot.Panel) chartData {
	out := chartData{Y: p.Y, Layers: []layerData{}, Events: [][4]any{}}
	for i := range p.Layers {
		out.Layers = append(out.Layers, dataOfLayer(&p.Layers[i], len(p.Rows)))
	}
	for _, r := range p.Rows {
		words := append([]string{}, r.Words...) // an empty list in JSON
		out.Rows = append(out.Rows, rowData{plaintext.Clean(r.Name), plaintext.Clean(r.Note), jsonNumber(r.Full, 'g', 6), words})
	}
	for _, e := range p.Moments[:min(len(p.Moments), maxMoments)] {
		out.Events = append(out.Events, [4]any{jsonNumber(e.X, 'f', 6), e.Letter, e.Name, hex(e.Colour)})
	}
	return out
}

// shapes names the shapes that the script of the page draws, marks the marks of points other than the usual one.
var (
	shapes = map[plot.Shape]string{plot.Line: "line", plot.Steps: "steps", plot.Spans: "spans", plot.Dots: "dots", plot.Bands: "bands"}
	marks  = map[plot.Mark]string{plot.Cross: "cross"}
)

// dataOfLayer returns a layer of a panel with this number of rows.
func dataOfLayer(l *plot.Layer, rows int) layerData {
	out := layerData{Name: plaintext.Clean(l.Name), Shape: shapes[l.Shape], Mark: marks[l.Mark], Ink: hex(l.Colour), Dash: l.Dash, X: []int64{}, Lo: []json.Number{}}
	if l.Gap > 0 {
		out.Gap = jsonNumber(l.Gap, 'g', 4)
	}
	if l.Shape == plot.Steps && l.Width > 0 {
		out.Cell = jsonNumber(l.Width, 'g', 4)
	}
	high, at := false, int64(0)
	for i, c := range l.XY {
		t := int64(math.Round(c.X * 1e6))
		out.X, at, high = append(out.X, t-at), t, high || c.Hi != c.Lo
		if l.Shape != plot.Bands {
			out.Lo, out.H = append(out.Lo, jsonNumber(c.Lo, 'g', 7)), append(out.H, jsonNumber(c.Hi-c.Lo, 'g', 7))
		} else if i%2 == 0 && i+1 < len(l.XY) {
			out.Rows = append(out.Rows, plot.RowOf(c.Lo, rows))
		}
	}
	if !high {
		out.H = nil
	}
	if rows > 0 && l.Shape != plot.Bands {
		out.Row = new(plot.RowOf(l.Shift, rows))
	}
	return out
}

func jsonNumber(v float64, form byte, digits int) json.Number {
	return json.Number(strconv.FormatFloat(v, form, digits, 64))
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
