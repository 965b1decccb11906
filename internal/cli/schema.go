package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/report"
)

const schemaHelp = `Print the JSON Schema (draft 2020-12) that every report of analyze --json
validates against, or with the word compare, every study of compare --json. It
describes the fields with their units.`

func newSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:       "schema [report|compare]",
		Short:     "Print the JSON Schema of the report, or of a study",
		Long:      schemaHelp,
		Example:   "  mpanalyze schema > report.schema.json\n  mpanalyze schema compare > study.schema.json",
		ValidArgs: []string{"report", "compare"},
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && !slices.Contains(c.ValidArgs, args[0]) {
				return &usageError{c.CommandPath(), fmt.Errorf("no schema %q: want report or compare", strings.Join(args, " "))}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			text := report.Schema()
			if len(args) > 0 && args[0] == "compare" {
				text = campaign.Schema()
			}
			_, err := a.Out.Write(text)
			return err
		},
	}
}
