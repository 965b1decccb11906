package distributions

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"mpanalyze/internal/decimal"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/textwrap"
)

// percentiles are the percentiles in the tables.
var percentiles = []float64{0.05, 0.25, 0.5, 0.75, 0.95, 0.99}

var columns = []string{"metric", "unit", "direction", "values", "mean", "min", "p5", "p25", "p50", "p75", "p95", "p99", "max", "exact"}

// cells returns the columns of a distribution; those of one without values are empty. The
// last column says whether percentiles are exact: with [stats.ExactLimit] values
// or more they have an error of at most 1/[stats.ErrorPart].
func (d *Distribution) cells() []string {
	n := d.Values.N()
	out := []string{d.Metric, d.Unit, d.Direction, strconv.FormatInt(n, 10)}
	if n == 0 {
		return append(out, make([]string, len(columns)-len(out))...)
	}
	figures := append([]float64{d.Values.Mean(), d.Values.Min()}, d.Values.Quantiles(percentiles...)...)
	for _, v := range append(figures, d.Values.Max()) {
		out = append(out, number(v))
	}
	return append(out, strconv.FormatBool(d.Values.Exact()))
}

func number(v float64) string { return string(decimal.AppendRounded(nil, v)) }

// WriteCSV writes a row for each distribution. Errors are those of w.
func WriteCSV(w io.Writer, list []Distribution) error {
	rows := [][]string{columns}
	for i := range list {
		rows = append(rows, list[i].cells())
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// cdfPoints is how many points the CDF of a distribution with more values has.
const cdfPoints = 200

// WriteCDF writes the cumulative distributions as CSV: what percentage of the values is at
// most the value of the row. Up to 200 values, each different value has a row; of more
// there is at most a row for each half percent. Errors are those of w.
func WriteCDF(w io.Writer, list []Distribution) error {
	rows := [][]string{{"metric", "unit", "direction", "value", "percent"}}
	for i := range list {
		d := &list[i]
		for _, p := range cdf(d.Values) {
			rows = append(rows, []string{d.Metric, d.Unit, d.Direction, number(p.value), number(p.percent)})
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
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

// WriteHours writes as CSV how much each path carried in each hour. Errors are those of w.
func WriteHours(w io.Writer, list []Share) error {
	rows := [][]string{{"hour", "direction", "path", "bytes", "share_percent"}}
	for i := range list {
		c := list[i].cells()
		c[2] = report.CellText(c[2]) // the path
		rows = append(rows, c)
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func (s *Share) cells() []string {
	hour := ""
	if !s.Hour.IsZero() {
		hour = s.Hour.Format(time.RFC3339)
	}
	return []string{hour, s.Direction, s.Path, strconv.FormatInt(s.Bytes, 10), number(s.Percent)}
}

// maxHours bounds the rows of hours in the table for people; the CSV has all.
const maxHours = 48

// WriteTable writes all distributions and the first hours as tables for people. Errors are
// those of w.
func WriteTable(w io.Writer, connections int64, list []Distribution, hours []Share) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n\n", textwrap.Count(connections, "connection"))
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, strings.Join(columns[:len(columns)-1], "\t")+"\t")
	approximate := false
	for i := range list {
		c := list[i].cells()
		for k := range c {
			if c[k] == "" {
				c[k] = "-"
			}
		}
		approximate = approximate || !list[i].Values.Exact()
		fmt.Fprintln(t, strings.Join(c[:len(c)-1], "\t")+"\t")
	}
	t.Flush()
	if approximate {
		fmt.Fprintf(out, "\nPercentiles of more than %d values have an error of at most %.1f %%.\n", stats.ExactLimit-1, 100.0/stats.ErrorPart)
	}
	fmt.Fprintln(out)
	t = tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "hour\tdirection\tpath\tbytes\tshare_percent\t")
	for i := range hours[:min(len(hours), maxHours)] {
		fmt.Fprintln(t, strings.Join(hours[i].cells(), "\t")+"\t")
	}
	t.Flush()
	if more := len(hours) - maxHours; more > 0 {
		fmt.Fprintf(out, "%d more rows: --format hours has all\n", more)
	}
	return out.Flush()
}
