package plot

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
)

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
	settings, most := m.settings(), 0
	f, err := m.perMetric("Ranks for each "+m.options.Steady+"; all: of all runs", names, func(name string) (out []Panel) {
		place := func(i int, column string) tile {
			return tile{network: settings[i].network, row: settings[i].pair, column: column}
		}
		metric, stat := splitStat(name)
		found := catalogue.Lookup(metrics.Table(), metric)
		lowest := len(found) > 0 && campaign.BetterOf(found[0], stat) == catalogue.LowerIsBetter // as in compare
		values, paths := m.tileValues(name, func(i int) tile { return place(i, m.runs[i].Labels[m.options.Steady]) })
		overall, _ := m.tileValues(name, func(i int) tile { return place(i, everyTime) })
		ranks := ranked(values, lowest)
		maps.Copy(ranks, ranked(overall, lowest))
		side := &Side{Title: "Rank by " + lower(name), Low: 2, High: 1, Whole: true, Ramp: true}
		for _, rank := range ranks {
			side.Low = max(side.Low, rank)
		}
		for _, path := range paths {
			for network, of := range inNetworks(settings) {
				rows := rankedRows(of, func(s setting) (float64, bool) {
					v, ok := ranks[tile{network, path, s.pair, everyTime}]
					return v, ok
				})
				parts := (len(rows) + rankRows - 1) / rankRows
				for part := range slices.Chunk(rows, max(1, (len(rows)+parts-1)/max(1, parts))) {
					most = max(most, len(part))
					p := heatMap(part, columns, side, func(row, column string) (float64, bool) {
						v, ok := ranks[tile{network, path, row, column}]
						return v, ok
					})
					p.Head, p.X = joined(network, path), m.options.Steady
					out = append(out, p)
				}
			}
		}
		return out
	})
	if err != nil {
		return nil, err
	}
	if most > manyRows {
		f.Font = manyFont
	}
	f.High, f.Columns = tilesHigh(most), max(1, min(rankColumns, len(f.Panels)))
	return f, nil
}

const (
	manyRows    = 45  // more have small letters
	rankRows    = 111 // the most in a panel: 441 pairs stand in four
	rankColumns = 4   // panels side by side
)

// times returns the columns of the ranks: all runs, and each value of the label.
func (m *maker) times() (out []string, err error) {
	for _, r := range m.runs {
		v := r.Labels[m.options.Steady]
		if v == "" {
			return nil, fmt.Errorf("a run of %s has no label %s; name it in --pattern or --manifest, or name another label with --steady", r.Scenario, m.options.Steady)
		}
		out = append(out, v)
	}
	slices.SortFunc(out, campaign.CompareNames)
	return append([]string{everyTime}, slices.Compact(out)...), nil
}

// ranked returns the rank of each tile among those of its map and column. Equal values have equal
// ranks.
func ranked(values map[tile]float64, lower bool) map[tile]float64 {
	columns := map[tile][]float64{}
	for at, v := range values {
		at.row = ""
		columns[at] = append(columns[at], v)
	}
	out := map[tile]float64{}
	for at, v := range values {
		column := at
		column.row = ""
		rank := 1.0
		for _, other := range columns[column] {
			if lower && other < v || !lower && other > v {
				rank++
			}
		}
		out[at] = rank
	}
	return out
}

// rankedRows returns the pairs that have a rank over all runs, the best first.
func rankedRows(of []setting, rank func(setting) (float64, bool)) (rows []string) {
	places := map[string]float64{}
	for _, s := range of {
		if v, ok := rank(s); ok && !slices.Contains(rows, s.pair) {
			rows, places[s.pair] = append(rows, s.pair), v
		}
	}
	slices.SortStableFunc(rows, func(a, b string) int { return cmp.Compare(places[a], places[b]) })
	return rows
}
