package cli

import (
	"errors"
	"fmt"
	"io"
	"net/netip"

	"github.com/spf13/cobra"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/counters"
	"mpanalyze/internal/engine"
)

// countersOptions is the command line of counters.
type countersOptions struct {
	source
	host  counters.Host
	named string // the host, as the user names it
	all   bool
	json  jsonOutput
	diff  string
}

func newCounters(a *app) *cobra.Command {
	o := &countersOptions{}
	c := command("counters", files, reading(a, a.counters, o, &o.source))
	o.source.register(c)
	f := c.Flags()
	f.Func("host", "print the counters of this `HOST`: client, which opens connections, server, or an address; default: the host that captured, if the capture shows it", o.setHost)
	f.BoolVar(&o.all, "all", false, "print zeros, too, and the reasons why a capture cannot show the other counters")
	o.json.register(c, "the counters as JSON, as nstat --json does,")
	f.StringVar(&o.diff, "diff", "", "compare with the output of nstat in this `FILE`")
	reads(c, "diff")
	registerForms(c)
	c.MarkFlagsMutuallyExclusive("diff", "json")
	c.MarkFlagsMutuallyExclusive("diff", "all")
	complete(c, "host", noFile, func() []string { return []string{"client", "server"} })
	return c
}

// setHost reads --host.
func (o *countersOptions) setHost(text string) error {
	o.named = text
	switch text {
	case "client", "a":
		o.host = counters.Host{Role: true, Side: conn.A}
	case "server", "b":
		o.host = counters.Host{Role: true, Side: conn.B}
	default:
		addr, err := netip.ParseAddr(text)
		o.host = counters.Host{Addr: addr.Unmap()}
		return refuse(err != nil, "want client, server or an address")
	}
	return nil
}

func (a *app) counters(c *cobra.Command, o *countersOptions, eo engine.Options) error {
	var theirs map[string]int64
	var err error
	if o.diff != "" {
		if theirs, err = counters.Read(o.diff); err != nil {
			return err
		}
	}
	collector := counters.NewCollector(o.host)
	doc, damage := a.track(c.Context(), eo, collector)
	if doc == nil {
		return damage
	}
	list, err := collector.Counters()
	switch {
	case err != nil:
		return errors.Join(damage, fmt.Errorf("%w: say whose counters are meant, --host client, server or an address", err))
	case collector.Connections() == 0 && o.named != "":
		return errors.Join(damage, fmt.Errorf("no connection of host %s; mpanalyze connections lists what there is", o.named))
	case collector.Connections() == 0:
		return errors.Join(damage, errors.New("no connection with Multipath TCP; mpanalyze connections lists what there is"))
	}
	if n := collector.AtOtherEnd(); n > 0 {
		fmt.Fprintf(a.Err, "mpanalyze: captured at the other host, where what was lost on the way counts as if it had arrived: %d of the connections\n", n)
	}
	return errors.Join(damage, o.print(a, list, theirs))
}

// print writes the counters, or how they differ from those of nstat.
func (o *countersOptions) print(a *app, list []counters.Counter, theirs map[string]int64) error {
	if theirs == nil {
		return o.json.write(a, func(w io.Writer) error { return counters.WriteJSON(w, list, o.all) }, func(w io.Writer) error { return counters.Write(w, list, o.all) })
	}
	differ, same, untold := counters.Diff(theirs, list)
	head := counters.DiffHead
	if len(differ) == 0 {
		head = fmt.Sprintf("%d counters are the same", same)
		if untold > 0 {
			head += fmt.Sprintf("; %d that nstat has a capture cannot show", untold)
		}
		head += "\n"
	}
	_, err := io.WriteString(a.Out, head)
	return errors.Join(err, writeLines(a.Out, differ), differs(a, a.suite.File, o.diff, differ))
}
