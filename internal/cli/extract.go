package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/extract"
)

// extractOptions is the command line of extract.
type extractOptions struct {
	source
	connections idRanges
	subflow     int
	output      string
}

func newExtract(a *app) *cobra.Command {
	o := &extractOptions{}
	c := command("extract", files, withOptions(a.extract, o))
	o.source.register(c)
	f := c.Flags()
	o.connections.ranges = []extract.IDs{{}}
	f.Var(&o.connections, "connection", "`IDS` of the connections in the report, as in 3 or 3,8,20-39")
	f.IntVar(&o.subflow, "subflow", extract.AllSubflows, "only the subflow with this `ID`; default: all")
	f.StringVarP(&o.output, "output", "o", "", "`FILE` to write, - for standard output")
	writes(c, "output")
	return c
}

// check refuses impossible values.
func (o *extractOptions) check(a *app, args []string) (err error) {
	switch {
	case o.subflow < extract.AllSubflows:
		err = fmt.Errorf("--subflow %d: want the id of a subflow, 0 or more; mpanalyze analyze lists them", o.subflow)
	case o.subflow > extract.AllSubflows && !o.connections.one():
		err = fmt.Errorf("--subflow %d: name its connection alone, as in --connection 3", o.subflow)
	}
	return errors.Join(err, a.checkCopy(args, "extract", "twice", o.output, "connection.pcapng"))
}

// checkCopy refuses what a command cannot do that reads captures several times and copies packets
// of them into a file.
func (a *app) checkCopy(args []string, command, times, output, example string) error {
	return errors.Join(
		outputMissing(output, example),
		refuse(output == "-" && a.OutTTY, "a terminal cannot show a capture; redirect it to a file or a pipe"),
		refuse(slices.Contains(args, "-"), "%s reads the capture %s, and standard input can be read only once; write it to a file first", command, times))
}

func (a *app) extract(c *cobra.Command, o *extractOptions, args []string) error {
	eo, err := o.source.options(a, c, args)
	if err != nil {
		return err
	}
	if err := o.check(a, args); err != nil {
		return mistakes(c, err)
	}
	choice := extract.Choose(o.subflow, o.connections.ranges...)
	eo.Modules = append(eo.Modules, choice)
	doc, damage := a.track(c.Context(), eo)
	if doc == nil {
		return damage
	}
	if missing := choice.Missing(); len(missing) > 0 && (damage == nil || choice.Packets() == 0) {
		return errors.Join(damage, absent(o.about(missing), args))
	}
	about := o.about(o.connections.ranges)
	ctx := c.Context()
	if ctx.Err() != nil { // what was found before the interrupt is copied
		ctx = context.WithoutCancel(ctx)
	}
	failed := a.create(o.output, func(w io.Writer) error {
		_, err := choice.Write(ctx, w, args, about+" of "+args[0], func() error {
			if doc, err := a.track(c.Context(), eo); doc == nil || c.Context().Err() != nil {
				return err
			}
			return nil // the first reading already reported damage
		})
		if errors.Is(err, context.Canceled) { // the file holds what was copied
			if damage == nil {
				damage = &engine.DamageError{Err: context.Canceled}
			}
			return written(err)
		}
		return err
	})
	return errors.Join(damage, failed)
}

// about names what is copied.
func (o *extractOptions) about(connections []extract.IDs) string {
	ids := idRanges{ranges: connections}
	switch {
	case o.subflow != extract.AllSubflows:
		return fmt.Sprintf("subflow %d of connection %s", o.subflow, &ids)
	case ids.one():
		return fmt.Sprintf("connection %s", &ids)
	}
	return fmt.Sprintf("connections %s", &ids)
}

// written returns what failed besides the interrupt.
func written(err error) error {
	for _, cause := range causes(err) {
		if !errors.Is(cause, context.Canceled) {
			return cause
		}
	}
	return nil
}
