package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
)

// tableOptions is the part of compare's command line that says how tables look.
type tableOptions struct {
	digits    int
	whole     bool // --digits 0
	noSpread  bool
	tests     bool
	transpose bool
	float     string
	siunitx   bool
	latex     string // width
	terminal  int    // columns of the terminal that the table goes to; 0 for none
}

func (o *tableOptions) register(c *cobra.Command) {
	f := c.Flags()
	f.IntVar(&o.digits, "digits", 0, "write numbers with so many significant `digits`, 1 to 6, but never cut the integer part; 0: whole numbers; default: 4, and no more than three decimals")
	f.BoolVar(&o.noSpread, "no-spread", false, "write means alone, without ± and the standard deviation of the sample")
	f.BoolVar(&o.tests, "tests", false, "show runs, p and size of the effect of each row also in text and Markdown, as in CSV and LaTeX")
	f.BoolVar(&o.transpose, "transpose", false, "exchange rows and columns of the table: a row per scenario")
	f.StringVar(&o.float, "latex-float", "auto", "`ENVIRONMENT` of the LaTeX table: none (tabular), table* (over both columns), sideways (on a page of its own, turned: package rotating), or auto: none, and sideways where only that keeps the table in one piece")
	f.BoolVar(&o.siunitx, "siunitx", false, "align the numbers of LaTeX tables at their points (package siunitx)")
	complete(c, "latex-float", latexFloats...)
	f.StringVar(&o.latex, "latex-width", "", "`width` that the LaTeX table may take, as in 8.8cm or 252pt; default: the text of an article on A4, 12.1cm, turned 21cm, of table* 17.8cm")
}

// check refuses values that make no sense. It needs c to know whether --digits 0 was given.
func (o *tableOptions) check(c *cobra.Command) (err error) {
	o.whole = o.digits == 0 && c.Flags().Changed("digits")
	_, err = texLength(o.latex)
	return errors.Join(refuse(o.digits < 0 || o.digits > 6, "--digits %d: want 0 to 6", o.digits), oneOf("latex-float", o.float, latexFloats...), err)
}

func (o *tableOptions) style() campaign.Style {
	return campaign.Style{Digits: o.digits, Whole: o.whole, NoSpread: o.noSpread}
}

// latexFloats are the values of --latex-float.
var latexFloats = []string{"auto", "none", "table*", "sideways"}

// latexOptions returns the options for a table. A float of its own is chosen only where no width
// is asked for.
func (o *tableOptions) latexOptions(t *campaign.Table) campaign.LaTeX {
	width, _ := texLength(o.latex) // checked
	out := campaign.LaTeX{Width: width, Landscape: o.float == "sideways", Wide: o.float == "table*", SIunitx: o.siunitx}
	if o.float == "auto" && width == 0 && t.Panels(out) > 1 {
		turned := out
		if turned.Landscape = true; t.Panels(turned) == 1 {
			return turned
		}
	}
	return out
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
func (o *tableOptions) forCSV(t *campaign.Table) *campaign.Table {
	if o.transpose {
		return o.shown(t, true)
	}
	return t
}

// writeLaTeX writes a table as LaTeX. If the table is too wide, the error says what to do.
func (o *tableOptions) writeLaTeX(w io.Writer, t *campaign.Table) error {
	err := t.WriteLaTeX(w, o.latexOptions(t))
	if errors.Is(err, campaign.ErrWidth) {
		return fmt.Errorf("--latex-width: %w; --no-spread, --digits 2 or --transpose may make it narrower", err)
	}
	return err
}

// texUnits holds units of length in TeX points (pt); an inch has 72.27 pt.
var texUnits = map[string]float64{"pt": 1, "in": 72.27, "cm": 72.27 / 2.54, "mm": 72.27 / 25.4}

// texLength reads a length and returns TeX points, 0 if the text is empty.
func texLength(text string) (pt float64, err error) {
	if text == "" {
		return 0, nil
	}
	at := max(0, len(text)-2)
	v, err := strconv.ParseFloat(strings.TrimSpace(text[:at]), 64)
	unit, known := texUnits[text[at:]]
	if err != nil || !known || !(v > 0) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("--latex-width %q: want a length in cm, mm, in or pt, as in 8.8cm", text)
	}
	return v * unit, nil
}
