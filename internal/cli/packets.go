package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packets"
)

// packetsOptions is the command line of packets.
type packetsOptions struct {
	source
	connection        int
	format            string
	normalise, events bool
	only, fields      []string
}

func newPackets(a *app) *cobra.Command {
	o := &packetsOptions{}
	c := command("packets", files, withOptions(a.packets, o))
	o.source.register(c)
	f := c.Flags()
	f.IntVar(&o.connection, "connection", packets.AllConnections, "only the connection with this `ID` of the report; default: all, also plain TCP")
	registerFormat(c, &o.format, "table", "tsv", "json")
	f.Lookup("format").Usage += "; json has a line for each packet (mpanalyze explain --schema packets) or event (events)"
	f.BoolVar(&o.events, "events", false, "write a line for each event in place of each packet")
	f.StringSliceVar(&o.only, "only", nil, "only packets with one of these: a `LIST` of MPTCP options, as in mp_join,add_addr, and events (an event, or an option other than DSS)")
	f.BoolVar(&o.normalise, "normalise", false, "replace or leave out what differs from run to run")
	completeList(c, "only", onlyNames)
	f.StringSliceVarP(&o.fields, "field", "e", nil, "only the values of this `NAME`, as tshark -T fields writes them; may be repeated, or a list with commas")
	completeList(c, "field", packets.FieldNames)
	return c
}

// onlyNames returns the words of --only: the MPTCP subtypes, and events.
func onlyNames() (names []string) {
	for s := mptcp.SubCapable; s <= mptcp.SubTCPRST; s++ {
		names = append(names, strings.ToLower(s.String()))
	}
	return append(names, "mp_experimental", onlyEvents)
}

// onlyEvents is the word of --only for packets with an event.
const onlyEvents = "events"

// parseSubtype reads the name of a subtype, or its number.
func parseSubtype(text string) (mptcp.Subtype, error) {
	if n, err := strconv.ParseUint(text, 0, 8); err == nil && n <= uint64(mptcp.SubExp) {
		return mptcp.Subtype(n), nil
	}
	for s := mptcp.SubCapable; s <= mptcp.SubExp; s++ {
		if strings.EqualFold(text, s.String()) {
			return s, nil
		}
	}
	return 0, fmt.Errorf("--only %q: want %s, or a number from 0 to 15", text, strings.Join(onlyNames(), ", "))
}

func (a *app) packets(c *cobra.Command, o *packetsOptions, args []string) error {
	eo, err := o.source.options(a, c, args)
	if err != nil {
		return err
	}
	po := packets.Options{Connection: o.connection, JSON: o.format == "json", EventLines: o.events, Normalise: o.normalise}
	err = checkConnection(o.connection, packets.AllConnections)
	for _, text := range o.only {
		if text == onlyEvents {
			po.Events = true
			continue
		}
		s, bad := parseSubtype(text)
		po.Subtypes, err = append(po.Subtypes, s), errors.Join(err, bad)
	}
	if err := mistakes(c, err, o.chosenFields(&po)); err != nil {
		return err
	}
	important := packets.LineColumns
	if o.events {
		important = packets.EventColumns
	}
	out, leftOut := a.columns(important, o.format == "table" && len(po.Fields) == 0)
	defer leftOut()
	lines := packets.New(out, po)
	eo.Modules = append(eo.Modules, lines)
	doc, err := a.track(c.Context(), eo)
	if doc == nil {
		return err
	}
	failed := lines.Flush()
	if err == nil && o.connection != packets.AllConnections && !lines.Found() {
		err = absent(fmt.Sprintf("connection %d", o.connection), args)
	}
	return errors.Join(err, failed)
}

// absent returns an error that says that the files do not have what was asked for, and what
// to do.
func absent(what string, files []string) error {
	return fmt.Errorf("no %s in %s; mpanalyze connections lists what there is", what, strings.Join(files, ", "))
}

// chosenFields reads the names of --field.
func (o *packetsOptions) chosenFields(to *packets.Options) (err error) {
	for _, name := range o.fields {
		f, bad := packets.FieldNamed(name)
		to.Fields, err = append(to.Fields, f), errors.Join(err, bad)
	}
	return errors.Join(err, refuse(len(o.fields) > 0 && (to.JSON || o.events || o.normalise), "--field does not go with --format json, --events or --normalise"))
}
