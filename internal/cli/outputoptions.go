package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"mpanalyze/internal/plaintext"
)

// outputOptions holds the flags of output that people read.
type outputOptions struct {
	color   string
	width   int
	all     bool
	verbose bool
}

func (d *outputOptions) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&d.color, "color", "auto", "`when` to use colours: auto, always, never")
	f.IntVar(&d.width, "width", 0, "`columns` of the output; default: COLUMNS of the environment, else those of the terminal")
	f.BoolVar(&d.all, "all", false, "show every connection in full, however many there are")
	f.BoolVarP(&d.verbose, "verbose", "v", false, "show also how the place of each capture was found")
	complete(c, "color", "auto", "always", "never")
}

func (d *outputOptions) check() error {
	return cmp.Or(
		refuse(d.width < 0, "--width %d: want a number of columns, or 0 for those of the terminal", d.width),
		oneOf("color", d.color, "auto", "always", "never"))
}

func (d *outputOptions) options(s *Streams) plaintext.Options {
	return plaintext.Options{Width: cmp.Or(d.width, s.OutWidth), Color: s.color(d.color), All: d.all, Verbose: d.verbose}
}
