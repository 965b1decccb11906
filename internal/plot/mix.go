package plot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
// panel.
func mixFigure(m *maker, _ []string) (*Figure, error) {
	f := &Figure{Title: m.title("Bytes of each path and its retransmitted segments"), Font: smallFont}
	bars := m.stacks()
	if len(bars) == 0 {
		return nil, fmt.Errorf("%w: what each path carried is not known in %s%s", ErrEmpty, m.where(), m.runs[0].reason("bytes"))
	}
	if left := len(m.runs) - runsOf(bars); left > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%d of %d runs do not show what each path carried, and are left out", left, len(m.runs)))
	}
	if runsOf(bars) > len(bars) {
		f.Title += "; means of the runs, dots: totals of runs"
	}
	scale := m.mixScale(bars)
	for network, of := range inNetworks(bars) {
		switch {
		case len(of) <= mostBars:
			f.Columns = max(1, f.Columns, min(fewColumns, wholeRow/len(of)))
			f.Panels = append(f.Panels, m.mixPanel(network, of, scale))
		default:
			f.add(m.manyPairs(network, of, scale))
		}
	}
	if slices.ContainsFunc(m.runs, (*Run).atReceiver) {
		f.Notes = append(f.Notes, "retransmitted segments: captured at the receiver alone, which shows only copies that arrived twice")
	}
	return f, nil
}

// stackedBar is the bar of a pair of settings in a network.
type stackedBar struct {
	setting
	runs  []*Run
	bytes []float64 // of each path, means of the runs
	again []float64 // retransmitted segments of each path, means of the runs
	sums  []float64 // bytes of each run
}

func (b *stackedBar) total() float64 { return mean(b.sums) }

func runsOf(bars []*stackedBar) (n int) {
	for _, b := range bars {
		n += len(b.runs)
	}
	return n
}

// stacks returns the bars in the order in which the runs are given. It leaves out runs that do not
// show what each path carried.
func (m *maker) stacks() (out []*stackedBar) {
	at := map[setting]*stackedBar{}
	settings := m.settings()
	for i, r := range m.runs {
		if !r.showsPaths() {
			continue
		}
		b := at[settings[i]]
		if b == nil {
			b = &stackedBar{setting: settings[i]}
			at[b.setting], out = b, append(out, b)
		}
		b.runs = append(b.runs, r)
	}
	for _, b := range out {
		b.sums = make([]float64, len(b.runs))
		for _, path := range m.looks.order {
			bytes, again := 0.0, 0.0
			for i, r := range b.runs {
				v := r.firstBytes(path)
				bytes, again, b.sums[i] = bytes+v, again+r.retransmitted(path), b.sums[i]+v
			}
			n := float64(len(b.runs))
			b.bytes, b.again = append(b.bytes, bytes/n), append(b.again, again/n)
		}
	}
	return out
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

// mixScale is what the panels of a figure share.
type mixScale struct {
	unit  string
	by    float64
	right *Side
}

func (m *maker) mixScale(bars []*stackedBar) mixScale {
	bytes, again := 0.0, 0.0
	for _, b := range bars {
		bytes, again = max(bytes, slices.Max(b.sums)), max(again, slices.Max(b.again))
	}
	unit, by := byteUnit(bytes)
	return mixScale{unit, by, &Side{Title: "Retransmitted segments", High: max(1, 1.05*again), Whole: true}}
}

// manyPairs returns a panel for each X of pairs X_Y, with the same Ys in all of them, and how many
// stand side by side. Pairs of other names follow each other in the order of their bytes.
func (m *maker) manyPairs(network string, bars []*stackedBar, s mixScale) (out []Panel, columns int) {
	at := map[[2]string]*stackedBar{}
	xs, ys, err := pairGrid(bars, func(xy [2]string, b *stackedBar) { at[xy] = b })
	if err != nil || len(ys) > mostBars {
		slices.SortStableFunc(bars, func(a, b *stackedBar) int { return cmp.Compare(b.total(), a.total()) })
		rows := (len(bars) + mostBars - 1) / mostBars
		for part := range slices.Chunk(bars, (len(bars)+rows-1)/rows) {
			out = append(out, m.mixPanel(network, part, s))
		}
		return out, 1
	}
	for _, x := range xs {
		row := make([]*stackedBar, len(ys))
		for i, y := range ys {
			if row[i] = at[[2]string{x, y}]; row[i] == nil {
				row[i] = &stackedBar{}
			}
			row[i].pair = y
		}
		p := m.mixPanel(network, row, s)
		p.Head, p.X = strings.TrimSpace(network+" X = "+x), "Y of the pair X_Y"
		out = append(out, p)
	}
	return out, max(1, mostBars/len(ys))
}

// add adds the panels of a network, which stand on a page of their own.
func (f *Figure) add(panels []Panel, columns int) {
	f.Panels = append(f.Panels, panels...)
	f.Columns, f.Group, f.Font = columns, len(panels), manyFont
	f.PageRows = max(f.PageRows, (len(panels)+columns-1)/columns)
}

// mixPanel draws the bars of a network: the stacks, the marks of each path, and the totals of runs
// as dots.
func (m *maker) mixPanel(network string, bars []*stackedBar, s mixScale) Panel {
	p := Panel{Head: network, Y: "Data bytes (" + s.unit + ")", Names: []string{}, Right: s.right, Dense: true}
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
		p.Names = append(p.Names, b.pair)
		at, base := float64(i), 0.0
		for k := range b.bytes {
			if high := base + b.bytes[k]/s.by; high > base {
				stacks[k].XY = append(stacks[k].XY, Coord{at, base, high})
				base = high
			}
			x := at + (float64(k)-float64(paths-1)/2)*0.7/float64(paths+1)
			marks[k].XY = append(marks[k].XY, Coord{x, b.again[k], b.again[k]})
		}
		for _, v := range b.sums {
			if len(b.sums) > 1 {
				dots.XY = append(dots.XY, Coord{at, v / s.by, v / s.by})
			}
		}
	}
	p.Layers = slices.DeleteFunc(append(append(stacks, dots), marks...), func(l Layer) bool { return len(l.XY) == 0 })
	if len(p.Names) == 1 && p.Names[0] == "" {
		p.Names[0] = "this run"
	}
	return p
}
