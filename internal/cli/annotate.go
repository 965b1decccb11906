package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mpanalyze/internal/annotate"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/packets"
	"mpanalyze/internal/report"
)

// annotateOptions is the command line of annotate.
type annotateOptions struct {
	source
	output string
}

func newAnnotate(a *app) *cobra.Command {
	o := &annotateOptions{}
	c := command("annotate", files, withOptions(a.annotate, o))
	o.source.register(c)
	c.Flags().StringVarP(&o.output, "output", "o", "", "`FILE` to write, - for standard output")
	writes(c, "output")
	return c
}

func (a *app) annotate(c *cobra.Command, o *annotateOptions, args []string) error {
	eo, err := o.source.options(a, c, args)
	if err != nil {
		return err
	}
	if err := a.checkCopy(args, "annotate", "three times", o.output, "annotated.pcapng"); err != nil {
		return mistakes(c, err)
	}
	verdicts, damage := a.verdicts(c, eo)
	if verdicts == nil || c.Context().Err() != nil {
		return damage
	}
	var interrupted error
	failed := a.create(o.output, func(w io.Writer) (err error) {
		interrupted, err = a.copyAnnotated(c, eo, w, verdicts)
		return err
	})
	return errors.Join(cmp.Or(interrupted, damage), failed)
}

// verdicts returns which packets prove the verdicts on the connections.
func (a *app) verdicts(c *cobra.Command, eo engine.Options) (of annotate.Verdicts, damage error) {
	eo.Interval, eo.QoE = metrics.DefaultInterval, metrics.DefaultQoE
	damage = a.stored(c.Context(), eo, func(s *report.Stored) error {
		a.sayMistaken(s.Head())
		found, left, err := annotate.VerdictsOf(s)
		if err != nil {
			return err
		}
		if of = found; left > 0 {
			a.sayWarnings([]string{fmt.Sprintf("the captures have more verdicts than are kept: comments lack packets of %d of them", left)})
		}
		return nil
	})
	return of, damage
}

// copyAnnotated copies the captures to w. After an interrupt w has what was copied until then.
func (a *app) copyAnnotated(c *cobra.Command, eo engine.Options, w io.Writer, verdicts annotate.Verdicts) (interrupted, failed error) {
	out, err := annotate.New(w, eo.Paths, verdicts)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	lines := packets.NewComments(out.Comment)
	eo.Modules = append(eo.Modules, lines)
	doc, err := a.track(c.Context(), eo) // the first reading already reported damage
	if doc == nil {
		return nil, err
	}
	if failed := lines.Flush(); failed != nil {
		return nil, failed
	}
	if c.Context().Err() != nil {
		return err, out.Stop()
	}
	failed = out.Finish(c.Context())
	if errors.Is(failed, context.Canceled) {
		return &engine.DamageError{Err: context.Canceled}, written(failed)
	}
	if n := out.Late(); n > 0 {
		a.sayWarnings([]string{fmt.Sprintf("%d packets have no comment: their connection became known too long after them", n)})
	}
	return nil, failed
}
