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
	connection           int
	json, normalise      bool
	events, filterEvents bool
	subtypes             []string
	packetFields
}

func newPackets(a *app) *cobra.Command {
	o := &packetsOptions{}
	c := command("packets", files, withOptions(a.packets, o))
	o.source.register(c)
	f := c.Flags()
	f.IntVar(&o.connection, "connection", packets.AllConnections, "only the connection with this `ID` of the report; default: all, also plain TCP")
	f.BoolVar(&o.json, "json", false, "write a line of JSON for each packet")
	f.BoolVar(&o.events, "events", false, "write a line for each event in place of each packet")
	f.BoolVar(&o.filterEvents, "filter-events", false, "only packets with an event, or with an MPTCP option other than DSS")
	f.StringSliceVar(&o.subtypes, "subtype", nil, "only packets with an MPTCP option of this `NAME`, as in mp_join; may be a list with commas")
	f.BoolVar(&o.normalise, "normalise", false, "replace or leave out what differs from run to run")
	completeList(c, "subtype", subtypeNames)
	o.packetFields.register(c)
	return c
}

// subtypeNames returns the names of the MPTCP subtypes, as --subtype takes them.
func subtypeNames() (names []string) {
	for s := mptcp.SubCapable; s <= mptcp.SubTCPRST; s++ {
		names = append(names, strings.ToLower(s.String()))
	}
	return append(names, "mp_experimental")
}

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
	return 0, fmt.Errorf("--subtype %q: want %s, or a number from 0 to 15", text, strings.Join(subtypeNames(), ", "))
}

func (a *app) packets(c *cobra.Command, o *packetsOptions, args []string) error {
	eo, err := o.source.options(a, c, args)
	if err != nil {
		return err
	}
	po := packets.Options{Connection: o.connection, JSON: o.json, EventLines: o.events, Events: o.filterEvents, Normalise: o.normalise}
	err = checkConnection(o.connection, packets.AllConnections)
	for _, text := range o.subtypes {
		s, bad := parseSubtype(text)
		po.Subtypes, err = append(po.Subtypes, s), errors.Join(err, bad)
	}
	if err := mistakes(c, err, o.packetFields.apply(&po)); err != nil {
		return err
	}
	important := packets.LineColumns
	if o.events {
		important = packets.EventColumns
	}
	if o.json || len(po.Fields) > 0 {
		important = nil
	}
	out, leftOut := a.columns(important)
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

// packetFields holds the flags of packets that choose values, as those of tshark do.
type packetFields struct {
	form    string
	names   []string
	options []string
}

func (p *packetFields) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVarP(&p.form, "type", "T", "", "`fields`: write the values that -e names")
	f.StringSliceVarP(&p.names, "field", "e", nil, "`NAME` of a value to write with -T fields; may be repeated, or a list with commas")
	f.StringArrayVarP(&p.options, "field-option", "E", nil, "with -T fields: `header=y`, separator=/t, /s or a character; may be repeated")
	complete(c, "type", "fields")
	completeList(c, "field", packets.FieldNames)
}

// apply checks the flags and chooses the values.
func (p *packetFields) apply(o *packets.Options) error {
	switch {
	case p.form == "" && len(p.names)+len(p.options) == 0:
		return nil
	case p.form != "fields":
		return fmt.Errorf("--type %q: -e and -E need -T fields", p.form)
	case len(p.names) == 0:
		return errors.New("-T fields writes nothing without -e NAME; name a value, as in -e mpanalyze.connection")
	case o.JSON || o.EventLines || o.Normalise:
		return errors.New("-T fields does not go with --json, --events or --normalise")
	}
	var err error
	for _, name := range p.names {
		f, bad := packets.FieldNamed(name)
		o.Fields, err = append(o.Fields, f), errors.Join(err, bad)
	}
	o.Separator = "\t"
	for _, option := range p.options {
		err = errors.Join(err, setFieldOption(o, option))
	}
	return err
}

// setFieldOption sets what an option of tshark's -E says.
func setFieldOption(o *packets.Options, option string) error {
	name, value, _ := strings.Cut(option, "=")
	switch {
	case name == "header" && (value == "y" || value == "n"):
		o.Header = value == "y"
	case name == "separator" && value == "/t":
		o.Separator = "\t"
	case name == "separator" && value == "/s":
		o.Separator = " "
	case name == "separator" && len(value) == 1:
		o.Separator = value
	default:
		return fmt.Errorf("--field-option %q: want header=y, header=n, separator=/t, separator=/s, or separator= and one character", option)
	}
	return nil
}
