package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/connlines"
	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/live"
	"mpanalyze/internal/packets"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
)

const schemaHelp = `Print the JSON Schema (draft 2020-12) that every report of analyze --json
validates against; with the word compare, that of every study of compare --json;
with packets, that of every line of packets --json, with events, of packets
--events --json; with connections, that of every line of connections --json; with
why, that of why --json; with live, of every line of live. It describes the fields with their units.

With the word tables, print the files that analyze --csv writes, as a JSON array:
what a row of each stands for, and every column with its type, its place in the
report and its description.`

func newSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [report|compare|packets|events|connections|why|live|tables]",
		Short: "Print the JSON Schema of the report, a study, packets or verdicts, or the columns of all tables",
		Long:  schemaHelp,
		Example: "  mpanalyze schema > report.schema.json\n  mpanalyze schema compare > study.schema.json\n" +
			"  mpanalyze schema tables | jq -r '.[] | select(.name == \"subflows.csv\") | .columns[].name'",
		ValidArgs: []string{"report", "compare", "packets", "events", "connections", "why", "live", "tables"},
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && !slices.Contains(c.ValidArgs, args[0]) {
				return &usageError{c.CommandPath(), fmt.Errorf("no schema %q: want report, compare, packets, events, connections, why, live or tables", strings.Join(args, " "))}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			text := report.Schema()
			var err error
			switch {
			case len(args) > 0 && args[0] == "why":
				if text, err = plaintext.WhySchema(); err != nil {
					return err
				}
			case len(args) > 0 && args[0] == "compare":
				text = campaign.Schema()
			case len(args) > 0 && args[0] == "packets":
				text = packets.Schema()
			case len(args) > 0 && args[0] == "events":
				text = packets.EventSchema()
			case len(args) > 0 && args[0] == "connections":
				text = connlines.Schema()
			case len(args) > 0 && args[0] == "tables":
				return writeTables(a.Out)
			case len(args) > 0 && args[0] == "live":
				text = live.Schema()
			}
			_, err = a.Out.Write(text)
			return err
		},
	}
}

// writeTables writes what is in every table of analyze --csv.
func writeTables(w io.Writer) error {
	tables, err := csvtables.Tables()
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(tables)
}
