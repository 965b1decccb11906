package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/page"
	"mpanalyze/internal/timeline"
)

// htmlOptions is the command line of report.
type htmlOptions struct {
	source
	records
	overlay overlayFile
	both    hostCaptures
	output  string
	further
}

func newHTMLReport(a *app) *cobra.Command {
	o := &htmlOptions{}
	c := command("report", o.both.orFiles, withOptions(a.htmlReport, o))
	o.source.register(c)
	o.records.register(c)
	o.overlay.register(c)
	o.both.register(c)
	o.further.register(c, &o.eo)
	f := c.Flags()
	f.StringVarP(&o.output, "output", "o", "", "`FILE` to write, - for standard output")
	writes(c, "output")
	f.IntVar(&o.eo.Connection, "connection", engine.AllConnections, "report only on the connection with this `ID`; default: all")
	return c
}

func (a *app) htmlReport(c *cobra.Command, o *htmlOptions, args []string) error {
	args = o.both.files(args)
	eo, err := o.source.options(a, c, args)
	if err != nil {
		return err
	}
	err = mistakes(c,
		outputMissing(o.output, "report.html"), o.records.apply(&eo), o.further.apply(c, &eo),
		checkConnection(eo.Connection, engine.AllConnections))
	if err != nil {
		return err
	}
	beside, err := o.overlay.read(a)
	if err != nil {
		return err
	}
	store := timeline.New(page.Config())
	eo.Interval, eo.QoE = metrics.DefaultInterval, metrics.DefaultQoE
	eo.Rows, eo.Series = store, store.Wants
	o.both.apply(&eo)
	doc, err := a.run(c.Context(), eo)
	if doc == nil {
		return err
	}
	return errors.Join(err, a.create(o.output, func(w io.Writer) error { return page.Write(w, doc, store, beside...) }))
}
