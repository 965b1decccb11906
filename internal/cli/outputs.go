package cli

import (
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"mpanalyze/internal/output"
)

// outputs is where a command writes, besides standard output.
type outputs struct {
	files []string // "" for none, "-" for standard output
	dirs  []outputDir
}

// parquetSuffix ends the names of tables as Parquet.
const parquetSuffix = ".parquet"

// outputDir is a directory for files whose names depend on what is read.
type outputDir struct {
	name   string // "" for none
	suffix string // of all files
}

// keepApart refuses an output that is also an input; standard output counts as an output. Call
// it before anything is written.
func (a *app) keepApart(c *cobra.Command, inputs []string, out outputs) error {
	var in output.Inputs
	for _, name := range inputs {
		if f, ok := a.In.(*os.File); ok && name == "-" {
			in.AddStream("standard input", f)
		} else {
			in.Add(name)
		}
	}
	var err error
	if f, ok := a.Out.(*os.File); ok {
		err = in.RefuseStream("standard output", f)
	}
	for _, name := range out.files {
		if name != "" && name != "-" {
			err = errors.Join(err, in.Refuse(name))
		}
	}
	for _, d := range out.dirs {
		if d.name != "" {
			err = errors.Join(err, in.RefuseIn(d.name, d.suffix))
		}
	}
	return mistakes(c, err)
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
