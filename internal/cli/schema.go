package cli

import (
	"github.com/spf13/cobra"

	"mpanalyze/internal/report"
)

func newSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the report",
		Long:  "Print the JSON Schema (draft 2020-12) that every report of analyze --json\nvalidates against. It describes every field with its unit.",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := a.Out.Write(report.Schema())
			return err
		},
	}
}
