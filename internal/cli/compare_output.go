package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/checks"
	"mpanalyze/internal/page"
	"mpanalyze/internal/plaintext"
)

// The texts of a comparison, by the names of their files in an artefact.
const (
	tableText     = "table.txt"
	tableCSV      = "table.csv"
	tableMarkdown = "table.md"
	tableLaTeX    = "table.tex"
	comparePage   = "compare.html"
	compareJSON   = "compare.json"
	valuesCSV     = "values.csv"
)

// texts returns what writes each text. label names the tables of LaTeX.
func (s *study) texts(label string) map[string]func(io.Writer) error {
	return map[string]func(io.Writer) error{
		tableText:     s.writeText,
		tableCSV:      s.look.forCSV(s.shown).WriteCSV,
		tableMarkdown: s.look.shown(s.shown, s.look.tests).WriteMarkdown,
		tableLaTeX:    func(w io.Writer) error { return s.writeLaTeX(w, label) },
		comparePage:   func(w io.Writer) error { return page.WriteCampaign(w, s.result) },
		compareJSON:   s.result.WriteJSON,
		valuesCSV:     s.set.WriteValues,
	}
}

// write writes the texts that the flags ask for. If no other text goes to standard output, the table
// goes there as text. Files come first: a reader of standard output that closes it early does not
// prevent them.
func (s *study) write(a *app) error {
	type to struct{ file, text string }
	all := []to{{s.csv, tableCSV}, {s.values, valuesCSV}, {s.latex, tableLaTeX}, {s.json, compareJSON}}
	for _, name := range s.output {
		end := ending(name)
		if strings.EqualFold(name, "-"+end) {
			name = "-"
		}
		all = append(all, to{name, map[string]string{".md": tableMarkdown, ".html": comparePage}[end]})
	}
	if !slices.ContainsFunc(all, func(x to) bool { return x.file == "-" }) {
		all = append(all, to{"-", tableText})
	}
	label := cmp.Or(strings.Join(s.metrics, "-"), s.table) // of a table that is printed
	if s.latex != "-" {
		label = strings.TrimSuffix(filepath.Base(s.latex), filepath.Ext(s.latex))
	}
	texts := s.texts(label)
	for _, printed := range []bool{false, true} {
		for _, x := range all {
			if x.file != "" && (x.file == "-") == printed {
				if err := a.create(x.file, texts[x.text]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// ending returns the ending of the name of a file, which says what is in it.
func ending(name string) string { return strings.ToLower(filepath.Ext(name)) }

// writes reports whether a file of --output has this ending.
func (o *compareOptions) writes(end string) bool {
	return slices.ContainsFunc(o.output, func(name string) bool { return ending(name) == end })
}

func (s *study) writeText(w io.Writer) error {
	tables := []*campaign.Table{s.look.shown(s.shown, s.look.tests)}
	if s.set.Against == "" || s.look.tests { // else lines below the table say which scenarios differ from the baseline
		for _, t := range s.more() {
			if s.look.tests {
				t = t.WithTests()
			}
			tables = append(tables, t)
		}
	}
	return inLines(w, tables, func(_ int, t *campaign.Table) error { return t.WriteText(w, plaintext.Clean, s.columns) })
}

// inLines writes tables with an empty line between them.
func inLines(w io.Writer, tables []*campaign.Table, write func(i int, t *campaign.Table) error) error {
	for i, t := range tables {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := write(i, t); err != nil {
			return err
		}
	}
	return nil
}

// more returns the tables behind the first.
func (s *study) more() (out []*campaign.Table) {
	if len(s.result.Aggregation) > 0 && s.table != campaign.AggregationName {
		out = append(out, campaign.AggregationTable(s.result.Aggregation, s.rows.Style))
	}
	if len(s.result.Changes) > 0 && (s.table != "rec16" || s.set.Against == "") { // that table has the gains over the baseline
		out = append(out, campaign.ChangeTable(s.result.Changes, s.rows))
	}
	return out
}

// writeLaTeX writes all tables with the tests of their rows. Labels of further tables have a number behind.
func (s *study) writeLaTeX(w io.Writer, label string) error {
	tables := []*campaign.Table{s.look.shown(s.shown, true)}
	for _, t := range s.more() {
		for _, t := range t.ByFirstHead() {
			tables = append(tables, t.WithTests())
		}
	}
	return inLines(w, tables, func(i int, t *campaign.Table) error {
		options := s.look.latexOptions(label)
		if options.Caption = cmp.Or(s.look.caption, labelled(s.metrics)); i > 0 {
			options.Caption, options.Label = "", label+"-"+strconv.Itoa(i+1)
		}
		return t.WriteLaTeX(w, options)
	})
}

// judgeChanges returns what the comparison fails with: a limit is exceeded, there are too few runs to tell, or runs were skipped.
func (a *app) judgeChanges(s *study, skipped []string) (failed, err error) {
	var list []checks.Check
	for i := range s.limits {
		judged := s.limits[i].Judge(s.result.Changes, s.confidence)
		if len(judged) == 0 {
			return nil, fmt.Errorf("--fail-on %s: no run and its baseline have such a figure", s.limits[i].Text)
		}
		check := checks.Check{Name: s.limits[i].Text}
		for _, j := range judged {
			switch c := j.Change; {
			case j.Exceeded:
				check.Add(checks.Failed, fmt.Sprintf("%s got worse: %s", c.Scenario, c.Line()))
			case j.CannotTell:
				check.Add(checks.Unknown, fmt.Sprintf("%s: cannot tell whether it got worse: %s, with %d against %d runs; %s",
					c.Scenario, c.Line(), c.RunsAfter, c.RunsBefore, campaign.RunsNeeded(s.result.Changes, c.Metric, s.confidence)))
			}
		}
		list = append(list, check)
	}
	if failed = a.judged("", list...); len(skipped) > 0 {
		failed = errors.Join(failed, &statusError{ExitDamaged, strings.Join(skipped, "\n")})
	}
	return failed, nil
}
