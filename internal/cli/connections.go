package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mpanalyze/internal/connlines"
	"mpanalyze/internal/distributions"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
)

// connectionsOptions is the command line of connections.
type connectionsOptions struct {
	source
	format        string
	distributions string // form; "" for none
	each          bool
}

var distributionForms = []string{"table", "csv", "cdf", "hours"}

func newConnections(a *app) *cobra.Command {
	o := &connectionsOptions{}
	c := command("connections", files, reading(a, a.connections, o, &o.source))
	o.source.register(c)
	f := c.Flags()
	registerFormat(c, &o.format, "table", "csv", "json")
	f.Lookup("format").Usage += "; json has a line for each connection (mpanalyze explain --schema connections)"
	choose(f, &o.distributions, "distributions", "", "print how figures are distributed over all connections; `FORM` is table, csv, cdf or hours", distributionForms...)
	f.Lookup("distributions").NoOptDefVal = distributionForms[0]
	f.BoolVar(&o.each, "each", false, "with --distributions: each file is a capture of its own, not a part of one")
	c.MarkFlagsMutuallyExclusive("format", "json", "csv", "distributions")
	return c
}

func (a *app) connections(c *cobra.Command, o *connectionsOptions, eo engine.Options) error {
	if err := mistakes(c, refuse(o.each && o.distributions == "", "--each goes with --distributions")); err != nil {
		return err
	}
	if o.distributions != "" {
		return a.distributions(c, o, eo)
	}
	write := map[string]func(io.Writer, report.Source) error{"table": connlines.TSV, "csv": connlines.CSV, "json": connlines.JSON}[o.format]
	table := o.format == "table"
	if table {
		eo.Detail = report.Lines
	}
	out, leftOut := a.columns(connlines.Columns, table)
	defer leftOut()
	return a.stored(c.Context(), eo, func(s *report.Stored) error { return write(out, s) })
}

// distributions prints how figures are distributed over all connections.
func (a *app) distributions(c *cobra.Command, o *connectionsOptions, eo engine.Options) error {
	collector := distributions.New(eo.Label)
	captures := [][]string{eo.Paths}
	if o.each {
		captures = captures[:0]
		for _, path := range eo.Paths {
			captures = append(captures, []string{path})
		}
	}
	var damage error
	for _, eo.Paths = range captures {
		doc, err := a.track(c.Context(), eo, collector)
		if doc == nil {
			return errors.Join(damage, err)
		}
		damage = errors.Join(damage, err)
		if c.Context().Err() != nil {
			break
		}
	}
	n, timeless := collector.Connections()
	if timeless > 0 {
		fmt.Fprintf(a.Err, "mpanalyze: %d of %d connections have no times: the clock of the capture is at fault\n", timeless, n)
	}
	var err error
	switch list := collector.Distributions(); o.distributions {
	case "csv":
		err = distributions.WriteCSV(a.Out, distributions.Rows(list))
	case "cdf":
		err = distributions.WriteCSV(a.Out, distributions.CDF(list))
	case "hours":
		err = distributions.WriteCSV(a.Out, collector.Hours())
	default:
		err = distributions.WriteTable(a.Out, n, distributions.Rows(list))
	}
	return errors.Join(damage, err)
}
