package cli

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
)

// mixing holds the flags that allow to compare runs that were made in different ways, and the
// options of the analysis that the user gave. Every command that takes runs has these flags.
type mixing struct {
	vantages bool
	options  bool
	given    []string // options of the analysis that the user gave, by their names in reports
}

func (m *mixing) register(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&m.vantages, "mix-vantages", false, "accept runs of a scenario that were captured at different places")
	f.BoolVar(&m.options, "mix-options", false, "accept reports that were made with other options or by another version")
}

// madeByFlags are the flags of an analysis, and the options of a report's made_by that they set.
var madeByFlags = map[string]string{
	"interval": "interval", "skip": "skip", "metrics": "metrics", "filter": "filter", "decap": "decap", "vantage": "vantage", "label": "labels",
	"qoe-alpha": "qoe_alpha", "qoe-beta": "qoe_beta", "qoe-gamma": "qoe_gamma", "bitrate": "bitrate", "playout": "playout", "message-gap": "message_gap",
	"clock": "clock", "regret": "regret",
}

// note stores which options of the analysis the user gave.
func (m *mixing) note(c *cobra.Command) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if name := madeByFlags[f.Name]; name != "" {
			m.given = append(m.given, name)
		}
	})
}

// check refuses runs that were made with different options or versions. With
// --mix-options it returns what differs, for a warning. more is what else differs.
func (m *mixing) check(set *campaign.Set, eo *engine.Options, more ...string) ([]string, error) {
	unlike := slices.Concat(set.Unlike(eo.MadeBy(), m.given), more)
	if m.options || len(unlike) == 0 {
		return unlike, nil
	}
	var errs []error
	for _, line := range unlike {
		errs = append(errs, errors.New(line))
	}
	return nil, errors.Join(append(errs, errors.New("analyse all with the same options and version, or state --mix-options to take them as they are; options of the analysis do not change a report"))...)
}
