package overlay

import (
	"cmp"
	"math"
	"slices"

	"mpanalyze/internal/report"
)

// Moved says how a figure of a connection moved with a series beside the capture. A correlation is
// no cause.
type Moved struct {
	Series      string           `json:"series"`
	Unit        string           `json:"unit"`
	Direction   report.Direction `json:"direction"`
	Subflow     *int             `json:"subflow"` // nil for the connection
	Path        *string          `json:"path"`
	Figure      string           `json:"figure"` // throughput, or a state of time_account: its share of each cell
	CellS       float64          `json:"cell_s"`
	Cells       int              `json:"cells"`
	Independent *float64         `json:"independent_cells"`
	Spearman    *float64         `json:"spearman"`
	Low         *float64         `json:"ci95_low"`
	High        *float64         `json:"ci95_high"`
	LagS        *float64         `json:"lag_s"` // positive where the figure follows the series
	AtLag       *float64         `json:"spearman_at_lag"`
	Unavailable *string          `json:"unavailable"` // why there is no correlation
}

// Beyond reports whether the figure moved with the series beyond chance: the interval leaves out 0.
func (m *Moved) Beyond() bool { return m.Low != nil && (*m.Low > 0 || *m.High < 0) }

// leastPart is the part of the bytes of a connection from which on a direction is compared.
const leastPart = 0.1

// Of returns how the figures of a connection moved with each series of the file. first is the time
// of the first packet of the captures, nanoseconds since the epoch.
func (x *Cells) Of(c *report.Connection, first int64) (out []Moved) {
	var ids []lineID
	for id := range x.lines {
		if id.connection == c.ID && compared(c, id.direction) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b lineID) int {
		return cmp.Or(cmp.Compare(a.direction, b.direction), cmp.Compare(a.subflow, b.subflow))
	})
	for i := range x.Set.Series {
		s := &x.Set.Series[i]
		list := s.Since(first, int64(c.Start))
		for _, id := range ids {
			out = append(out, x.lines[id].with(s, list, id, c)...)
		}
	}
	return out
}

// compared reports whether a direction has data that is worth a comparison.
func compared(c *report.Connection, d report.Direction) bool {
	a, b := c.A2B.Volume(), c.B2A.Volume()
	of := a
	if d == report.B2A {
		of = b
	}
	return of > 0 && float64(of) >= leastPart*float64(a+b)
}

// with compares a line with a series.
func (l *line) with(s *Series, list []Point, id lineID, c *report.Connection) (out []Moved) {
	beside := values(list, l.width, len(l.cells))
	for i := range c.CaptureGaps {
		l.mask(beside, c.CaptureGaps[i].Before.TS, c.CaptureGaps[i].After.TS)
	}
	add := func(figure string, of []float64) {
		m := Moved{Series: s.Name, Unit: s.Unit, Direction: id.direction, Figure: figure, CellS: float64(l.width) / 1e9}
		if i := slices.IndexFunc(c.Subflows, func(o report.Subflow) bool { return o.ID == id.subflow }); i >= 0 {
			m.Subflow, m.Path = &id.subflow, &c.Subflows[i].Path
		}
		r, why := Correlate(beside, of)
		if m.Cells = r.Cells; why != "" {
			m.Unavailable = &why
		} else {
			lag := float64(int64(r.Lag)*l.width) / 1e9
			m.Independent, m.Spearman, m.Low, m.High, m.LagS, m.AtLag = &r.Independent, &r.Rho, &r.Low, &r.High, &lag, &r.AtLag
		}
		out = append(out, m)
	}
	if rates := l.rates(); count(rates) > 0 {
		add(throughput, rates)
	}
	for i, state := range new(report.TimeAccount).States() {
		if shares := l.shares(i); slices.ContainsFunc(shares, func(v float64) bool { return v > 0 }) {
			add(state.Name, shares)
		}
	}
	return out
}

// mask takes the values of the cells between two times, seconds. Nothing is compared across a gap of
// the capture.
func (l *line) mask(list []float64, from, to float64) {
	width := float64(l.width) / 1e9
	for i := max(0, int(from/width)); i < len(list) && float64(i)*width <= to; i++ {
		list[i] = math.NaN()
	}
}
