package cli

import (
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

// comparisonOutput is everything that a comparison prints and writes.
type comparisonOutput struct {
	study    *study
	messages []string        // lines for standard error
	outputs  []pendingOutput // written without a copy in memory
	folders  []func() error  // each writes a directory
	failed   error           // what --fail-on says, and which runs were skipped
}

// pendingOutput is a text that is not yet made, and where it goes.
type pendingOutput struct {
	to    string // "-" for standard output
	write func(io.Writer) error
}

// pendingOutputs returns the texts that the flags ask for. If no other text goes to standard
// output, the table goes there as text.
func pendingOutputs(o *compareOptions, s *study) (all []pendingOutput) {
	text := "-"
	all = []pendingOutput{
		{o.csv, o.look.forCSV(s.table).WriteCSV},
		{o.values, s.set.WriteValues},
		{o.latex, func(w io.Writer) error { return writeLaTeX(w, s, o, o.latex) }},
		{o.json, s.result.WriteJSON},
	}
	forms := map[string]func(io.Writer) error{
		".md": o.look.shown(s.table, o.look.tests).WriteMarkdown, ".html": func(w io.Writer) error { return page.WriteCampaign(w, s.result) },
	}
	for _, name := range o.output {
		end := ending(name)
		if strings.EqualFold(name, "-"+end) {
			name = "-"
		}
		all = append(all, pendingOutput{name, forms[end]})
	}
	if slices.ContainsFunc(all, func(p pendingOutput) bool { return p.to == "-" }) {
		text = ""
	}
	all = append(all, pendingOutput{text, func(w io.Writer) error { return writeText(w, s, &o.look) }})
	return slices.DeleteFunc(all, func(p pendingOutput) bool { return p.to == "" })
}

// merged is the ending of a file of results.
const merged = ".jsonl"

// ending returns the ending of the name of a file, which says what is in it.
func ending(name string) string { return strings.ToLower(filepath.Ext(name)) }

// writes reports whether a file of --output has this ending.
func (o *compareOptions) writes(end string) bool {
	return slices.ContainsFunc(o.output, func(name string) bool { return ending(name) == end })
}

func writeText(w io.Writer, s *study, look *tableOptions) error {
	tables := []*campaign.Table{look.shown(s.table, look.tests)}
	if s.set.Against == "" || look.tests { // else lines below the table say which scenarios differ from the baseline
		for _, t := range s.more(look) {
			if look.tests {
				t = t.WithTests()
			}
			tables = append(tables, t)
		}
	}
	return inLines(w, tables, func(_ int, t *campaign.Table) error { return t.WriteText(w, plaintext.Clean, look.terminal) })
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
func (s *study) more(look *tableOptions) (out []*campaign.Table) {
	if len(s.result.Aggregation) > 0 && s.layout != campaign.AggregationName {
		out = append(out, campaign.AggregationTable(s.result.Aggregation, look.style()))
	}
	if len(s.result.Changes) > 0 && (s.layout != "rec16" || s.set.Against == "") { // that table has the gains over the baseline
		out = append(out, campaign.ChangeTable(s.result.Changes, s.rows))
	}
	return out
}

// writeLaTeX writes all tables with the tests of their rows. Labels are named after the file, or after
// the table where it is printed; those of further tables have a number behind.
func writeLaTeX(w io.Writer, s *study, o *compareOptions, file string) error {
	tables := []*campaign.Table{o.look.shown(s.table, true)}
	for _, t := range s.more(&o.look) {
		for _, t := range t.ByFirstHead() {
			tables = append(tables, t.WithTests())
		}
	}
	name := o.table
	if file != "-" {
		name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	return inLines(w, tables, func(i int, t *campaign.Table) error {
		options := o.look.latexOptions(name)
		if options.Caption = o.look.caption; i > 0 {
			options.Caption, options.Label = "", name+"-"+strconv.Itoa(i+1)
		}
		return t.WriteLaTeX(w, options)
	})
}

// judgeChanges says what the comparison fails with: a limit is exceeded, there are too few runs to tell, or runs were skipped.
func (a *app) judgeChanges(t *comparisonOutput, set *campaign.Set, skipped []string, changes []campaign.Change, limits []campaign.Limit) error {
	var list []checks.Check
	for i := range limits {
		judged := limits[i].Judge(changes, set.Confidence)
		if len(judged) == 0 {
			return fmt.Errorf("--fail-on %s: no run and its baseline have such a figure", limits[i].Text)
		}
		check := checks.Check{Name: limits[i].Text}
		for _, j := range judged {
			switch c := j.Change; {
			case j.Exceeded:
				check.Add(checks.Failed, fmt.Sprintf("%s got worse: %s", c.Scenario, c.Line()))
			case j.CannotTell:
				check.Add(checks.Unknown, fmt.Sprintf("%s: cannot tell whether it got worse: %s, with %d against %d runs; %s",
					c.Scenario, c.Line(), c.RunsAfter, c.RunsBefore, campaign.RunsNeeded(changes, c.Metric, set.Confidence)))
			}
		}
		list = append(list, check)
	}
	if t.failed = a.judged("", list...); len(skipped) > 0 {
		t.failed = errors.Join(t.failed, &statusError{ExitDamaged, strings.Join(skipped, "\n")})
	}
	return nil
}

// writeOutput writes all of it. Files come first: a reader of standard output that closes
// it early does not prevent them.
func (a *app) writeOutput(t *comparisonOutput) error {
	a.sayWarnings(t.messages)
	for _, write := range t.folders {
		if err := write(); err != nil {
			return err
		}
	}
	for _, printed := range []bool{false, true} {
		for _, out := range t.outputs {
			if (out.to == "-") == printed {
				if err := a.create(out.to, out.write); err != nil {
					return errors.Join(err, t.failed)
				}
			}
		}
	}
	return t.failed
}
