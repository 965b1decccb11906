package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/output"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/results"
)

// useAnnotation is the annotation of a flag that names files or directories. It holds what the
// command does with them: reads, writes, or finds runs by them. Behind writesFile stand, for a
// directory, patterns of the names of the files that are written into it.
const useAnnotation = "mpanalyze_use"

const (
	readsFile  = "reads"
	writesFile = "writes"
	findsRuns  = "finds runs"
)

// markUse marks flags by what the command does with the files that they name.
func markUse(c *cobra.Command, use []string, flags ...string) {
	for _, name := range flags {
		if err := c.Flags().SetAnnotation(name, useAnnotation, use); err != nil {
			panic(err) // no such flag: a mistake in the command's constructor
		}
	}
}

// reads marks flags that name a file, or a directory of files, that the command reads.
func reads(c *cobra.Command, flags ...string) { markUse(c, []string{readsFile}, flags...) }

// writes marks flags that name a file that the command writes.
func writes(c *cobra.Command, flags ...string) { markUse(c, []string{writesFile}, flags...) }

// writesInto marks a flag that names a directory into which the command writes files of these names.
func writesInto(c *cobra.Command, flag string, files ...string) {
	markUse(c, append([]string{writesFile}, files...), flag)
}

// runsFrom marks flags by which the command finds runs. It gives their files to keepApart.
func runsFrom(c *cobra.Command, flags ...string) { markUse(c, []string{findsRuns}, flags...) }

// isOutput reports whether a flag says where the command writes.
func isOutput(f *pflag.Flag) bool {
	use := f.Annotations[useAnnotation]
	return use != nil && use[0] == writesFile
}

// keepApart refuses an output that is also an input, or another output. The flags say what the command
// reads and writes; files returns what it reads besides. Standard output counts as an output. It is
// called before anything is written: for every command with its arguments, and by those that find runs.
func (a *app) keepApart(c *cobra.Command, files func() []string) error {
	var uses output.Uses
	if f, ok := a.Out.(output.Open); ok {
		uses.WriteStream("standard output", f)
	}
	var reading []func() []string // what flags name, looked up only if there is an output
	c.Flags().Visit(func(f *pflag.Flag) {
		use, values := f.Annotations[useAnnotation], valuesOf(f)
		if k, ok := f.Value.(*keys); ok {
			values = k.files
		}
		for _, value := range values {
			switch name := fileIn(f, value); {
			case use == nil || name == "" || name == "-":
			case use[0] == readsFile:
				reading = append(reading, func() []string { return filesAt(f, name) })
			case len(use) > 1:
				uses.WriteInto(flagName(f), name, use[1:]...)
			case use[0] == writesFile:
				uses.Write(flagName(f), name)
			}
		}
	})
	if uses.Writes() == 0 { // it takes a while to find many results, or the records of many runs
		return nil
	}
	for _, find := range append(reading, files) {
		for _, name := range find() {
			if f, ok := a.In.(output.Open); ok && name == "-" {
				uses.ReadStream("standard input", f)
			} else {
				uses.Read(name)
			}
		}
	}
	return mistakes(c, uses.Check())
}

// valuesOf returns the values of a flag.
func valuesOf(f *pflag.Flag) []string {
	if several, ok := f.Value.(pflag.SliceValue); ok {
		return several.GetSlice()
	}
	return []string{f.Value.String()}
}

// fileIn returns the name of the file in a value of a flag, which may have a word and "=" before it.
func fileIn(f *pflag.Flag, value string) string {
	switch form := placeholder(f); {
	case form == recordForm:
		return recordSource(value).Path
	case strings.HasSuffix(form, "=FILE"):
		_, value, _ = strings.Cut(value, "=")
	}
	return value
}

// filesAt returns the files that a command reads where a flag names a file or a directory.
func filesAt(f *pflag.Flag, name string) []string {
	if placeholder(f) == recordForm {
		return hosts.Records(name)
	}
	files, _ := results.Files([]string{name}) // the reader reports what is missing
	return files
}

// outputMissing refuses a command line without the file to write.
func outputMissing(name, example string) error {
	return refuse(name == "", "the file to write is missing; name it with -o, as in -o %s", example)
}

// create writes a file whole or not at all; - is standard output.
func (a *app) create(name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(a.Out)
	}
	return output.Write(name, write)
}

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
	if j != "" {
		if err := a.create(string(j), inJSON); err != nil || j == "-" {
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

// inFigures are the flags of task and compare that change the figures of a run. They are kept in results: compare --results
// refuses another value.
var inFigures = []string{
	"clock", "connection", "decap", "end", "extra", "filter", "from", "interval", "label", "max-memory", "qoe", "stream", "vantage",
}

// eachFigureFlag calls f for each flag of a command that changes figures, with its value, empty for
// the default.
func eachFigureFlag(c *cobra.Command, f func(flag *pflag.Flag, value string)) {
	for _, name := range inFigures {
		flag := c.Flags().Lookup(name)
		switch {
		case flag == nil: // not each command has all of them
		case flag.Value.String() == flag.DefValue:
			f(flag, "")
		default:
			f(flag, flag.Value.String())
		}
	}
}

// figureFlags returns the flags that results are made with: those that change figures and do not
// have their default.
func figureFlags(c *cobra.Command) map[string]string {
	flags := map[string]string{}
	eachFigureFlag(c, func(f *pflag.Flag, value string) {
		if value != "" {
			flags[f.Name] = value
		}
	})
	return flags
}

// unlikeResults says which flags of the command line results were not made with.
func unlikeResults(c *cobra.Command, m *results.Merged) (lines []string) {
	eachFigureFlag(c, func(f *pflag.Flag, value string) {
		if !f.Changed {
			return
		}
		for _, flags := range m.Flags {
			if was := flags[f.Name]; was != value {
				lines = append(lines, fmt.Sprintf("--%s %s: results were made with %s; give the flag to mpanalyze task, which makes the results", f.Name, f.Value, cmp.Or(was, f.DefValue, "none")))
				return
			}
		}
	})
	return lines
}
