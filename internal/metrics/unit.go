package metrics

import (
	"slices"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
)

// A unit derives one metric, or a few metrics that share state. Its file holds
// everything about it: the state, what it does with events, and the report.
type unit struct {
	family catalogue.Families // the family in --metric that includes it; 0 for basic
	key    string             // of its rows in metrics.json, the definitions of its figures
	series []*Series          // series of the metrics in its rows
	places []Role             // the places of captures that show what it derives; empty for all
	meter  meterSet           // its meter, which [DataDir] passes events to; 0 where it reports what others keep; units with the same family, places and option may share one
	report reporter

	// For a unit that has an option of its own:
	asked func(*Config) bool // reports whether the option is set; nil for other units
	flag  string             // name of the option

	slot int // in the list of units
}

// A reporter fills in the report on the direction of a subflow, and of the connection. It
// sets each metric of its unit, or the reason why it is absent. It is called when the
// connection has ended.
type reporter interface {
	reportSubflow(v *view, out *report.SubDir)
	reportConnection(v *view, out *report.ConnDir)
}

// nop is a reporter without figures. Others embed it.
type nop struct{}

func (nop) reportSubflow(*view, *report.SubDir)     {}
func (nop) reportConnection(*view, *report.ConnDir) {}

// unasked returns why the unit is not asked for by the configuration; empty where it
// is.
func (u *unit) unasked(cfg *Config) string {
	switch {
	case u.family&cfg.Omit != 0:
		return catalogue.Unasked
	case u.asked != nil && !u.asked(cfg):
		return "not asked for (" + u.flag + ")"
	}
	return ""
}

// omittedBy returns, by slot, why a unit is not asked for; empty where it is.
func omittedBy(all []*unit, cfg *Config) []string {
	out := make([]string, len(all))
	for _, u := range all {
		out[u.slot] = u.unasked(cfg)
	}
	return out
}

// wantedBy returns the meters of the units that are asked for, by the place of the
// capture.
func wantedBy(all []*unit, cfg *Config) (at [nRoles]meterSet) {
	for _, u := range all {
		if u.unasked(cfg) != "" {
			continue
		}
		for r := range at {
			if len(u.places) == 0 || slices.Contains(u.places, Role(r)) {
				at[r] |= u.meter
			}
		}
	}
	return at
}
