package cli

import (
	"cmp"
	"io"

	"github.com/spf13/cobra"

	"mpanalyze/internal/output"
	"mpanalyze/internal/plaintext"
)

// registerFormat adds the flag for the form of what is printed; the first form is the default. The forms that are flags of
// other commands, too, are flags of their own.
func registerFormat(c *cobra.Command, form *string, forms ...string) {
	choose(c.Flags(), form, "format", forms[0], "`form` of what is printed: "+alternatives(forms), forms...)
	for _, name := range forms {
		if name == "json" || name == "csv" {
			c.Flags().BoolFunc(name, "the same as --format "+name, func(given string) error {
				*form = name
				return refuse(given != "true", "it takes no value: > FILE writes into a file")
			})
			c.MarkFlagsMutuallyExclusive("format", name)
		}
	}
}

// jsonOutput is the flag that prints JSON in place of text, or writes it to a file beside the text.
type jsonOutput string

// register adds the flag; what says what the JSON is.
func (j *jsonOutput) register(c *cobra.Command, what string) {
	c.Flags().StringVar((*string)(j), "json", "", "print "+what+" in place of text, or write it to `FILE` beside the text")
	c.Flags().Lookup("json").NoOptDefVal = "-"
	writes(c, "json")
}

// write writes what the flag asks for. The file comes first: a reader of standard output that closes it
// early does not prevent it.
func (j jsonOutput) write(a *app, inJSON, inText func(io.Writer) error) error {
	switch j {
	case "-":
		return inJSON(a.Out)
	case "":
	default:
		if err := output.Write(string(j), inJSON); err != nil {
			return err
		}
	}
	return inText(a.Out)
}

// outputOptions holds the flags of output that people read.
type outputOptions struct {
	color   string
	width   int
	all     bool
	verbose bool
}

func (d *outputOptions) register(c *cobra.Command) {
	f := c.Flags()
	choose(f, &d.color, "color", "auto", "`when` to use colours: auto, always, never", "auto", "always", "never")
	f.IntVar(&d.width, "width", 0, "`columns` of the output; default: COLUMNS of the environment, else those of the terminal")
	f.BoolVar(&d.all, "all", false, "show every connection in full, however many there are")
	f.BoolVarP(&d.verbose, "verbose", "v", false, "show also how the place of each capture was found")
}

func (d *outputOptions) check() error {
	return refuse(d.width < 0, "--width %d: want a number of columns, or 0 for those of the terminal", d.width)
}

func (d *outputOptions) options(s *Streams) plaintext.Options {
	return plaintext.Options{Width: cmp.Or(d.width, s.OutWidth), Color: s.color(d.color), All: d.all, Verbose: d.verbose}
}
