package distributions

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"mpanalyze/internal/decimal"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/textwrap"
)

// percentiles are the percentiles in the tables.
var percentiles = []float64{0.05, 0.25, 0.5, 0.75, 0.95, 0.99}

func number(v float64) string { return string(decimal.AppendRounded(nil, v)) }

// Rows returns a row for each distribution, behind a row of heads; the figures of one without values are empty. The
// last column says whether percentiles are exact: with [stats.ExactLimit] values
// or more they have an error of at most 1/[stats.ErrorPart].
func Rows(list []Distribution) [][]string {
	rows := [][]string{{"metric", "unit", "direction", "values", "mean", "min", "p5", "p25", "p50", "p75", "p95", "p99", "max", "exact"}}
	for i := range list {
		d := &list[i]
		row := []string{d.Metric, d.Unit, d.Direction, strconv.FormatInt(d.Values.N(), 10)}
		if d.Values.N() > 0 {
			figures := append([]float64{d.Values.Mean(), d.Values.Min()}, d.Values.Quantiles(percentiles...)...)
			for _, v := range append(figures, d.Values.Max()) {
				row = append(row, number(v))
			}
			row = append(row, strconv.FormatBool(d.Values.Exact()))
		}
		rows = append(rows, append(row, make([]string, len(rows[0])-len(row))...))
	}
	return rows
}

// cdfPoints is how many points the CDF of a distribution with more values has.
const cdfPoints = 200

// CDF returns the cumulative distributions: what percentage of the values is at
// most the value of the row. Up to 200 values, each different value has a row; of more
// there is at most a row for each half percent.
func CDF(list []Distribution) [][]string {
	rows := [][]string{{"metric", "unit", "direction", "value", "percent"}}
	for i := range list {
		d := &list[i]
		for _, p := range cdf(d.Values) {
			rows = append(rows, []string{d.Metric, d.Unit, d.Direction, number(p.value), number(p.percent)})
		}
	}
	return rows
}

type point struct{ value, percent float64 }

// cdf returns the points of a cumulative distribution.
func cdf(d *stats.Dist) (points []point) {
	n := d.N()
	if n > cdfPoints || !d.Exact() {
		p := make([]float64, cdfPoints+1)
		for i := range p {
			p[i] = float64(i) / cdfPoints
		}
		for i, v := range d.Quantiles(p...) {
			if n := len(points); n > 0 && points[n-1].value == v {
				points = points[:n-1] // the last point of equal values has the percentage of all of them
			}
			points = append(points, point{v, 100 * p[i]})
		}
		return points
	}
	values := slices.SortedFunc(d.ExactValues(), func(x, y stats.Weighted) int { return cmp.Compare(x.Value, y.Value) })
	sum := 0.0
	for i, v := range values {
		sum += v.Weight
		if i+1 == len(values) || values[i+1].Value != v.Value {
			points = append(points, point{v.Value, 100 * sum / float64(n)})
		}
	}
	return points
}

// WriteCSV writes rows as CSV. Errors are those of w.
func WriteCSV(w io.Writer, rows [][]string) error { return csv.NewWriter(w).WriteAll(rows) }

// WriteTable writes the rows of distributions of so many connections as a table for people. Errors are those of w.
func WriteTable(w io.Writer, connections int64, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%s\n\n", textwrap.Count(connections, "connection"))
	for _, row := range rows {
		for _, cell := range row {
			fmt.Fprint(t, cmp.Or(cell, "-"), "\t")
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}
