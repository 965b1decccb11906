package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packets"
)

// packetsOptions is the command line of packets.
type packetsOptions struct {
	source
	packets.Options
	format string
}

func newPackets(a *app) *cobra.Command {
	o := &packetsOptions{}
	c := command("packets", files, reading(a, a.packets, o, &o.source))
	o.source.register(c)
	f := c.Flags()
	f.IntVar(&o.Connection, "connection", packets.AllConnections, "only the connection with this `ID` of the report; default: all, also plain TCP")
	registerFormat(c, &o.format, "table", "tsv", "json")
	f.Lookup("format").Usage += "; json has a line for each packet (mpanalyze explain --schema packets) or event (events)"
	f.BoolVar(&o.EventLines, "events", false, "write a line for each event in place of each packet")
	f.BoolVar(&o.Normalise, "normalise", false, "replace or leave out what differs from run to run")
	f.Func("only", "only packets with one of these: a `LIST` of MPTCP options, as in mp_join,add_addr, and events (an event, or an option other than DSS)", eachWord(o.addOnly))
	complete(c, "only", noSpace, onlyNames)
	f.FuncP("field", "e", "only the values of this `NAME`, as tshark -T fields writes them; may be repeated, or a list with commas", eachWord(func(name string) error {
		field, err := packets.FieldNamed(name)
		o.Fields = append(o.Fields, field)
		return err
	}))
	complete(c, "field", noSpace, packets.FieldNames)
	return c
}

// onlyNames returns the words of --only: the MPTCP subtypes, and events.
func onlyNames() (names []string) {
	for s := mptcp.SubCapable; s <= mptcp.SubTCPRST; s++ {
		names = append(names, strings.ToLower(s.String()))
	}
	return append(names, "mp_experimental", "events")
}

// addOnly takes a word of --only, or the number of a subtype.
func (o *packetsOptions) addOnly(text string) error {
	n, err := strconv.ParseUint(text, 0, 8)
	numbered := err == nil
	for s := mptcp.SubCapable; s <= mptcp.SubExp; s++ {
		if strings.EqualFold(text, s.String()) || numbered && n == uint64(s) {
			o.Subtypes = append(o.Subtypes, s)
			return nil
		}
	}
	o.Events = o.Events || text == "events"
	return refuse(text != "events", "want %s, or a number from 0 to 15, not %q", strings.Join(onlyNames(), ", "), text)
}

func (a *app) packets(c *cobra.Command, o *packetsOptions, eo engine.Options) error {
	o.JSON = o.format == "json"
	err := mistakes(c, checkConnection(o.Connection, packets.AllConnections),
		refuse(len(o.Fields) > 0 && (o.JSON || o.EventLines || o.Normalise), "--field does not go with --format json, --events or --normalise"))
	if err != nil {
		return err
	}
	important := packets.LineColumns
	if o.EventLines {
		important = packets.EventColumns
	}
	out, leftOut := a.columns(important, o.format == "table" && len(o.Fields) == 0)
	defer leftOut()
	lines := packets.New(out, o.Options)
	doc, err := a.track(c.Context(), eo, lines)
	if doc == nil {
		return err
	}
	failed := lines.Flush()
	if err == nil && o.Connection != packets.AllConnections && !lines.Found() {
		err = absent(fmt.Sprintf("connection %d", o.Connection), eo.Paths)
	}
	return errors.Join(err, failed)
}

// absent returns an error that says that the files do not have what was asked for, and what
// to do.
func absent(what string, files []string) error {
	return fmt.Errorf("no %s in %s; mpanalyze connections lists what there is", what, strings.Join(files, ", "))
}
