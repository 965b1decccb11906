package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

// orFiles checks the arguments of a command that takes captures of one host or of both.
func (e *hostCaptures) orFiles(c *cobra.Command, args []string) error {
	said := ""
	switch {
	case e.find && e.named(): // excluded: see register
		return nil
	case e.find && len(args) != 2:
		said = "--both takes two captures, one of each host; for several files of a host: --sender FILE --receiver FILE"
	case e.find && slices.Contains(args, "-"): // it can be read only once
		said = "--both reads the beginning of both captures first, so it takes no standard input; say which host made which: --sender FILE --receiver FILE"
	case e.find:
		e.sender, e.receiver = args[:1], args[1:]
	case !e.named():
	case len(args) > 0:
		said = fmt.Sprintf("%s: say which host captured it: --sender %s or --receiver %s", args[0], args[0], args[0])
	case len(e.sender) == 0:
		said = "--receiver needs --sender, the capture of the other host; one capture alone needs no flag"
	case len(e.receiver) == 0:
		said = "--sender needs --receiver, the capture of the other host; one capture alone needs no flag"
	}
	if said != "" {
		return mistakes(c, errors.New(said))
	}
	return files(c, e.files(args))
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

// endFlag says whose capture of a run of both hosts gives the figures that both captures show.
type endFlag struct {
	end  string
	flag *pflag.Flag
}

func (e *endFlag) register(c *cobra.Command, preset, help string) {
	choose(c.Flags(), &e.end, "end", preset, help, string(report.SenderHost), string(report.ReceiverHost))
	e.flag = c.Flags().Lookup("end")
}

// endHelp is the help of --end of commands that take runs.
const endHelp = "with captures of both hosts, take what both show from this `END`: sender or receiver of the data"

func (e *endFlag) host() report.Host { return report.Host(e.end) }

// checkRuns refuses an end that the user gave if no run has captures of both hosts.
func (e *endFlag) checkRuns(set *campaign.Set) error {
	return refuse(e.flag.Changed && !set.AnyBoth(), "--end %s: is for captures of both hosts, and no run has them; name them by {host} in --pattern, or by columns sender and receiver in --manifest", e.end)
}
