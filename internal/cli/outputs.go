package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/output"
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
		f := c.Flags().Lookup(name)
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[useAnnotation] = use
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
