package cli

import (
	"errors"
	"fmt"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
)

// checkGiven refuses a label, path or factor of the command line that no run has.
func (o *compareOptions) checkGiven(set *campaign.Set, eo *engine.Options) error {
	errs := []error{o.end.checkRuns(set)}
	add := func(flag string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("--%s: %w", flag, err))
		}
	}
	for i, l := range eo.Labels {
		add("label "+o.labels[i], set.CheckAddress(l.Prefix))
	}
	r, _ := o.rank.parse() // checked
	for _, l := range r.MaxShare {
		add("max-share", set.CheckPath(l.Path))
	}
	add("baseline", set.CheckAgainst())
	add("within", set.CheckFactor(o.within))
	add("factor", set.CheckFactor(o.factor))
	if r.Steady != "" {
		add("steady", set.CheckLabel(r.Steady))
	}
	return errors.Join(errs...)
}
