package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/evidence"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/sentences"
)

func newExplain(a *app) *cobra.Command {
	var inJSON jsonOutput
	var schema bool
	c := command("explain", nil, func(c *cobra.Command, args []string) error {
		if schema {
			return a.printSchema(c, args)
		}
		if list := listNamed(args); list != nil {
			return list.print(c, a, &inJSON)
		}
		found, err := lookup(args)
		if err != nil {
			return mistakes(c, err)
		}
		o, text := plaintext.Options{Width: a.OutWidth, Color: a.color("auto")}, plaintext.Explain
		if len(args) == 0 {
			text = plaintext.ExplainList
		}
		return inJSON.write(a, func(w io.Writer) error { return plaintext.ExplainJSON(w, found) }, func(w io.Writer) error { return text(w, found, o) })
	})
	c.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if schema {
			return schemaNames(), cobra.ShellCompDirectiveNoFileComp
		}
		all := append([]string{"metrics", "verdicts", "tables", "flags"}, described(explained(), func(m *catalogue.Metric) (string, bool) { return "", !slices.Contains(args, m.Name) })...)
		return all, cobra.ShellCompDirectiveNoFileComp
	}
	inJSON.register(c, "metrics, figures, states and verdicts as JSON")
	c.Flags().BoolVar(&schema, "schema", false, "print a JSON Schema of what a command writes: "+alternatives(schemaNames())+"; without a name, that of the report")
	c.MarkFlagsMutuallyExclusive("json", "schema")
	return c
}

// catalogues returns everything that the command explain knows: metrics, other parts of reports, states of
// time_account, and the codes of verdicts. A name may be in several of them.
func catalogues() [][]catalogue.Metric {
	return [][]catalogue.Metric{metrics.Table(), metrics.Terms(), metrics.States(), evidence.Terms(), sentences.Terms(), sentences.Codes()}
}

func explained() []catalogue.Metric { return slices.Concat(catalogues()...) }

// lookup returns the metrics and verdicts with these names, each once. Without a name it
// returns all. Its error lists every unknown name.
func lookup(args []string) (found []catalogue.Metric, err error) {
	if len(args) == 0 {
		return explained(), nil
	}
	seen := map[string]bool{}
	for _, name := range args {
		var rows []catalogue.Metric
		for _, all := range catalogues() {
			rows = append(rows, catalogue.Find(all, name)...)
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
