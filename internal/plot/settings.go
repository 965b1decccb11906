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
		parts, network := strings.Split(r.Scenario, "/"), r.Labels[NetworkLabel]
		pair := len(parts) - 2 // where it begins
		if pair == 0 && strings.Count(parts[1], "_") == 1 {
			pair = 1
		}
		labelled, named = labelled && network != "", named && pair > 0 && !slices.Contains(parts, "")
		plain[i].scenario = r.Scenario
		if pair > 0 {
			byName[i] = setting{strings.Join(parts[:pair], "/"), strings.Join(parts[pair:], "/")}
		}
		if at := slices.Index(parts, network); at >= 0 && len(parts) > 1 {
			parts = slices.Delete(parts, at, at+1)
		}
		byLabel[i] = setting{network, strings.Join(parts, "/")}
	}
	switch {
	case labelled:
		return byLabel
	case named:
		return byName
	}
	return plain
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
