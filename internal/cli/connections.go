package cli

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mpanalyze/internal/connlines"
	"mpanalyze/internal/distributions"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
)

// connectionsOptions is the command line of connections.
type connectionsOptions struct {
	source
	json, csv           bool
	distributions, each bool
	format              string
}

func newConnections(a *app) *cobra.Command {
	o := &connectionsOptions{}
	c := command("connections", files, withOptions(a.connections, o))
	o.source.register(c)
	f := c.Flags()
	f.BoolVar(&o.json, "json", false, "write a line of JSON for each connection (mpanalyze schema connections)")
	f.BoolVar(&o.csv, "csv", false, "write a row of CSV for each path of each direction of each connection")
	f.BoolVar(&o.distributions, "distributions", false, "print how figures are distributed over all connections")
	f.StringVar(&o.format, "format", "table", "form of the distributions: `table`, csv, cdf or hours")
	f.BoolVar(&o.each, "each", false, "with --distributions: each file is a capture of its own, not a part of one")
	complete(c, "format", "table", "csv", "cdf", "hours")
	c.MarkFlagsMutuallyExclusive("json", "csv", "distributions")
	return c
}

func (a *app) connections(c *cobra.Command, o *connectionsOptions, args []string) error {
	eo, err := o.source.options(a, c, args)
	if err != nil {
		return err
	}
	if err := o.check(c); err != nil {
		return mistakes(c, err)
	}
	if o.distributions {
		return a.distributions(c, o, eo)
	}
	write := connlines.JSON
	switch {
	case o.json, o.csv:
		eo.Interval, eo.QoE = metrics.DefaultInterval, metrics.DefaultQoE
		if o.csv {
			write = connlines.CSV
		}
	default:
		eo.Detail, write = report.Lines, plaintext.Connections
	}
	out, leftOut := a.columns(plaintext.ListColumns, !o.json && !o.csv)
	defer leftOut()
	return a.stored(c.Context(), eo, func(s *report.Stored) error { return write(out, s) })
}

// check refuses flags that have no meaning without --distributions.
func (o *connectionsOptions) check(c *cobra.Command) error {
	alone := func(name string) error {
		return refuse(!o.distributions && c.Flags().Changed(name), "--%s goes with --distributions", name)
	}
	return cmp.Or(alone("format"), alone("each"), oneOf("format", o.format, "table", "csv", "cdf", "hours"))
}

// distributions prints how figures are distributed over all connections.
func (a *app) distributions(c *cobra.Command, o *connectionsOptions, eo engine.Options) error {
	collector := distributions.New(eo.Label)
	eo.Modules = append(eo.Modules, collector)
	captures := [][]string{eo.Paths}
	if o.each {
		captures = captures[:0]
		for _, path := range eo.Paths {
			captures = append(captures, []string{path})
		}
	}
	var damage error
	for _, eo.Paths = range captures {
		doc, err := a.track(c.Context(), eo)
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
	switch list := collector.Distributions(); o.format {
	case "csv":
		err = distributions.WriteCSV(a.Out, list)
	case "cdf":
		err = distributions.WriteCDF(a.Out, list)
	case "hours":
		err = distributions.WriteHours(a.Out, collector.Shares())
	default:
		err = distributions.WriteTable(a.Out, n, list, collector.Shares())
	}
	return errors.Join(damage, err)
}
