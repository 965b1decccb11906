package cli

import (
	"bytes"
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

// schemas are what the command prints, by its word; without one, the first.
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
	{"live", fixed(live.Schema)},
	{"tables", tables},
}

func fixed(text func() []byte) func() ([]byte, error) {
	return func() ([]byte, error) { return text(), nil }
}

func newSchema(a *app) *cobra.Command {
	var words []string
	for _, x := range schemas {
		words = append(words, x.word)
	}
	known := func(c *cobra.Command, args []string) error {
		unknown := len(args) > 1 || len(args) == 1 && !slices.Contains(words, args[0])
		return mistakes(c, refuse(unknown, "no schema %q: want %s", strings.Join(args, " "), alternatives(words)))
	}
	c := command("schema", known, func(_ *cobra.Command, args []string) error {
		at := 0
		if len(args) > 0 {
			at = slices.Index(words, args[0])
		}
		text, err := schemas[at].text()
		if err != nil {
			return err
		}
		_, err = a.Out.Write(text)
		return err
	})
	c.Use, c.ValidArgs = "schema ["+strings.Join(words, "|")+"]", words
	return c
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
