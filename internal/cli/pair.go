package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
)

// hostCaptures are the captures of both hosts.
type hostCaptures struct {
	sender, receiver []string
	clock            clockFlag
	end              endFlag
	swap             bool // find out which host is the sender
}

func (e *hostCaptures) register(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&e.sender, "sender", nil, "`FILE` captured at the host that sends most of the data; needs --receiver; may be repeated")
	f.StringArrayVar(&e.receiver, "receiver", nil, "`FILE` captured at the host that receives most of the data; needs --sender; may be repeated")
}

func (e *hostCaptures) given() bool { return len(e.sender)+len(e.receiver) > 0 }

// files returns the captures of both hosts.
func (e *hostCaptures) files() []string { return slices.Concat(e.sender, e.receiver) }

// check refuses captures of one host alone, and files without a host.
func (e *hostCaptures) check(c *cobra.Command, args []string) error {
	switch {
	case len(args) > 0:
		return &usageError{c.CommandPath(), fmt.Errorf("%s: say which host captured it: --sender %s or --receiver %s", args[0], args[0], args[0])}
	case len(e.sender) == 0:
		return &usageError{c.CommandPath(), errors.New("--receiver needs --sender, the capture of the other host; one capture alone needs no flag")}
	case len(e.receiver) == 0:
		return &usageError{c.CommandPath(), errors.New("--sender needs --receiver, the capture of the other host; one capture alone needs no flag")}
	}
	return files(c, e.files())
}

// orFiles checks the arguments of a command that takes captures of one host or of both.
func (e *hostCaptures) orFiles(c *cobra.Command, args []string) error {
	if e.given() {
		return e.check(c, args)
	}
	return files(c, args)
}

// apply puts the captures into the engine's options.
func (e *hostCaptures) apply(o *engine.Options) {
	if e.given() {
		o.Paths, o.Receiver = e.sender, e.receiver
	}
	o.Swap, o.Clock, o.End = e.swap, e.clock.mode(), e.end.host()
}

// sayExchanged prints the warning that --sender and --receiver are exchanged to standard error.
// It is for commands whose output has no warnings.
func (a *app) sayExchanged(d *report.Document) {
	for _, w := range d.Warnings {
		if w.Code == report.WarnExchanged {
			a.sayWarnings([]string{w.Message})
		}
	}
}

// clockFlag is the flag that says what to do about clocks that disagree; empty for auto.
type clockFlag string

func (k *clockFlag) register(c *cobra.Command) {
	c.Flags().StringVar((*string)(k), "clock", "auto", "correct the clocks of two captures; `MODE` is none, offset, drift or auto (what the delays show)")
	complete(c, "clock", "auto", "none", "offset", "drift")
}

func (k clockFlag) check() error {
	return oneOf("clock", string(k), "auto", "none", "offset", "drift")
}

func (k clockFlag) mode() clock.Mode {
	return map[clockFlag]clock.Mode{"auto": clock.Auto, "none": clock.None, "offset": clock.Offset, "drift": clock.Drift}[k]
}

// checkPackets refuses --packets and --clock without the flags that they need.
func (o *analyzeOptions) checkPackets(c *cobra.Command) error {
	switch {
	case o.packets && !o.both.given():
		return errors.New("--packets needs captures of both hosts: --sender FILE --receiver FILE")
	case o.packets && o.csv == "" && o.parquet == "":
		return errors.New("--packets needs --csv DIR, the directory for packets.csv, or --parquet DIR")
	case c.Flags().Changed("clock") && !o.both.given():
		return errors.New("--clock needs captures of both hosts: --sender FILE --receiver FILE")
	case o.both.end.given && !o.both.given():
		return errors.New("--end needs captures of both hosts: --sender FILE --receiver FILE")
	}
	return nil
}

const pairHelp = `Analyse the captures of both hosts of the same sessions as one, like analyze
--sender FILE --receiver FILE, and find out which host made which capture.
Connections are paired by tokens, nonces and sequence numbers, so address
translation and the names of the files do not matter.`

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
				return &usageError{c.CommandPath(), errors.New("pair takes two captures, one of each host; for several files of a host: mpanalyze analyze --sender FILE --receiver FILE")}
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
