package campaign

import (
	"fmt"
	"slices"
	"strings"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// Wanted names figures of a connection, by [DIRECTION.][path.LABEL.]METRIC[.STATISTIC].
type Wanted struct {
	Direction report.Direction // empty for the direction of most data
	Path      string           // label of a path, in which "*" stands for any text; empty where none is named
	Metric    catalogue.Metric // its row
	Field     string           // below the direction or the path, as in reports: srtt_ms.p95
	Unit      string           // empty for a number without one
	Level     catalogue.Level  // what has the figure: a connection's direction, a subflow's direction, or a subflow
}

// levelFields holds the names of all numeric figures, by what has them.
func levelFields(of catalogue.Level) []numericField {
	switch of {
	case catalogue.OfConnectionDir:
		return connPlan()
	case catalogue.OfSubflowDir:
		return subPlan()
	}
	return subflowPlan()
}

// ParseWanted reads the name of figures. A metric may have any of its names. The statistic
// where none is named is that of [catalogue.Metric.Usual]. The prefix "path." of a label may be
// left out.
func ParseWanted(name string) (Wanted, error) {
	var w Wanted
	d, rest := splitDirection(strings.TrimSpace(name))
	label, metric, err := splitLabel(rest)
	if err != nil {
		return w, err
	}
	w.Direction, w.Path = d, label
	return w, w.find(metric)
}

// splitDirection splits a name behind its direction; empty where it has none.
func splitDirection(name string) (d report.Direction, rest string) {
	if d, rest, ok := strings.Cut(name, "."); ok && (d == string(report.A2B) || d == string(report.B2A)) {
		return report.Direction(d), rest
	}
	return "", name
}

// splitLabel splits a name behind the label of a path, which may contain dots. The metric is the
// longest end that names one.
func splitLabel(name string) (label, metric string, err error) {
	rest, named := strings.CutPrefix(name, "path.")
	for at := 0; ; {
		if at > 0 || !named {
			if metric, err := catalogue.Resolve(metrics.Table(), rest[at:]); err == nil {
				return strings.TrimSuffix(rest[:at], "."), metric, nil
			}
		}
		dot := strings.IndexByte(rest[at:], '.')
		if dot < 0 {
			return "", "", unknownIn(rest, named)
		}
		at += dot + 1
	}
}

// unknownIn says that no part of a name is a metric. It takes the part that is most like one.
func unknownIn(name string, labelled bool) error {
	parts := strings.Split(name, ".")
	if labelled && len(parts) == 1 {
		return fmt.Errorf("path.%s: want path.LABEL.METRIC, as in path.%s.srtt", name, name)
	}
	if labelled {
		parts = parts[1:]
	}
	for _, p := range parts {
		if err := catalogue.Unknown(metrics.Table(), p); strings.Contains(err.Error(), "did you mean") {
			return err
		}
	}
	return catalogue.Unknown(metrics.Table(), parts[0])
}

// find sets the field that a metric and its statistic stand for, or that stands for the metric where no
// statistic is named. Metrics with one name and several units need the unit.
func (w *Wanted) find(metric string) error {
	name, stat, _ := strings.Cut(metric, ".")
	rows := catalogue.Lookup(metrics.Table(), name)
	levels := []catalogue.Level{catalogue.OfConnectionDir, catalogue.OfSubflowDir, catalogue.OfSubflow}
	if w.Path != "" {
		levels = levels[1:]
	}
	var there []string // fields of the metric
	for _, level := range levels {
		fields := fieldsOf(rows, level)
		there = append(there, fields...)
		var found []string
		for i := range rows {
			ends := []string{"." + stat, "." + stat + ".percent"} // the second for shares of the time
			if stat == "" {
				ends = []string{"", "." + rows[i].Usual()}
			}
			for _, end := range ends {
				if field := rows[i].JSON + end; slices.Contains(fields, field) && !slices.Contains(found, field) {
					found, w.Metric = append(found, field), rows[i]
					break
				}
			}
		}
		switch {
		case len(found) == 0:
			continue
		case len(found) > 1:
			return fmt.Errorf("%q stands for several figures: %s", name, strings.Join(found, ", "))
		case level == catalogue.OfSubflow && w.Direction != "":
			return fmt.Errorf("%s is of subflows, not of one direction; leave %s out", name, w.Direction)
		}
		w.Field, w.Level, w.Unit = found[0], level, unitOf("a2b."+found[0])
		return nil
	}
	return w.noField(name, stat, rows, there)
}

// fieldsOf returns the numeric fields that metrics have at a level.
func fieldsOf(rows []catalogue.Metric, level catalogue.Level) (fields []string) {
	for i := range rows {
		for _, f := range levelFields(level) {
			if name := strings.TrimPrefix(f.name, "."); slices.Contains(rows[i].Levels, level) && strings.HasPrefix(name+".", rows[i].JSON+".") {
				fields = append(fields, name)
			}
		}
	}
	return fields
}

// noField says why no figure has the name.
func (w *Wanted) noField(name, stat string, rows []catalogue.Metric, there []string) error {
	switch ofConn := fieldsOf(rows, catalogue.OfConnectionDir); {
	case len(there) == 0 && len(ofConn) > 0:
		return fmt.Errorf("%s is of connections, not of paths; leave %q out", name, w.Path)
	case len(there) == 0:
		return fmt.Errorf("%s has no number to compare; mpanalyze explain %s says what it is", name, name)
	case stat == "":
		return fmt.Errorf("%s has several figures; want one of %s", name, strings.Join(shortened(there, rows), ", "))
	}
	return fmt.Errorf("%s has no figure %q; there are %s", name, stat, strings.Join(shortened(there, rows), ", "))
}

// shortened returns fields with the names of metrics that have no unit.
func shortened(fields []string, rows []catalogue.Metric) (out []string) {
	for _, f := range fields {
		if len(rows) == 1 || rows[0].JSON == rows[len(rows)-1].JSON {
			f = rows[0].Name + strings.TrimPrefix(f, rows[0].JSON)
		}
		out = Once(out, f)
	}
	return out
}
