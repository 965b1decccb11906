package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
)

// tableOptions is the part of compare's command line that says how tables look.
type tableOptions struct {
	keys      *keys
	digits    int
	spread    bool
	tests     bool
	transpose bool
	float     string
	caption   string
	symbols   bool
}

func (o *tableOptions) register(c *cobra.Command) {
	o.keys = styleVar(c, "table", "digits=2,spread=no")
	f := o.keys.set
	f.IntVar(&o.digits, "digits", 0, "write numbers with so many significant `digits`, 1 to 6, but never cut the integer part; 0: whole numbers; default: 4, and no more than three decimals")
	f.BoolVar(&o.spread, "spread", true, "write means alone, without ± and the standard deviation of the sample")
	f.BoolVar(&o.tests, "tests", false, "show runs, p and size of the effect of each row also in text and Markdown, as in CSV and LaTeX")
	f.BoolVar(&o.transpose, "transpose", false, "exchange rows and columns of the table: a row per scenario")
	choose(f, &o.float, "float", "auto", "`ENVIRONMENT` of the LaTeX table: table, table* (over both columns), auto (one of these, by the number of columns), sideways (on a page of its own, turned: package rotating), or none (no float, caption and label)",
		"auto", "table", "table*", "sideways", campaign.NoFloat)
	f.StringVar(&o.caption, "caption", "", "`text` of the LaTeX table's caption, before the words that say what the cells are")
	f.BoolVar(&o.symbols, "symbols", false, "--table fi23: name rows by the symbols of the paper (υ, ζ, τ₁, d₁), and say below what they are")
}

func (o *tableOptions) style() campaign.Style {
	return campaign.Style{Digits: o.digits, Whole: o.digits == 0 && o.keys.set.Changed("digits"), NoSpread: !o.spread, Symbols: o.symbols}
}

// latexOptions returns the options of a table in LaTeX, with the name of its label.
func (o *tableOptions) latexOptions(label string) campaign.LaTeX {
	return campaign.LaTeX{Float: strings.NewReplacer("auto", "", "sideways", "sidewaystable").Replace(o.float), Label: label}
}

// shown returns the table as an output shows it: with the tests of its rows or without them.
func (o *tableOptions) shown(t *campaign.Table, tests bool) *campaign.Table {
	if tests {
		t = t.WithTests()
	}
	if o.transpose {
		t = t.Transpose()
	}
	return t
}

// forCSV returns the table for a CSV file, which has fields of their own for tests unless rows
// and columns are exchanged.
func (o *tableOptions) forCSV(t *campaign.Table) *campaign.Table { return o.shown(t, o.transpose) }
