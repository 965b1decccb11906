package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// maxRowsShown is the largest number of subflows in a panel. It takes those with the most bytes.
const maxRowsShown = 8

// timeAccountFigure draws what the time of a direction went to: a row for each subflow, with a
// band coloured by its state and its throughput. Of several runs it draws the shares of the states.
func timeAccountFigure(m *maker, _ []string) (*Figure, error) {
	if len(m.runs) > 1 {
		return m.timeShares()
	}
	r := m.runs[0]
	f := &Figure{Title: m.title("Where the time went")}
	p := m.accountPanel(r)
	if len(p.Layers) == 0 {
		if r.From != 0 || r.To != 0 {
			return nil, r.nothingShown()
		}
		return nil, fmt.Errorf("%w; no %s in %s%s", ErrEmpty, timeAccount, m.where(), r.reason(timeAccount))
	}
	p.Head = r.verdictText()
	if shares := r.sharesOf(r.dir().TimeAccount); len(shares) > 0 {
		f.explain("shares of the time: " + strings.Join(shares, ", "))
	}
	if all := len(r.connection().Subflows); len(p.Rows) == maxRowsShown && all > maxRowsShown {
		f.explain(fmt.Sprintf("the %d of %d subflows with the most bytes", maxRowsShown, all))
	}
	f.Tall = float64(len(p.Rows)) / fewRows
	f.Panels = []Panel{p}
	return f, nil
}

// accountPanel returns the rows of a run.
func (m *maker) accountPanel(r *Run) Panel {
	p := Panel{X: timeLabel, Y: "Throughput (Mbit/s)"}
	shown := r.accounted()
	full := 0.0
	for _, s := range shown {
		if l := r.seriesOf(s, throughput); l != nil {
			for _, c := range l.Points(m.columns) {
				full = max(full, c.Hi)
			}
		}
	}
	full = roundUp(full)
	bands := make([]Layer, palette.States)
	for i, s := range shown {
		row := Row{Name: s.Path, Words: r.sharesOf(s.Dir(r.Direction).TimeAccount)}
		if slices.ContainsFunc(shown, func(o *report.Subflow) bool { return o != s && o.Path == s.Path }) {
			row.Name += fmt.Sprintf(" (subflow %d)", s.ID)
		}
		if why, absent := s.Dir(r.Direction).Unavailable.Of(timeAccount); absent {
			row.Note = "no " + timeAccount + ": " + why
		}
		if l := r.seriesOf(s, timeAccount); l != nil {
			addBands(bands, l.Points(m.columns), i, len(shown))
		}
		if l := r.seriesOf(s, throughput); l != nil && full > 0 {
			row.Full = full
			c := m.curve(r, l)
			c.Name, c.Keys, c.Colour, c.Dash, c.Sign = throughput, nil, palette.Total, 0, 0 // the row says which path
			c.intoRow(i, len(shown), full)
			p.Layers = append(p.Layers, c)
		}
		p.Rows = append(p.Rows, row)
	}
	p.Layers = append(p.Layers, named(bands, Bands, 0)...)
	if len(p.Layers) > 0 && !m.options.NoEvents {
		p.Moments = m.accountMoments(r)
		from, to := p.span()
		p.Moments = slices.DeleteFunc(p.Moments, func(e Moment) bool { return e.X < from || e.X > to })
	}
	return p
}

// seriesOf returns a series of a subflow; nil for none.
func (r *Run) seriesOf(s *report.Subflow, name string) *timeline.Series {
	for _, l := range r.series(name) {
		if l.Subflow == s.ID {
			return l
		}
	}
	return nil
}

// accounted returns the subflows that the figure shows: those with an account or with
// throughput in the direction.
func (r *Run) accounted() (out []*report.Subflow) {
	c := r.connection()
	for i := range c.Subflows {
		// The capture may lack this direction.
		if s := &c.Subflows[i]; r.subflow(i) != nil && (r.seriesOf(s, timeAccount) != nil || r.seriesOf(s, throughput) != nil) {
			out = append(out, s)
		}
	}
	return largest(out, maxRowsShown, func(s *report.Subflow) float64 { return float64(report.Known(s.Dir(r.Direction).Bytes)) })
}

// largest returns the n elements of a list that have most, in its order. It may change the list.
func largest[T comparable](list []T, n int, has func(T) float64) []T {
	if len(list) <= n {
		return list
	}
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b T) int { return cmp.Compare(has(b), has(a)) })
	return slices.DeleteFunc(list, func(x T) bool { return !slices.Contains(sorted[:n], x) })
}

// addBands adds the states of a subflow to the layers of the states. Each state holds until the
// next point.
func addBands(to []Layer, points []timeline.Point, row, rows int) {
	low := rowLow(row, rows)
	for i := 0; i < len(points); {
		next := i + 1
		for next < len(points)-1 && points[next].Lo == points[i].Lo {
			next++
		}
		state := int(points[i].Lo)
		if next < len(points) && points[next].T > points[i].T && state >= 0 && state < len(to) {
			from, until := float64(points[i].T)/1e9, float64(points[next].T)/1e9
			to[state].XY = append(to[state].XY, Coord{from, low, low + bandTop}, Coord{until, low, low + bandTop})
		}
		i = next
	}
}

// span returns the first and the last time on the horizontal axis.
func (p *Panel) span() (from, to float64) {
	from, to = math.Inf(1), math.Inf(-1)
	for i := range p.Layers {
		first, last, _, _ := p.Layers[i].DataRange()
		from, to = min(from, first), max(to, last)
	}
	return axisBegins(from, to), to
}

// named returns the layers of the states that occur, with their names and looks.
func named(layers []Layer, shape Shape, width float64) (out []Layer) {
	for i, s := range new(report.TimeAccount).States() {
		l := layers[i]
		if len(l.XY) == 0 {
			continue
		}
		look := palette.OfState(i)
		l.Shape, l.Width, l.Name, l.Colour, l.Dash = shape, width, s.Name, look.Colour, look.Stripes
		out = append(out, l)
	}
	return out
}

// LeastShare is the part of the time from which on figures name a state, percent.
const LeastShare = 0.5

// sharesOf returns the longest states of an account. It returns nothing if the figure shows a part
// of the time: the shares are of all of it.
func (r *Run) sharesOf(x *report.TimeAccount) []string {
	if x == nil || r.From != 0 || r.To != 0 {
		return nil
	}
	return x.Shares(LeastShare)
}

// roundUp returns the least multiple of the step of an axis up to v that is not below v.
func roundUp(v float64) float64 {
	ticks := Ticks(0, v, 3)
	if len(ticks) < 2 {
		return v
	}
	step := ticks[1].Value
	return step * math.Ceil(v/step)
}

// verdictText returns the code of the first verdict and what it says, up to its reasons and
// consequences; "" if there is none.
func (r *Run) verdictText() string {
	v := r.verdict()
	if v == nil {
		return ""
	}
	text := v.Text
	for _, end := range []string{"; ", ": ", ". "} {
		text, _, _ = strings.Cut(text, end)
	}
	return string(v.Code) + ": " + text
}

// verdict returns the first verdict that concerns the direction, or the connection; nil for none.
func (r *Run) verdict() *report.Verdict {
	list := report.Known(r.connection().Verdicts)
	i := slices.IndexFunc(list, func(v report.Verdict) bool { return v.Direction == nil || *v.Direction == r.Direction })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// accountMoments returns the events that panels over time mark, and the ends of the subflows and
// of the data, when a path came back, and the first packet that proves the first verdict.
func (m *maker) accountMoments(r *Run) (out []Moment) {
	for _, e := range m.moments(r, timeAccount) {
		e.Colour = neutral // colours are states
		out = campaign.Once(out, e)
	}
	add := func(at float64, letter, name string) {
		if t := int64(at * 1e9); t >= r.From && (r.To == 0 || t <= r.To) {
			out = campaign.Once(out, Moment{X: at, Letter: letter, Name: name, Colour: neutral})
		}
	}
	for _, h := range report.Known(r.dir().Handovers) {
		if h.RecoveredS != nil {
			add(*h.RecoveredS, "B", "path back")
		}
	}
	if v := r.verdict(); v != nil {
		if i := slices.IndexFunc(v.Evidence, func(p report.Proof) bool { return p.TS != nil }); i >= 0 {
			add(*v.Evidence[i].TS, "V", "verdict "+string(v.Code))
		}
	}
	slices.SortStableFunc(out, func(a, b Moment) int { return cmp.Compare(a.X, b.X) })
	return out
}
