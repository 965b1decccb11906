package campaign

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MatrixTable has X down and Y across for scenarios named X/Y or X_Y: the value that they are
// ranked by, and their rank in brackets (MIX). It fails if a scenario has no such name, or if
// two have the same place.
func MatrixTable(ranking []Ranked, by Ranking) (*Table, error) {
	t := &Table{Corner: []string{by.By}, Parts: []string{"value", "rank"}}
	var xs, ys []string
	cells, names := map[[2]string]Cell{}, map[[2]string]string{}
	for _, e := range ranking {
		at, err := SplitPair(e.Scenario)
		if err != nil {
			return nil, err
		}
		if other, taken := names[at]; taken {
			return nil, fmt.Errorf("scenarios %q and %q have the same place in a matrix", other, e.Scenario)
		}
		names[at] = e.Scenario
		xs, ys = append(xs, at[0]), append(ys, at[1])
		rank := "-"
		if e.Rank > 0 {
			rank = strings.TrimSpace(strconv.Itoa(e.Rank) + " " + mark(e.Above))
		}
		cells[at] = Cell{Text: by.Style.number(e.Value) + " (" + rank + ")", Numbers: []float64{e.Value, float64(e.Rank)}}
	}
	slices.SortFunc(xs, CompareNames)
	slices.SortFunc(ys, CompareNames)
	ys = slices.Compact(ys)
	for _, y := range ys {
		t.Columns = append(t.Columns, Column{Name: y})
	}
	for _, x := range slices.Compact(xs) {
		row := Row{Heads: []string{x}}
		for _, y := range ys {
			row.Cells = append(row.Cells, cells[[2]string{x, y}])
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = append([]string{"in brackets: rank; - where a limit excludes the pair"}, by.notes(ranking)...)
	return t, nil
}

// SplitPair splits a scenario's name into X and Y at the first "/", or else at the only "_".
// It fails for two "_": names of congestion controls may contain one, so that it is not clear
// which one separates.
func SplitPair(name string) (xy [2]string, err error) {
	x, y, ok := strings.Cut(name, "/")
	if n := strings.Count(name, "_"); !ok && n > 1 {
		return xy, fmt.Errorf("scenario %q: which of its %d \"_\" is between X and Y of a matrix is not clear; name it X/Y, as in BBR_v1/Reno", name, n)
	} else if !ok {
		x, y, _ = strings.Cut(name, "_")
	}
	if x == "" || y == "" {
		return xy, fmt.Errorf("scenario %q: a matrix needs X and Y; name it X/Y or X_Y, as in BALIA/Reno", name)
	}
	return [2]string{x, y}, nil
}
