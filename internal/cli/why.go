package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
)

// whyOptions is the command line of why.
type whyOptions struct {
	source
	outputOptions
	json       bool
	connection int
}

const whyHelp = `Say why connections do not aggregate their paths, or got slow: each verdict with
the packets and numbers that prove it, the gravest first.

Verdicts cover the handshake (MPTCP not granted, options stripped), further
subflows (none attempted, refused, reset, unanswered; addresses announced in
vain), fallback and its cause, the receive window, head-of-line blocking by
path, paths that died, idled, lost much or are unequal. What a capture at one
end cannot tell apart is said as the possibilities that remain. Waits and limits
of less than 10 ms in all are no reason for anything.`

const whyExamples = `  mpanalyze why session.pcap
  mpanalyze why session.pcap --connection 0
  mpanalyze why --json session.pcap | jq -r '.connections[].verdicts[] | select(.severity == "critical") | .code'`

func newWhy(a *app) *cobra.Command {
	o := &whyOptions{}
	c := &cobra.Command{
		Use:     "why FILE...",
		Short:   "Say why connections do not aggregate, or got slow",
		Long:    whyHelp,
		Example: whyExamples,
		Args:    files,
		RunE: func(c *cobra.Command, args []string) error {
			return a.why(c, o, args)
		},
	}
	o.source.register(c)
	o.outputOptions.register(c)
	f := c.Flags()
	f.BoolVar(&o.json, "json", false, "print JSON: the verdicts of every connection")
	f.IntVar(&o.connection, "connection", engine.AllConnections, "judge only the connection with this `ID`; default: all")
	return c
}

func (a *app) why(c *cobra.Command, o *whyOptions, args []string) error {
	eo, err := o.source.options(a, c, args)
	if err != nil {
		return err
	}
	err = o.outputOptions.check()
	if o.connection < engine.AllConnections {
		err = errors.Join(err, fmt.Errorf("--connection %d: want an id of the report, from 0", o.connection))
	}
	if err != nil {
		return &usageError{c.CommandPath(), err}
	}
	eo.Connection, eo.Interval, eo.QoE = o.connection, metrics.DefaultInterval, metrics.DefaultQoE
	return a.stored(c.Context(), eo, func(s *report.Stored, err error) error {
		switch {
		case s == nil:
			return err
		case o.json:
			return errors.Join(err, plaintext.WhyJSON(a.Out, s))
		}
		return errors.Join(err, plaintext.Why(a.Out, s, o.outputOptions.options(&a.Streams)))
	})
}
