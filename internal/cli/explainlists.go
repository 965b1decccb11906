package cli

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/evidence"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/sentences"
)

// wholeList is a list that explain prints as a whole: entries, sorted by their names, with a text below them,
// or the rows of a table.
type wholeList struct {
	word    string
	entries [][]catalogue.Metric
	below   string
	rows    func() ([][]string, error)
}

func wholeLists() []wholeList {
	return []wholeList{
		{word: "metrics", entries: [][]catalogue.Metric{metrics.Table(), metrics.Terms(), metrics.States(), evidence.Terms()}},
		{word: "verdicts", entries: [][]catalogue.Metric{sentences.Codes(), sentences.Terms()}, below: sentences.Calibration},
		{word: "tables", rows: columnRows},
		{word: "flags", rows: flagRows},
	}
}

// listNamed returns the list that the arguments of explain name, or nil where they name entries.
func listNamed(args []string) *wholeList {
	for _, l := range wholeLists() {
		if slices.Equal(args, []string{l.word}) {
			return &l
		}
	}
	return nil
}

// print writes the list as text; rows have a header and tabs between their columns, as those of connections and packets.
func (l *wholeList) print(c *cobra.Command, a *app, inJSON *jsonOutput) error {
	if l.rows != nil {
		if err := refuse(c.Flags().Changed("json"), "explain %s has no --json; mpanalyze explain --schema tables prints the columns of tables as JSON", l.word); err != nil {
			return mistakes(c, err)
		}
		rows, err := l.rows()
		out := bufio.NewWriter(a.Out)
		for _, row := range rows {
			out.WriteString(strings.Join(row, "\t") + "\n")
		}
		return cmp.Or(err, out.Flush())
	}
	all := slices.Concat(l.entries...)
	slices.SortStableFunc(all, func(a, b catalogue.Metric) int { return strings.Compare(a.Name, b.Name) })
	return inJSON.write(a, func(w io.Writer) error { return plaintext.ExplainJSON(w, all) }, func(w io.Writer) error {
		err := plaintext.Explain(w, all, plaintext.Options{Width: a.OutWidth, Color: a.color("auto")})
		if err == nil && l.below != "" {
			_, err = io.WriteString(w, "\n"+l.below)
		}
		return err
	})
}

// columnRows has a row for each column of each table of analyze --csv.
func columnRows() ([][]string, error) {
	tables, err := csvtables.Tables()
	rows := [][]string{{"table", "column", "type", "meaning"}}
	for _, t := range tables {
		for _, c := range t.Columns {
			rows = append(rows, []string{t.Name, c.Name, c.Type, c.Description})
		}
	}
	return rows, err
}

// flagRows has a row for each flag and each meaning that commands give it, with these commands.
func flagRows() ([][]string, error) {
	root := NewRoot(Streams{}, Engine{}, "") // the command line has explain alone
	rows := [][]string{{"purpose", "flag", "meaning", "commands"}}
	for i, p := range purposes {
		var of [][]string
		for _, c := range append(root.Commands(), root) {
			c.InheritedFlags() // adds them to those of the command
			for _, f := range byPurpose(c.Flags())[i] {
				name := strings.TrimSuffix("--"+f.Name+", -"+f.Shorthand, ", -")
				_, about := pflag.UnquoteUsage(f)
				at := slices.IndexFunc(of, func(r []string) bool { return r[1] == name && r[2] == about })
				switch {
				case c.Hidden || c == root && f.Name != "version":
				case at >= 0:
					of[at][3] += " " + c.Name()
				default:
					of = append(of, []string{p.title, name, about, c.Name()})
				}
			}
		}
		slices.SortStableFunc(of, func(a, b []string) int { return strings.Compare(a[1], b[1]) })
		rows = append(rows, of...)
	}
	return rows, nil
}
