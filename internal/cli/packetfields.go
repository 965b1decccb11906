package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/packets"
)

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
