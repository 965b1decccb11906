package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"mpanalyze/internal/page"
	"mpanalyze/internal/timeline"
)

// htmlOptions is the command line of report.
type htmlOptions struct {
	session
	overlay overlayFile
	output  string
}

func newHTMLReport(a *app) *cobra.Command {
	o := &htmlOptions{}
	c := command("report", o.both.orFiles, withOptions(a.htmlReport, o))
	o.session.register(c)
	o.overlay.register(c)
	c.Flags().StringVarP(&o.output, "output", "o", "", "`FILE` to write, - for standard output")
	writes(c, "output")
	return c
}

func (a *app) htmlReport(c *cobra.Command, o *htmlOptions, args []string) error {
	eo, err := o.session.options(a, c, args, outputMissing(o.output, "report.html"))
	if err != nil {
		return err
	}
	beside, err := o.overlay.read(a)
	if err != nil {
		return err
	}
	store := timeline.New(page.Config())
	eo.Rows, eo.Series = store, store.Wants
	doc, err := a.run(c.Context(), eo)
	if doc == nil {
		return err
	}
	return errors.Join(err, a.create(o.output, func(w io.Writer) error { return page.Write(w, doc, store, beside...) }))
}
