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

// networks returns the setting of each run in a figure of pairs such as X_Y, where a network is a column: the label or the factor
// network, or what scenarios have before their pair, as in network/X_Y and network/X/Y. Either all runs have one, or it counts for none.
func networks(runs []*Run) []setting {
	out, all := make([]setting, len(runs)), true
	for i, r := range runs {
		parts, network, pair := strings.Split(r.Scenario, "/"), r.Labels[NetworkLabel], 0
		switch n := len(parts); {
		case network != "" && n > 1:
			if at := slices.Index(parts, network); at >= 0 {
				parts = slices.Delete(parts, at, at+1)
			}
		case network == "" && (n > 2 || n == 2 && strings.Count(parts[1], "_") == 1):
			pair = max(1, n-2) // where it begins
			network = strings.Join(parts[:pair], "/")
		}
		out[i] = setting{network, strings.Join(parts[pair:], "/")}
		all = all && network != "" && !slices.Contains(parts, "")
	}
	for i := range out {
		if !all {
			out[i] = setting{scenario: runs[i].Scenario}
		}
	}
	return out
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
