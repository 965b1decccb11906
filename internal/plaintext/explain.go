package plaintext

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// plainWidth is the width of prose that goes to no terminal.
const plainWidth = 100

// Explain writes what metrics mean, one block for each, and the studies that their sources
// name. It uses the width and the colours of o.
func Explain(w io.Writer, all []catalogue.Metric, o Options) error {
	p := newPrinter(w, o, plainWidth)
	var sources strings.Builder
	for i := range all {
		if i > 0 {
			p.line("", "")
		}
		p.metric(&all[i])
		sources.WriteString(all[i].Source + " ")
	}
	first := true
	for _, paper := range catalogue.Papers {
		if !strings.Contains(sources.String(), paper.Short) {
			continue
		}
		if first {
			p.line("", "")
			first = false
		}
		p.hanging(dim, fmt.Sprintf("%-7s", paper.Short), 7, paper.Full)
	}
	return p.w.Flush()
}

// ExplainList writes a line per metric: name, unit, level, what it is.
func ExplainList(w io.Writer, all []catalogue.Metric, o Options) error {
	p := newPrinter(w, o, math.MaxInt32)
	g := grid{columns: []column{{title: "metric"}, {title: "symbol", drop: 2}, {title: "unit"}, {title: "of a", drop: 3}, {title: "source", least: 10, drop: 4}}}
	for i := range all {
		m := &all[i]
		g.rows = append(g.rows, []string{m.Name, cmp.Or(m.Symbol, none), m.Unit, levels(m), m.Source})
	}
	p.grid("", &g)
	return p.w.Flush()
}

// ExplainJSON writes metrics as a [catalogue.Listing].
func ExplainJSON(w io.Writer, all []catalogue.Metric) error {
	return report.WriteIndented(w, catalogue.Listing{Schema: catalogue.SchemaName, Entries: all}, "", " ")
}

// metric writes one block.
func (p *printer) metric(m *catalogue.Metric) {
	title := m.Name
	if m.Symbol != "" && m.Symbol != m.Name {
		title += " (" + m.Symbol + ")"
	}
	p.line(bold, title)
	verdict := slices.Contains(m.Levels, catalogue.OfVerdict)
	rule := "formula"
	if verdict {
		rule = "condition"
	}
	for _, row := range []struct{ label, text string }{
		{"in reports", inReports(m)},
		{"also called", strings.Join(m.Also, ", ")},
		{"unit", unit(m)},
		{"definition", m.Definition},
		{rule, m.Formula},
		{"source", m.Source},
		{"evidence", evidence(m.Evidence)},
		{"caveats", m.Caveats},
		{"what to do", m.Remedy},
		{"percentiles", percentiles(m)},
		{"derived", derived(m)},
	} {
		if row.text != "" {
			p.block(fmt.Sprintf("  %-12s", row.label), row.text)
		}
	}
}

// block writes the lines of a text behind a label. A line that begins with "- " is an item of a
// list; its further lines stand below its first word.
func (p *printer) block(label, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		columns := len(label)
		if strings.HasPrefix(line, "- ") {
			columns += 2
		}
		p.hanging("", label, columns, line)
		label = strings.Repeat(" ", len(label))
	}
}

// inReports says where a report holds the metric.
func inReports(m *catalogue.Metric) string {
	if slices.Contains(m.Levels, catalogue.OfVerdict) {
		return "code of a verdict; mpanalyze why prints it"
	}
	text := m.JSON + ", of a " + levels(m)
	if m.JSON == "" {
		text = "not there"
	}
	if m.Series {
		text += "; series " + m.Name
		if m.Holds {
			text += ", a row where it changes"
		}
	}
	return text
}

// unit returns the unit of a metric, and which direction is better. It is empty for a verdict,
// which is no figure.
func unit(m *catalogue.Metric) string {
	text := m.Unit
	switch text {
	case catalogue.VerdictUnit:
		return ""
	case catalogue.Composite:
		text = "several figures; mpanalyze explain --schema gives the unit of each"
	case "1":
		text = "none, a pure number"
	}
	if m.Better != catalogue.NeitherIsBetter {
		text += "; " + string(m.Better) + " is better"
	}
	return text
}

// percentiles says how exact the percentiles of a metric are. It is empty for a metric without
// percentiles.
func percentiles(m *catalogue.Metric) string {
	if !summarised(m) {
		return ""
	}
	return fmt.Sprintf("exact up to %d values, beyond within %.1f %%; no other figure is rounded like that (mpanalyze explain statistics)", stats.ExactLimit-1, 100.0/stats.ErrorPart)
}

// summarised reports whether reports give percentiles of a metric.
func summarised(m *catalogue.Metric) bool {
	for _, of := range []struct {
		level catalogue.Level
		typ   reflect.Type
	}{
		{catalogue.OfSubflowDir, reflect.TypeFor[report.SubDir]()},
		{catalogue.OfConnectionDir, reflect.TypeFor[report.ConnDir]()},
	} {
		if !slices.Contains(m.Levels, of.level) {
			continue
		}
		for _, f := range reflect.VisibleFields(of.typ) {
			if report.JSONName(f) == m.JSON && f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct {
				_, has := f.Type.Elem().FieldByName("P95")
				return has
			}
		}
	}
	return false
}

// derived says which option a metric needs. It is empty for a metric that is always derived.
func derived(m *catalogue.Metric) string {
	switch {
	case m.Option != "":
		return "with " + m.Option + " only"
	case m.Family == 0:
		return ""
	}
	return "with --metric all, which is the default, and " + m.Family.String()
}

func levels(m *catalogue.Metric) string {
	var names []string
	for _, l := range m.Levels {
		names = append(names, string(l))
	}
	return strings.Join(names, ", ")
}

// evidence says how a metric is known at each place of a capture. It is empty for a verdict or
// figure that states its own evidence.
func evidence(e catalogue.Evidence) string {
	if e == (catalogue.Evidence{}) {
		return ""
	}
	if e.Sender == e.Receiver && e.Sender == e.Both {
		return e.Sender + " wherever the capture was taken"
	}
	say := func(kind string) string {
		if kind == "" {
			return "unavailable"
		}
		return kind
	}
	return fmt.Sprintf("at the sender of the data %s, at its receiver %s, with both captures %s", say(e.Sender), say(e.Receiver), say(e.Both))
}
