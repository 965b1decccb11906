package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/packets"
)

const packetsHelp = `Write a line for each packet of every connection: a header line, then columns
separated by tabs, "-" for what is not known.

seq, ack and window are those of the TCP header. ssn and dsn are where the
payload lies in the stream of the subflow and of the connection, from its first
octet to the one behind its last, counted from 1; mapping is what the packet
announces, data sequence numbers @ subflow sequence number. mark says whether
payload was sent before on the subflow (retransmission), on another
(reinjection) or on this under another number (reinjection_same_subflow),
whether the mapping ends in a DATA_FIN, and whether a router marked congestion.
data_ack is relative as dsn is; rtt_ms is the time since what the packet
acknowledges passed the place of the capture: the round trip where that is at
the host that sent it.`

const packetsExamples = `  mpanalyze packets session.pcap | grep reinjection
  mpanalyze packets session.pcap --connection 0 | awk -F '\t' '$19 != "-" { print $3, $19 }'`

func newPackets(a *app) *cobra.Command {
	var s source
	var connection int
	c := &cobra.Command{
		Use:     "packets FILE...",
		Short:   "Write a line for each packet: data sequence numbers, marks, samples",
		Long:    packetsHelp,
		Example: packetsExamples,
		Args:    files,
		RunE: func(c *cobra.Command, args []string) error {
			eo, err := s.options(a, c, args)
			if err != nil {
				return err
			}
			if connection < packets.AllConnections {
				return &usageError{c.CommandPath(), fmt.Errorf("--connection %d: want an id of the report, from 0", connection)}
			}
			lines := packets.New(a.Out, connection)
			eo.Modules = append(eo.Modules, lines)
			doc, err := a.track(c.Context(), eo)
			if doc == nil {
				return err
			}
			failed := lines.Flush()
			if err == nil && connection != packets.AllConnections && !lines.Found() {
				err = absent(connectionNamed(connection), args)
			}
			return errors.Join(err, failed)
		},
	}
	s.register(c)
	c.Flags().IntVar(&connection, "connection", packets.AllConnections, "only the connection with this `ID` of the report; default: all, plain TCP too")
	return c
}

// connectionNamed is how messages name a connection.
func connectionNamed(id int) string { return fmt.Sprintf("connection %d", id) }

// absent returns an error: the captures do not have what was asked for; and what to do.
func absent(what string, files []string) error {
	return fmt.Errorf("no %s in %s; mpanalyze connections lists what there is", what, strings.Join(files, ", "))
}
