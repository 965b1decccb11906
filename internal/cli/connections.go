package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
)

const connectionsExamples = `  mpanalyze connections session.pcap | grep closed
  mpanalyze connections session.pcap | awk -F '\t' '$1 == "mptcp" { sum += $12 } END { print sum }'`

func newConnections(a *app) *cobra.Command {
	var s source
	c := &cobra.Command{
		Use:     "connections FILE...",
		Short:   "List the connections in captures, a line each",
		Long:    "List the connections in captures: a header line, then a line per connection,\ncolumns separated by tabs, \"-\" for what is not known.",
		Example: connectionsExamples,
		Args:    files,
		RunE: func(c *cobra.Command, args []string) error {
			o, err := s.options(a, c, args)
			if err != nil {
				return err
			}
			o.Detail = report.Lines
			return a.stored(c.Context(), o, func(s *report.Stored, err error) error {
				if s == nil {
					return err
				}
				return errors.Join(err, plaintext.Connections(a.Out, s))
			})
		},
	}
	s.register(c)
	return c
}
