package campaign

import (
	"encoding/csv"
	"io"
	"iter"
	"maps"
	"slices"
)

// valueColumns are the columns of Values, without the columns of factors and labels,
// which follow the first.
var valueColumns = []string{"scenario", "run", "direction", "path", "metric", "unit", ValueColumn, "role", "end"}

// ValueColumn is the one column of Values that has numbers.
const ValueColumn = "value"

// WriteValues writes the lines of Values as CSV (RFC 4180).
func (s *Set) WriteValues(w io.Writer) error {
	out := csv.NewWriter(w)
	for line := range s.Values() {
		out.Write(line) // errors are kept until Error
	}
	out.Flush()
	return out.Error()
}

// Values returns a line of headings and one for each figure and run, as tidy data (Wickham, 2014): scenario,
// a column for each factor and then for each label of runs, run, direction, path (empty for
// the connection), metric with its statistic as in reports, unit, value, role, and the end that
// it comes from. A maximum
// of hol_degree_ms is at least 0, as in [Run]. "_2" is added to the name of a column of
// factors or labels if another column has that name. A line is valid until the next.
func (s *Set) Values() iter.Seq[[]string] { return s.values }

func (s *Set) values(yield func([]string) bool) {
	factors, labels := s.varied()
	line := []string{valueColumns[0]}
	taken := slices.Clone(valueColumns)
	for _, n := range slices.Concat(factors, labels) {
		n = cellOf(n)
		for slices.Contains(taken, n) {
			n += "_2"
		}
		taken, line = append(taken, n), append(line, n)
	}
	line = append(line, valueColumns[1:]...)
	if !yield(line) {
		return
	}
	for _, m := range s.Members() {
		head := []string{cellOf(m.Scenario)}
		for _, f := range factors {
			head = append(head, cellOf(m.factor(f)))
		}
		for _, l := range labels {
			head = append(head, cellOf(m.Labels[l]))
		}
		head = append(head, cellOf(m.Name))
		for i, figure := range m.Names {
			n := NameOf(figure)
			line = append(line[:0], head...)
			line = append(line, n.Direction, cellOf(n.Path), n.Metric, n.Unit, number(m.Values[i]), m.role(), m.endOf(figure))
			if !yield(line) {
				return
			}
		}
	}
}

// varied returns the names of the factors, in their order, and the names of the labels,
// sorted.
func (s *Set) varied() (factors, labels []string) {
	for _, m := range s.Members() {
		for _, f := range m.Factors {
			factors = Once(factors, f.Name)
		}
	}
	return factors, s.names(func(m *Member) []string { return slices.Collect(maps.Keys(m.Labels)) })
}

// figures returns the figures of a run by name.
func (r *Run) figures() map[string]float64 {
	out := make(map[string]float64, len(r.Names))
	for i, n := range r.Names {
		out[n] = r.Values[i]
	}
	return out
}
