package plot

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
)

// heatFigure has a heat map of pairs X_Y for each metric: X down, Y across, the mean of the runs as
// colour. Each network and each path has a panel.
func heatFigure(m *maker, names []string) (*Figure, error) {
	xs, ys, err := pairGrid(m.all)
	if err != nil {
		return nil, err
	}
	f, err := m.perMetric("Pairs X_Y", names, func(name string) (out []Panel) {
		values, paths := m.tiles(name, func(r *Run) (string, string) {
			xy, _ := campaign.SplitPair(r.Scenario)
			return xy[0], xy[1]
		})
		metric, stat := splitStat(name)
		side := Side{Title: m.statLabel(metric, stat, statWords[stat]), Low: math.Inf(1), High: math.Inf(-1), Ramp: true}
		if unitOf(metric) == "bytes" && stat == "" {
			side.Title, side.bytes = Label(metric, ""), true
		}
		for _, path := range paths {
			p := raster(path, xs, ys, side, values)
			p.Head, p.X, p.Y = path, "Y of the pair X_Y", "X of the pair X_Y"
			out = append(out, p)
		}
		return out
	})
	if err != nil {
		return nil, err
	}
	if m.repeated {
		f.explain(meansOfRuns)
	}
	f.High, f.Columns = tilesHigh(len(xs)), max(1, min(fewColumns, wholeRow/len(ys)))
	return f, nil
}

// everyTime is the column of the ranks over all runs.
const everyTime = "all"

// ranksFigure has a heat map of ranks for each metric: a row for each scenario, the best over all
// runs at the top, and a column for each value of a label of the runs, such as the hour. In a
// ranking that is steady, the colours of a row are alike.
func ranksFigure(m *maker, names []string) (*Figure, error) {
	if len(m.numbers) < 2 {
		return nil, errors.New("ranks need several scenarios")
	}
	columns, err := m.times()
	if err != nil {
		return nil, err
	}
	most := 0
	f, err := m.perMetric("Ranks for each "+m.options.Steady, names, func(name string) (out []Panel) {
		at := func(r *Run) (string, string) { return r.Scenario, r.Labels[m.options.Steady] }
		always := func(r *Run) (string, string) { return r.Scenario, everyTime }
		values, paths := m.tiles(name, at, always)
		ranks := ranked(values, name)
		side := Side{Title: "Rank by " + lower(name), Low: 1, High: 2, Whole: true, Ramp: true}
		for _, path := range paths {
			overall := func(row string) float64 { return ranks[tile{path, row, everyTime}] }
			var rows []string
			for _, r := range m.runs {
				if overall(r.Scenario) > 0 {
					rows = campaign.Once(rows, r.Scenario)
				}
			}
			slices.SortStableFunc(rows, func(a, b string) int { return cmp.Compare(overall(a), overall(b)) })
			parts := (len(rows) + rankRows - 1) / rankRows
			for part := range slices.Chunk(rows, max(1, (len(rows)+parts-1)/max(1, parts))) {
				most = max(most, len(part))
				p := raster(path, part, columns, side, ranks)
				p.Head, p.X = path, m.options.Steady
				out = append(out, p)
			}
		}
		return out
	})
	if err != nil {
		return nil, err
	}
	f.explain(everyTime + ": of all runs")
	if most > manyRows {
		f.Font = manyFont
	}
	f.High, f.Columns = tilesHigh(most), rankColumns
	return f, nil
}

const (
	manyRows    = 45  // more have small letters
	rankRows    = 111 // the most in a panel: 441 pairs stand in four
	rankColumns = 4   // panels side by side
)

// times returns the columns of the ranks: all runs, and each value of the label.
func (m *maker) times() (out []string, err error) {
	for _, r := range m.all {
		v := r.Labels[m.options.Steady]
		if v == "" {
			return nil, fmt.Errorf("a run of %s has no label %s; name it in --pattern or --manifest, or name another label with --steady", r.Scenario, m.options.Steady)
		}
		out = append(out, v)
	}
	slices.SortFunc(out, campaign.CompareNames)
	return append([]string{everyTime}, slices.Compact(out)...), nil
}

// tile is a place in one of the heat maps of a metric. The path is empty for the connection.
type tile struct{ path, row, column string }

// tiles returns the mean of the runs for each tile, and the paths. Each of the functions returns a row and a column of a run.
func (m *maker) tiles(name string, places ...func(*Run) (row, column string)) (means map[tile]float64, paths []string) {
	all := map[tile][]float64{}
	for _, r := range m.runs {
		for _, v := range r.averages(name) {
			paths = campaign.Once(paths, v.path)
			for _, place := range places {
				row, column := place(r)
				at := tile{v.path, row, column}
				all[at] = append(all[at], v.value)
			}
		}
	}
	means = map[tile]float64{}
	for at, v := range all {
		means[at] = mean(v)
	}
	return means, paths
}

// ranked returns the rank of each tile by a metric, among those of its map and column. Equal values have equal ranks.
func ranked(values map[tile]float64, name string) map[tile]float64 {
	metric, stat := splitStat(name)
	found := catalogue.Lookup(metrics.Table(), metric)
	lowest := len(found) > 0 && campaign.BetterOf(found[0], stat) == catalogue.LowerIsBetter // as in compare
	columns := map[tile][]float64{}
	for at, v := range values {
		at.row = ""
		columns[at] = append(columns[at], v)
	}
	out := map[tile]float64{}
	for at, v := range values {
		out[at] = 1
		for _, other := range columns[tile{at.path, "", at.column}] {
			if lowest && other < v || !lowest && other > v {
				out[at]++
			}
		}
	}
	return out
}

const (
	tileSize   = 0.94 // part of its place that a tile takes
	tileHeight = 0.4  // of a row that has room, cm
	mapAround  = 2    // height of what is around the tiles, cm
	tallestMap = 22   // cm
)

// tilesHigh returns the height of a heat map in cm.
func tilesHigh(rows int) float64 { return min(mapAround+tileHeight*float64(rows), tallestMap) }

// raster draws the tiles of a path, the first row at the top. Tiles without a value are hatched. [Figure.shareSides] gives the
// others their colours and numbers.
func raster(path string, rows, columns []string, side Side, values map[tile]float64) Panel {
	p := Panel{Names: columns, Places: slices.Clone(rows), Right: &side}
	slices.Reverse(p.Places)
	none := Layer{Name: "no run", Shape: Bars, Colour: grey, Dash: 1, Width: tileSize}
	for i, row := range p.Places {
		for j, column := range columns {
			at := Coord{float64(j), float64(i) - tileSize/2, float64(i) + tileSize/2}
			if v, ok := values[tile{path, row, column}]; ok {
				p.Layers = append(p.Layers, Layer{Shape: Tiles, Width: tileSize, XY: []Coord{at}, value: v})
			} else {
				none.XY = append(none.XY, at)
			}
		}
	}
	if len(p.Layers) > 0 && len(none.XY) > 0 {
		p.Layers = append(p.Layers, none)
	}
	return p
}
