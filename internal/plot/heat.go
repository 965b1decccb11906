package plot

import (
	"math"
	"slices"
	"strconv"

	"mpanalyze/internal/palette"
)

// heatFigure has a heat map of pairs X_Y for each metric: X down, Y across, the mean of the runs as
// colour. Each network and each path has a panel.
func heatFigure(m *maker, names []string) (*Figure, error) {
	settings := m.settings()
	places := map[string][2]string{}
	xs, ys, err := pairGrid(settings, func(xy [2]string, s setting) { places[s.pair] = xy })
	if err != nil {
		return nil, err
	}
	title, tried := "Pairs X_Y", map[setting]bool{}
	for _, s := range settings {
		tried[s] = true
	}
	if len(tried) < len(m.runs) {
		title += ", means of the runs"
	}
	f, err := m.perMetric(title, names, func(name string) (out []Panel) {
		values, paths := m.tileValues(name, func(i int) tile {
			xy := places[settings[i].pair]
			return tile{network: settings[i].network, row: xy[0], column: xy[1]}
		})
		side, by := m.scaleOf(name, values)
		for _, path := range paths {
			for network := range inNetworks(settings) {
				p := heatMap(xs, ys, side, func(x, y string) (float64, bool) {
					v, ok := values[tile{network, path, x, y}]
					return v / by, ok
				})
				p.Head, p.X, p.Y = joined(network, path), "Y of the pair X_Y", "X of the pair X_Y"
				out = append(out, p)
			}
		}
		return out
	})
	if err != nil {
		return nil, err
	}
	f.High = tilesHigh(len(xs))
	f.Columns = max(1, min(fewColumns, wholeRow/len(ys)))
	return f, nil
}

func joined(network, path string) string {
	if network == "" || path == "" {
		return network + path
	}
	return network + ", " + path
}

// tile is a place in one of the heat maps of a metric. The path is empty for the connection.
type tile struct{ network, path, row, column string }

// tileValues returns the mean of the runs for each tile, and the paths. place returns the tile of a
// run, without the path.
func (m *maker) tileValues(name string, place func(i int) tile) (means map[tile]float64, paths []string) {
	all := map[tile][]float64{}
	for i, r := range m.runs {
		for _, v := range r.averages(name) {
			at := place(i)
			at.path = v.path
			if all[at] = append(all[at], v.value); !slices.Contains(paths, v.path) {
				paths = append(paths, v.path)
			}
		}
	}
	means = map[tile]float64{}
	for at, v := range all {
		means[at] = mean(v)
	}
	return means, paths
}

// scaleOf returns the scale of the colours for the values of a metric, and by what these are divided.
func (m *maker) scaleOf(name string, values map[tile]float64) (*Side, float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	metric, stat := splitStat(name)
	title, by := m.statLabel(metric, stat, statWords[stat]), 1.0
	if unitOf(metric) == "bytes" && stat == "" {
		var unit string
		unit, by = byteUnit(high)
		title = label(metric, "") + " (" + unit + ")"
	}
	if low > 0 && low < high/4 {
		low = 0
	}
	if low == high {
		high = low + by
	}
	return &Side{Title: title, Low: low / by, High: high / by, Ramp: true}, by
}

const (
	tileSize   = 0.94 // part of its place that a tile takes
	tileHeight = 0.4  // of a row that has room, cm
	mapAround  = 2    // height of what is around the tiles, cm
	tallestMap = 22   // cm
)

// tilesHigh returns the height of a heat map in cm.
func tilesHigh(rows int) float64 { return min(mapAround+tileHeight*float64(rows), tallestMap) }

// heatMap draws a tile for each row and column, the first row at the top. Tiles without a value are
// hatched.
func heatMap(rows, columns []string, side *Side, value func(row, column string) (float64, bool)) Panel {
	p := Panel{Names: columns, Places: slices.Clone(rows), Right: side, Dense: true}
	slices.Reverse(p.Places)
	none := Layer{Name: "no run", Shape: Bars, Colour: grey, Dash: 1, Width: tileSize}
	for i, row := range p.Places {
		for j, column := range columns {
			at := Coord{float64(j), float64(i) - tileSize/2, float64(i) + tileSize/2}
			v, ok := value(row, column)
			if !ok {
				none.XY = append(none.XY, at)
				continue
			}
			text := threeDigits(v)
			if side.Whole {
				text = strconv.Itoa(int(v))
			}
			p.Layers = append(p.Layers, Layer{Shape: Tiles, Colour: palette.Ramp(side.part(v)), Width: tileSize, XY: []Coord{at}, Labels: []string{text}})
		}
	}
	if len(p.Layers) > 0 && len(none.XY) > 0 {
		p.Layers = append(p.Layers, none)
	}
	return p
}
