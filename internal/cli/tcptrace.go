package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/storage"
	"mpanalyze/internal/tcptrace"
)

// tcptraceOptions is the command line of tcptrace.
type tcptraceOptions struct {
	source
	format    string
	rtt, owin bool
	diff      string // file with tcptrace's output; "" for none
}

func newTcptrace(a *app) *cobra.Command {
	o := &tcptraceOptions{}
	c := command("tcptrace", files, reading(a, a.tcptrace, o, &o.source))
	o.source.register(c)
	f := c.Flags()
	registerFormat(c, &o.format, "table", "csv", "tsv")
	f.Lookup("format").Usage += "; table is the long output of tcptrace"
	f.BoolVarP(&o.rtt, "rtt", "r", false, "with round-trip times and retransmission times")
	f.BoolVarP(&o.owin, "owin", "W", false, "with outstanding data")
	f.StringVar(&o.diff, "diff", "", "compare with tcptrace's output in `FILE` and list the differences")
	reads(c, "diff")
	registerForms(c)
	for name, short := range map[string]string{"long": "l", "numeric": "n"} { // tcptrace's own flags, for what is always so here
		f.BoolP(name, short, false, "accepted as in tcptrace")
		f.Lookup(name).Hidden = true
	}
	return c
}

func (a *app) tcptrace(c *cobra.Command, o *tcptraceOptions, eo engine.Options) error {
	var theirs *tcptrace.Table
	if o.diff != "" {
		f, err := storage.Open(o.diff)
		if err != nil {
			return err
		}
		defer f.Close()
		if theirs, err = tcptrace.Parse(f); err != nil {
			return fmt.Errorf("%s: %w", o.diff, err)
		}
	}
	collector := &tcptrace.Collector{}
	eo.Captured = true  // it counts what the snapshot length cut
	eo.FileOrder = true // tcptrace, too, takes packets in the order of the file
	doc, err := a.track(c.Context(), eo, collector)
	if doc == nil {
		return err
	}
	capture := tracedCapture(doc)
	pairs := collector.Pairs(capture.Last)
	if theirs == nil {
		separator := map[string]string{"csv": ",", "tsv": "\t"}[o.format]
		return errors.Join(err, tcptrace.Write(a.Out, capture, pairs, tcptrace.Format{Separator: separator, RTT: o.rtt, Owin: o.owin}))
	}
	list := tcptrace.Diff(theirs, tcptrace.Format{RTT: true, Owin: true}.Table(pairs))
	all := len(list)
	list = slices.DeleteFunc(list, func(d tcptrace.Difference) bool { return d.Meant() })
	if n := all - len(list); n > 0 {
		fmt.Fprintf(a.Out, "left out: %d fields of full-size segments, which are not those of SYN and FIN here\n", n)
	}
	return errors.Join(err, writeLines(a.Out, list), differs(a, a.suite.File, o.diff, list))
}

// tracedCapture returns what tcptrace prints about the captures: files, packets and times.
func tracedCapture(doc *report.Document) (out tcptrace.Capture) {
	begun := false
	for i := range doc.Captures {
		c := &doc.Captures[i]
		out.Files = append(out.Files, c.File)
		out.Packets += c.Packets
		if c.First == nil {
			continue
		}
		first, last := int64(*c.First), int64(*c.Last)
		if !begun {
			begun, out.First, out.Last = true, first, last
		}
		out.First, out.Last = min(out.First, first), max(out.Last, last)
	}
	return out
}
