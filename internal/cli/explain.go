package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
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
	"mpanalyze/internal/report"
	"mpanalyze/internal/schemas"
	"mpanalyze/internal/sentences"
)

func newExplain(a *app) *cobra.Command {
	var inJSON jsonOutput
	var schema bool
	c := command("explain", nil, func(c *cobra.Command, args []string) error {
		name := strings.Join(args, " ")
		rows := map[string]func() [][]string{"tables": columnRows, "flags": flagRows}[name]
		switch {
		case schema:
			return a.printSchema(c, args)
		case rows != nil && inJSON != "":
			return mistakes(c, fmt.Errorf("explain %s has no --json; mpanalyze explain --schema tables prints the columns of tables as JSON", name))
		case rows != nil:
			return writeRows(a.Out, rows())
		}
		found, err := lookup(args)
		if err != nil {
			return mistakes(c, err)
		}
		text, below := plaintext.Explain, ""
		switch name {
		case "":
			text = plaintext.ExplainList
		case "verdicts":
			below = "\n" + sentences.Calibration
		}
		return inJSON.write(a, func(w io.Writer) error { return plaintext.ExplainJSON(w, found) }, func(w io.Writer) error {
			err := text(w, found, plaintext.Options{Width: a.OutWidth, Color: a.color("auto")})
			_, failed := io.WriteString(w, below)
			return cmp.Or(err, failed)
		})
	})
	c.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if schema {
			return schemaNames, noFile
		}
		all := append([]string{"metrics", "verdicts", "tables", "flags"}, described(explained(), func(m *catalogue.Metric) (string, bool) { return "", !slices.Contains(args, m.Name) })...)
		return all, noFile
	}
	inJSON.register(c, "metrics, figures, states and verdicts as JSON")
	c.Flags().BoolVar(&schema, "schema", false, "print a JSON Schema of what a command writes: "+alternatives(schemaNames)+"; without a name, that of the report")
	c.MarkFlagsMutuallyExclusive("json", "schema")
	return c
}

// catalogues returns everything that the command explain knows: metrics, other parts of reports, states of
// time_account, and the codes of verdicts. A name may be in several of them. [lookup] knows their order.
func catalogues() [][]catalogue.Metric {
	return [][]catalogue.Metric{metrics.Table(), metrics.Terms(), metrics.States(), evidence.Terms(), sentences.Terms(), sentences.Codes()}
}

func explained() []catalogue.Metric { return slices.Concat(catalogues()...) }

// lookup returns the metrics and verdicts with these names, each once. Without a name it
// returns all; for "metrics" and "verdicts" alone, these, sorted by their names. Its error lists every unknown name.
func lookup(args []string) (found []catalogue.Metric, err error) {
	all := catalogues()
	switch strings.Join(args, " ") {
	case "":
		return explained(), nil
	case "metrics":
		found = slices.Concat(all[:4]...)
	case "verdicts":
		found = slices.Concat(all[5], all[4])
	}
	if found != nil {
		slices.SortStableFunc(found, func(a, b catalogue.Metric) int { return strings.Compare(a.Name, b.Name) })
		return found, nil
	}
	seen := map[string]bool{}
	for _, name := range args {
		var rows []catalogue.Metric
		for _, list := range all {
			rows = append(rows, catalogue.Find(list, name)...)
		}
		if len(rows) == 0 {
			said := cmp.Or(catalogue.DidYouMean(name, names(explained())), "; mpanalyze explain lists all names")
			err = errors.Join(err, fmt.Errorf("no metric, state or verdict %q%s", name, said))
		}
		for _, m := range rows {
			if key := m.JSON + m.Definition; !seen[key] {
				seen[key] = true
				found = append(found, m)
			}
		}
	}
	return found, err
}

// names returns the names of metrics, without and with their unit.
func names(all []catalogue.Metric) (out []string) {
	for i := range all {
		out = append(out, all[i].Name)
		if all[i].JSON != all[i].Name && all[i].JSON != "" {
			out = append(out, all[i].JSON)
		}
	}
	return out
}

// writeRows writes rows with tabs between their columns, as those of connections and packets.
func writeRows(w io.Writer, rows [][]string) error {
	out := bufio.NewWriter(w)
	for _, row := range rows {
		out.WriteString(strings.Join(row, "\t") + "\n")
	}
	return out.Flush()
}

// columnRows has a row for each column of each table of analyze --csv, below a header.
func columnRows() [][]string {
	rows := [][]string{{"table", "column", "type", "meaning"}}
	for _, t := range csvtables.Tables() {
		for _, c := range t.Columns {
			rows = append(rows, []string{t.Name, c.Name, c.Type, c.Description})
		}
	}
	return rows
}

// flagRows has a row for each flag and each meaning that commands give it, with these commands, below a header.
func flagRows() [][]string {
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
				case c == root && f.Name != "version":
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
	return rows
}

// schemaNames are the words of explain --schema; without one it prints the schema of the first. Tables have no schema, but a
// list of their columns.
var schemaNames = []string{"report", "compare", "packets", "events", "connections", "why", "explain", "live", "counters", "diff", "task", "tables"}

// tables returns what is in every table of analyze --csv.
func tables() []byte {
	var out bytes.Buffer
	_ = report.WriteIndented(&out, csvtables.Tables(), "", " ") // a buffer takes all
	return out.Bytes()
}

// printSchema prints the schema of a name.
func (a *app) printSchema(c *cobra.Command, args []string) error {
	word := cmp.Or(strings.Join(args, " "), schemaNames[0])
	text := schemas.Of(word)
	switch {
	case word == "tables":
		text = tables()
	case text == nil:
		return mistakes(c, fmt.Errorf("no schema %q: want %s", word, alternatives(schemaNames)))
	}
	_, err := a.Out.Write(text)
	return err
}
