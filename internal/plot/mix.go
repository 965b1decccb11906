package plot

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
)

// mostBars is the largest number of bars in a panel. Their names then have 5 points in a figure
// of 16 cm.
const mostBars = 63

// manyFont is the size of the font of a figure of many pairs, in points.
const manyFont = 6

// wholeRow is the number of bars that take the width of a figure.
const wholeRow = 40

// mixFigure has the bytes of each path stacked, a bar for each pair of settings, as in the paper
// MIX. Marks on a second axis are the retransmitted segments of each path. Each network has a
// panel, or one for each X of many pairs X_Y.
func mixFigure(m *maker, _ []string) (*Figure, error) {
	f := &Figure{Title: m.title("Bytes of each path and its retransmitted segments"), Font: smallFont}
	bars := m.stacks()
	if len(bars) == 0 {
		return nil, fmt.Errorf("%w: what each path carried is not known in %s%s", ErrEmpty, m.where(), m.runs[0].reason("bytes"))
	}
	left := 0
	for _, r := range m.all {
		if !r.showsPaths() {
			left++
		}
	}
	if left > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%d of %d runs do not show what each path carried, and are left out", left, len(m.all)))
	}
	if m.repeated {
		f.explain(meansOfRuns, "dots: totals of runs")
	}
	if slices.ContainsFunc(m.all, (*Run).atReceiver) {
		f.Notes = append(f.Notes, "retransmitted segments: captured at the receiver alone, which shows only copies that arrived twice")
	}
	if len(bars) <= mostBars {
		f.Columns, f.Panels = max(1, min(fewColumns, wholeRow/len(bars))), []Panel{m.mixPanel(bars)}
		return f, nil
	}
	f.Panels, f.Columns = m.manyPairs(bars) // they stand on a page of their own
	rows := (len(f.Panels) + f.Columns - 1) / f.Columns
	f.Font, f.High = manyFont, min(max(lowestHeight, (tallestPage-titleAndLegend)/float64(rows)), mostHeight)
	return f, nil
}

const meansOfRuns = "means of the runs"

// stackedBar is the bar of a pair of settings.
type stackedBar struct {
	name  string
	bytes []float64 // of each path, means of the runs
	again []float64 // retransmitted segments of each path, means of the runs
	sums  []float64 // bytes of each run
}

// stacks returns the bars in the order in which the runs are given. It leaves out runs that do not
// show what each path carried.
func (m *maker) stacks() (out []*stackedBar) {
	for _, of := range m.scenarios() {
		b := &stackedBar{name: of.runs[0].Scenario}
		var runs []*Run
		if b.bytes, runs = of.means(func(r *Run) []float64 { return m.perPath(r, r.firstBytes) }); b.bytes == nil {
			continue
		}
		b.again, _ = of.of(runs).means(func(r *Run) []float64 { return m.perPath(r, r.retransmitted) })
		for _, r := range runs {
			b.sums = append(b.sums, floats.Sum(m.perPath(r, r.firstBytes)))
		}
		out = append(out, b)
	}
	return out
}

// perPath returns a value of a run for each path of the figure; nil if the run does not show what each path carried.
func (m *maker) perPath(r *Run, of func(path string) float64) (out []float64) {
	for _, path := range m.looks.order {
		if r.showsPaths() {
			out = append(out, of(path))
		}
	}
	return out
}

// means returns the means of the parts of a bar over the runs that have them, and these runs.
func (m *maker) means(parts func(*Run) []float64) (mean []float64, have []*Run) {
	for _, r := range m.runs {
		if v := parts(r); v != nil {
			have = append(have, r)
			if mean == nil {
				mean = make([]float64, len(v))
			}
			floats.Add(mean, v)
		}
	}
	floats.Scale(1/float64(max(1, len(have))), mean)
	return mean, have
}

// showsPaths reports whether the capture shows which path carried the data.
func (r *Run) showsPaths() bool {
	paths := r.dir().Paths
	return len(paths) > 0 && !slices.ContainsFunc(paths, func(s report.PathShare) bool { return s.FirstBytes == nil })
}

// firstBytes returns the data bytes that a path was the first to carry. Those of all paths are the
// bytes by which compare ranks.
func (r *Run) firstBytes(path string) (sum float64) {
	for i := range r.dir().Paths {
		if s := &r.dir().Paths[i]; s.Path == path {
			sum += float64(report.Known(s.FirstBytes))
		}
	}
	return sum
}

// retransmitted returns the segments that were retransmitted on a path.
func (r *Run) retransmitted(path string) (sum float64) {
	for i := range r.connection().Subflows {
		if d := r.subflow(i); d != nil && r.connection().Subflows[i].Path == path {
			sum += float64(d.RetransmittedSegments)
		}
	}
	return sum
}

// subflow returns the figure's direction of a subflow, or nil if the report does not have it.
func (r *Run) subflow(i int) *report.SubDir {
	return r.connection().Subflows[i].Dir(r.Direction)
}

// atReceiver reports whether the run was captured at the receiver of the data alone.
func (r *Run) atReceiver() bool {
	return r.Document.Clock == nil && r.connection().Vantage == r.Direction.Receiver()
}

// manyPairs returns a panel for each X of pairs X_Y, with the same Ys in all of them, and how many
// stand side by side. Pairs of other names follow each other in the order of their bytes.
func (m *maker) manyPairs(bars []*stackedBar) (out []Panel, columns int) {
	xs, ys, err := pairGrid(m.runs)
	if err != nil || len(ys) > mostBars {
		slices.SortStableFunc(bars, func(a, b *stackedBar) int { return cmp.Compare(mean(b.sums), mean(a.sums)) })
		rows := (len(bars) + mostBars - 1) / mostBars
		for part := range slices.Chunk(bars, (len(bars)+rows-1)/rows) {
			out = append(out, m.mixPanel(part))
		}
		return out, 1
	}
	at := map[[2]string]*stackedBar{}
	for _, b := range bars {
		xy, _ := campaign.SplitPair(b.name)
		at[xy] = b
	}
	for _, x := range xs {
		row := make([]*stackedBar, len(ys))
		for i, y := range ys {
			row[i] = cmp.Or(at[[2]string{x, y}], &stackedBar{})
			row[i].name = y
		}
		p := m.mixPanel(row)
		p.Head, p.X = "X = "+x, "Y of the pair X_Y"
		out = append(out, p)
	}
	return out, max(1, mostBars/len(ys))
}

// mixPanel draws bars: the stacks, the marks of each path, and the totals of runs as dots.
func (m *maker) mixPanel(bars []*stackedBar) Panel {
	p := Panel{Y: "Data bytes", bytes: true, Names: []string{}, Right: &Side{Title: "Retransmitted segments", Whole: true}}
	paths := len(m.looks.order)
	stacks, marks := make([]Layer, paths), make([]Layer, paths)
	dots := Layer{Name: "total of a run", Shape: Dots, Mark: Spot, Colour: palette.Total}
	for k, path := range m.looks.order {
		look := m.looks.path(path)
		stacks[k] = Layer{Name: path, Shape: Bars, Width: 0.7}
		stacks[k].wear(look)
		marks[k] = Layer{Name: path + ", retransmitted", Shape: Dots, Mark: pathMarks[k%len(pathMarks)], Colour: look.colour, Right: true}
	}
	if len(bars) > wholeRow/2 {
		for k := range marks {
			marks[k].Pen = smallMarks
		}
	}
	for i, b := range bars {
		p.Names = append(p.Names, b.name)
		at := float64(i)
		stack(stacks, at, b.bytes)
		for k := range b.bytes {
			x := at + (float64(k)-float64(paths-1)/2)*0.7/float64(paths+1)
			marks[k].XY = append(marks[k].XY, Coord{x, b.again[k], b.again[k]})
		}
		for _, v := range b.sums {
			if len(b.sums) > 1 {
				dots.XY = append(dots.XY, Coord{at, v, v})
			}
		}
	}
	p.Layers = slices.DeleteFunc(append(append(stacks, dots), marks...), func(l Layer) bool { return len(l.XY) == 0 })
	if len(p.Names) == 1 && p.Names[0] == "" {
		p.Names[0] = "this run"
	}
	return p
}

// stack adds a bar to layers: a part for each of the values above 0, above those before.
func stack(layers []Layer, at float64, values []float64) {
	base := 0.0
	for k, v := range values {
		if v > 0 {
			layers[k].XY = append(layers[k].XY, Coord{at, base, base + v})
		}
		base += v
	}
}
