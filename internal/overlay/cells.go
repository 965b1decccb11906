package overlay

import (
	"fmt"
	"math"
	"slices"

	"mpanalyze/internal/report"
)

// The series of the report that are compared.
const (
	throughput  = "throughput"
	timeAccount = "time_account"
)

const (
	maxCells = 2048 // of a line; beyond, cells become twice as wide
	maxLines = 64   // connections, their directions and their subflows; 200 kB each
	states   = 11   // of the account of time
)

var _ = [states]report.NamedState(new(report.TimeAccount).States()) // both have the same length

// Cells gathers throughput and states of connections in cells of time. It is a [report.RowSink].
type Cells struct {
	report.NopRows
	Set      *Set
	interval int64 // of a value of throughput, ns
	lines    map[lineID]*line
	full     bool // there are more lines
}

// lineID says what a line is of.
type lineID struct {
	connection int
	direction  report.Direction
	subflow    int // or [report.NoSubflow]
}

// line is the cells of a direction of a connection or of a subflow, from the connection's start.
type line struct {
	width int64 // ns
	cells []cell

	rateTo int64 // where the latest value of throughput ends
	paused bool  // and whether it is 0

	since int64 // when the latest state began
	state int   // its number; -1 for none
}

// cell holds sums over the time of a cell.
type cell struct {
	megabits, rated float64 // of the part in which throughput is known, s
	states          [states]float64
}

// NewCells returns cells to compare with the series of a file. interval is that of the analysis, ns.
func NewCells(s *Set, interval int64) *Cells {
	return &Cells{Set: s, interval: interval, lines: map[lineID]*line{}}
}

// Wants reports whether a series is gathered.
func (x *Cells) Wants(metric string) bool { return metric == throughput || metric == timeAccount }

// Series takes values of series ([report.RowSink]).
func (x *Cells) Series(rows []report.SeriesRow) error {
	for i := range rows {
		r := &rows[i]
		l := x.line(lineID{r.Connection, r.Direction, r.Subflow})
		switch {
		case l == nil:
		case r.Metric == throughput:
			l.rate(r.T, r.T+x.interval, r.Value)
		case r.Metric == timeAccount:
			if l.state >= 0 {
				l.spread(l.since, r.T, func(c *cell, s float64) { c.states[l.state] += s })
			}
			if l.since, l.state = r.T, int(r.Value); l.state >= states {
				l.state = -1
			}
		}
	}
	return nil
}

// rate adds a value of throughput. Of a long pause only the first and the last cell have a row
// ([report.Omitting]), so cells between two without data have none, either.
func (l *line) rate(from, to int64, v float64) {
	if l.paused && v == 0 && l.rateTo < from {
		from = l.rateTo
	}
	l.spread(from, to, func(c *cell, s float64) {
		c.megabits += v * s
		c.rated += s
	})
	l.rateTo, l.paused = to, v == 0
}

// line returns the cells of a direction, or nil if there are too many.
func (x *Cells) line(id lineID) *line {
	l := x.lines[id]
	switch {
	case l != nil:
	case len(x.lines) == maxLines:
		x.full = true
	default:
		l = &line{width: x.interval, state: -1}
		x.lines[id] = l
	}
	return l
}

// Warnings says what is not compared, as one sentence; nothing if all is.
func (x *Cells) Warnings() []string {
	if !x.full {
		return nil
	}
	return []string{fmt.Sprintf("%s: only the first %d directions of connections and subflows are compared; --connection chooses one connection", x.Set.File, maxLines)}
}

// spread calls add for each cell between two times with the seconds of the cell that lie between.
func (l *line) spread(from, to int64, add func(*cell, float64)) {
	from = max(from, 0)
	for to > from && (to-1)/l.width >= maxCells {
		l.widen()
	}
	for at := from; at < to; {
		i := at / l.width
		end := min(to, (i+1)*l.width)
		for int64(len(l.cells)) <= i {
			l.cells = append(l.cells, cell{})
		}
		add(&l.cells[i], float64(end-at)/1e9)
		at = end
	}
}

// widen joins each two neighbouring cells.
func (l *line) widen() {
	n := (len(l.cells) + 1) / 2
	for i := range n {
		c := l.cells[2*i]
		if 2*i+1 < len(l.cells) {
			next := &l.cells[2*i+1]
			c.megabits, c.rated = c.megabits+next.megabits, c.rated+next.rated
			for k := range c.states {
				c.states[k] += next.states[k]
			}
		}
		l.cells[i] = c
	}
	l.width, l.cells = 2*l.width, slices.Clip(l.cells[:n])
}

// rates returns the throughput of each cell. A cell that is known for less than half has none.
func (l *line) rates() []float64 {
	out, half := make([]float64, len(l.cells)), float64(l.width)/2e9
	for i := range l.cells {
		c := &l.cells[i]
		if out[i] = math.NaN(); c.rated >= half {
			out[i] = c.megabits / c.rated
		}
	}
	return out
}

// shares returns the share of a state of each cell, by the same rule.
func (l *line) shares(state int) []float64 {
	out, half := make([]float64, len(l.cells)), float64(l.width)/2e9
	for i := range l.cells {
		all := 0.0
		for _, s := range l.cells[i].states {
			all += s
		}
		if out[i] = math.NaN(); all >= half {
			out[i] = l.cells[i].states[state] / all
		}
	}
	return out
}

// values returns the mean of a series in each of n cells. A value holds until the next one. A cell
// of which less than half has a value has none.
func values(list []Point, width int64, n int) []float64 {
	out := make([]float64, n)
	at := 0
	for i := range out {
		from, to := int64(i)*width, int64(i+1)*width
		sum, known := 0.0, int64(0)
		for at > 0 && list[at].T > from {
			at--
		}
		for ; at+1 < len(list) && list[at].T < to; at++ {
			if held := min(to, list[at+1].T) - max(from, list[at].T); held > 0 {
				sum += list[at].Value * float64(held)
				known += held
			}
			if list[at+1].T >= to {
				break
			}
		}
		if out[i] = math.NaN(); 2*known >= width {
			out[i] = sum / float64(known)
		}
	}
	return out
}
