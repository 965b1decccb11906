package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
)

// hostCaptures are the captures of both hosts.
type hostCaptures struct {
	sender, receiver []string
	clock            clockFlag
	end              endFlag
	find             bool // two files, one of each host: find out which host is the sender
}

func (e *hostCaptures) register(c *cobra.Command) {
	f := c.Flags()
	f.StringArrayVar(&e.sender, "sender", nil, "`FILE` captured at the host that sends most of the data; needs --receiver; may be repeated")
	f.StringArrayVar(&e.receiver, "receiver", nil, "`FILE` captured at the host that receives most of the data; needs --sender; may be repeated")
	f.BoolVar(&e.find, "both", false, "the two files are captures of both hosts: find out which host sends most of the data")
	reads(c, "sender", "receiver")
	c.MarkFlagsMutuallyExclusive("both", "sender")
	c.MarkFlagsMutuallyExclusive("both", "receiver")
}

// named reports whether the command line says which host made which capture.
func (e *hostCaptures) named() bool { return len(e.sender)+len(e.receiver) > 0 }

func (e *hostCaptures) given() bool { return e.find || e.named() }

// files returns the captures that a command line names; args are those without a host.
func (e *hostCaptures) files(args []string) []string {
	if e.given() {
		return slices.Concat(e.sender, e.receiver)
	}
	return args
}

// take takes two files, whichever host made which.
func (e *hostCaptures) take(c *cobra.Command, args []string) error {
	if len(args) != 2 {
		return mistakes(c, errors.New("--both takes two captures, one of each host; for several files of a host: --sender FILE --receiver FILE"))
	}
	if slices.Contains(args, "-") { // it can be read only once
		return mistakes(c, errors.New("--both reads the beginning of both captures first, so it takes no standard input; say which host made which: --sender FILE --receiver FILE"))
	}
	e.sender, e.receiver = args[:1], args[1:]
	return files(c, args)
}

// check refuses captures of one host alone, and files without a host.
func (e *hostCaptures) check(c *cobra.Command, args []string) error {
	switch {
	case len(args) > 0:
		return mistakes(c, fmt.Errorf("%s: say which host captured it: --sender %s or --receiver %s", args[0], args[0], args[0]))
	case len(e.sender) == 0:
		return mistakes(c, errors.New("--receiver needs --sender, the capture of the other host; one capture alone needs no flag"))
	case len(e.receiver) == 0:
		return mistakes(c, errors.New("--sender needs --receiver, the capture of the other host; one capture alone needs no flag"))
	}
	return files(c, e.files(nil))
}

// orFiles checks the arguments of a command that takes captures of one host or of both.
func (e *hostCaptures) orFiles(c *cobra.Command, args []string) error {
	switch {
	case e.find && e.named(): // excluded: see register
		return nil
	case e.find:
		return e.take(c, args)
	case e.named():
		return e.check(c, args)
	}
	return files(c, args)
}

// apply puts the captures into the engine's options.
func (e *hostCaptures) apply(o *engine.Options) {
	if e.given() {
		o.Paths, o.Receiver = e.sender, e.receiver
	}
	o.Swap, o.Clock, o.End = e.find, e.clock.mode(), e.end.host()
}

// sayMistaken prints the warnings about the command line to standard error. It is for commands
// whose output has no warnings.
func (a *app) sayMistaken(d *report.Document) {
	for _, w := range d.Warnings {
		if w.Code == report.WarnExchanged || w.Code == report.WarnUnused {
			a.sayWarnings([]string{w.Message})
		}
	}
}

// clockFlag is the flag that says what to do about clocks that disagree; empty for auto.
type clockFlag string

func (k *clockFlag) register(c *cobra.Command) {
	choose(c.Flags(), (*string)(k), "clock", "auto", "correct the clocks of two captures; `MODE` is none, offset, drift or auto (what the delays show)", "auto", "none", "offset", "drift")
}

func (k clockFlag) mode() clock.Mode {
	return map[clockFlag]clock.Mode{"auto": clock.Auto, "none": clock.None, "offset": clock.Offset, "drift": clock.Drift}[k]
}

// checkPackets refuses the table of packets, --clock and --end without the flags that they need.
func (o *analyzeOptions) checkPackets(c *cobra.Command) error {
	switch {
	case o.tables.has("packets") && !o.both.given():
		return errors.New("--tables packets needs captures of both hosts: --both FILE FILE")
	case o.tables.has("packets") && o.csv == "" && o.parquet == "":
		return errors.New("--tables packets needs --csv DIR, the directory for packets.csv, or --parquet DIR")
	case c.Flags().Changed("clock") && !o.both.given():
		return errors.New("--clock needs captures of both hosts: --both FILE FILE")
	case o.both.end.given && !o.both.given():
		return errors.New("--end needs captures of both hosts: --both FILE FILE")
	}
	return nil
}

// endFlag says whose capture of a run of both hosts gives the figures that both captures show.
type endFlag struct {
	end   string
	given bool
}

func (e *endFlag) register(c *cobra.Command, preset, help string) {
	c.Flags().StringVar(&e.end, "end", preset, help)
	complete(c, "end", string(report.SenderHost), string(report.ReceiverHost))
}

// endHelp is the help of --end of commands that take runs.
const endHelp = "with captures of both hosts, take what both show from this `END`: sender or receiver of the data"

// check refuses other ends. It notes whether the user gave one.
func (e *endFlag) check(c *cobra.Command) error {
	if e.given = c.Flags().Changed("end"); !e.given {
		return nil
	}
	return oneOf("end", e.end, string(report.SenderHost), string(report.ReceiverHost))
}

func (e *endFlag) host() report.Host { return report.Host(e.end) }

// checkRuns refuses an end that the user gave if no run has captures of both hosts.
func (e *endFlag) checkRuns(set *campaign.Set) error {
	return refuse(e.given && !set.AnyBoth(), "--end %s: is for captures of both hosts, and no run has them; name them by {host} in --pattern, or by columns sender and receiver in --manifest", e.end)
}
