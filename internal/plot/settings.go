package plot

import (
	"slices"
	"strings"

	"mpanalyze/internal/campaign"
)

// setting is what a run stands for if the user named no facets: a column of panels, which is empty for the only one, and what its
// name has beside it.
type setting struct{ column, scenario string }

// NetworkLabel is the name of the label or of the factor that groups pairs.
const NetworkLabel = "network"

// networks returns the setting of each run in a figure of pairs such as X_Y, where a network is a column. Networks are the label
// network, the factor of that name, or the first part of scenarios named network/X_Y or network/X/Y.
func networks(runs []*Run) []setting {
	plain, byLabel, byName := make([]setting, len(runs)), make([]setting, len(runs)), make([]setting, len(runs))
	labelled, named := true, true
	for i, r := range runs {
		network := r.Labels[NetworkLabel]
		labelled = labelled && network != ""
		byLabel[i] = setting{network, withoutPart(r.Scenario, network)}
		var ok bool
		byName[i], ok = splitNetwork(r.Scenario)
		named = named && ok
		plain[i].scenario = r.Scenario
	}
	switch {
	case labelled:
		return byLabel
	case named:
		return byName
	}
	return plain
}

// withoutPart returns a scenario's name without the part that names the network.
func withoutPart(scenario, network string) string {
	parts := strings.Split(scenario, "/")
	if i := slices.Index(parts, network); i >= 0 && len(parts) > 1 {
		parts = slices.Delete(parts, i, i+1)
	}
	return strings.Join(parts, "/")
}

// splitNetwork splits a name like network/X_Y or network/X/Y.
func splitNetwork(scenario string) (s setting, ok bool) {
	parts := strings.Split(scenario, "/")
	n := len(parts)
	if slices.Contains(parts, "") {
		return s, false
	}
	switch {
	case n >= 3:
		return setting{strings.Join(parts[:n-2], "/"), parts[n-2] + "/" + parts[n-1]}, true
	case n == 2 && strings.Count(parts[1], "_") == 1:
		return setting{parts[0], parts[1]}, true
	}
	return s, false
}

// pairGrid returns the Xs and the Ys of the scenarios X_Y or X/Y in their order. It fails if one has another name.
func pairGrid(runs []*Run) (xs, ys []string, err error) {
	for _, r := range runs {
		xy, err := campaign.SplitPair(r.Scenario)
		if err != nil {
			return nil, nil, err
		}
		xs, ys = append(xs, xy[0]), append(ys, xy[1])
	}
	slices.SortFunc(xs, campaign.CompareNames)
	slices.SortFunc(ys, campaign.CompareNames)
	return slices.Compact(xs), slices.Compact(ys), nil
}
