package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/connlines"
	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/live"
	"mpanalyze/internal/packets"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
)

// schemas are what explain --schema prints, by its word; without one, the first.
var schemas = []struct {
	word string
	text func() ([]byte, error)
}{
	{"report", fixed(report.Schema)},
	{"compare", fixed(campaign.Schema)},
	{"packets", fixed(packets.Schema)},
	{"events", fixed(packets.EventSchema)},
	{"connections", fixed(connlines.Schema)},
	{"why", fixed(plaintext.WhySchema)},
	{"explain", fixed(catalogue.Schema)},
	{"live", fixed(live.Schema)},
	{"tables", tables},
}

func fixed(text func() []byte) func() ([]byte, error) {
	return func() ([]byte, error) { return text(), nil }
}

// schemaNames returns the words of the schemas.
func schemaNames() (words []string) {
	for _, x := range schemas {
		words = append(words, x.word)
	}
	return words
}

// newSchema returns the command that does what explain --schema does. It is not listed.
func newSchema(a *app) *cobra.Command {
	c := command("schema", nil, a.printSchema)
	c.Use, c.ValidArgs, c.Hidden = "schema ["+strings.Join(schemaNames(), "|")+"]", schemaNames(), true
	return c
}

// printSchema prints the schema of a name.
func (a *app) printSchema(c *cobra.Command, args []string) error {
	at := 0
	if len(args) > 0 {
		at = slices.Index(schemaNames(), args[0])
	}
	if at < 0 || len(args) > 1 {
		return mistakes(c, fmt.Errorf("no schema %q: want %s", strings.Join(args, " "), alternatives(schemaNames())))
	}
	text, err := schemas[at].text()
	if err == nil {
		_, err = a.Out.Write(text)
	}
	return err
}

// tables returns what is in every table of analyze --csv.
func tables() ([]byte, error) {
	list, err := csvtables.Tables()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = report.WriteIndented(&out, list, "", " ")
	return out.Bytes(), err
}
