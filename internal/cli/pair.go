package cli

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/pair/clock"
)

// hostCaptures are the captures of both hosts.
type hostCaptures struct {
	sender, receiver []string
	clock            string
	swap             bool // which is the sender is to be found out
}

func (e *hostCaptures) register(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&e.sender, "sender", nil, "capture of the host that sends most of the data, with --receiver; may be repeated (`FILE`)")
	f.StringArrayVar(&e.receiver, "receiver", nil, "capture of the host that receives it, with --sender; may be repeated (`FILE`)")
}

func (e *hostCaptures) given() bool { return len(e.sender)+len(e.receiver) > 0 }

// files returns the captures of both hosts.
func (e *hostCaptures) files() []string { return slices.Concat(e.sender, e.receiver) }

// check refuses half a pair, and files that belong to neither host.
func (e *hostCaptures) check(c *cobra.Command, args []string) error {
	switch {
	case len(args) > 0:
		return &usageError{c.CommandPath(), errors.New("name each file after --sender or --receiver, or none of them: " + args[0] + " is of neither host")}
	case len(e.sender) == 0:
		return &usageError{c.CommandPath(), errors.New("--receiver needs a --sender beside it; one capture is named without a flag")}
	case len(e.receiver) == 0:
		return &usageError{c.CommandPath(), errors.New("--sender needs a --receiver beside it; one capture is named without a flag")}
	}
	return files(c, e.files())
}

// apply puts the captures into the engine's options.
func (e *hostCaptures) apply(o *engine.Options) {
	if e.given() {
		o.Paths, o.Receiver = e.sender, e.receiver
	}
	o.Swap = e.swap
	o.Clock = map[string]clock.Mode{"auto": clock.Auto, "none": clock.None, "offset": clock.Offset, "drift": clock.Drift}[e.clock]
}

// checkPackets refuses packets.csv where there is none.
func (o *analyzeOptions) checkPackets(c *cobra.Command) error {
	switch {
	case o.packets && !o.both.given():
		return errors.New("--packets: it takes captures of both hosts, --sender and --receiver")
	case o.packets && o.csv == "":
		return errors.New("--packets: name a directory with --csv")
	case c.Flags().Changed("clock") && !o.both.given():
		return errors.New("--clock: it takes captures of both hosts, --sender and --receiver")
	}
	return nil
}

const pairHelp = `Analyse the captures of both hosts of the same sessions as one, like analyze
--sender FILE --receiver FILE, and find out which is whose: connections are
paired by tokens, nonces and sequence numbers, so that neither address
translation nor the names of the files matter.`

const pairExamples = `  mpanalyze pair client.pcap server.pcap
  mpanalyze pair client.pcap server.pcap --json | jq '.clock'`

func newPair(a *app) *cobra.Command {
	o := &analyzeOptions{}
	c := &cobra.Command{
		Use:     "pair FILE FILE",
		Short:   "Report on the captures of both hosts as one",
		Long:    pairHelp,
		Example: pairExamples,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return &usageError{c.CommandPath(), errors.New("want two captures, one of each host; several files of a host: analyze --sender FILE --receiver FILE")}
			}
			return files(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			o.both.sender, o.both.receiver, o.both.swap = args[:1], args[1:], true
			return a.analyze(c, o, args)
		},
	}
	o.register(c)
	return c
}
