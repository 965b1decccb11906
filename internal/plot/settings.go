package plot

import (
	"iter"
	"slices"
	"strings"

	"mpanalyze/internal/campaign"
)

// setting is what a run stands for in a figure of pairs of settings: a pair such as X_Y, and the
// network in which it was tried. The network is empty if nothing names one.
type setting struct{ network, pair string }

// NetworkLabel is the name of the label or of the factor that groups pairs.
const NetworkLabel = "network"

// settings returns the setting of each run. Networks are the label network, the factor of that
// name, or the first part of scenarios named network/X_Y or network/X/Y.
func (m *maker) settings() []setting {
	byLabel, byName := make([]setting, len(m.runs)), make([]setting, len(m.runs))
	labelled, named := true, true
	for i, r := range m.runs {
		network := r.Labels[NetworkLabel]
		labelled = labelled && network != ""
		byLabel[i] = setting{network, withoutPart(r.Scenario, network)}
		var ok bool
		byName[i], ok = splitNetwork(r.Scenario)
		named = named && ok
	}
	switch {
	case labelled:
		return byLabel
	case named:
		return byName
	}
	for i, r := range m.runs {
		byName[i] = setting{pair: r.Scenario}
	}
	return byName
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

// pairGrid returns the Xs and the Ys of pairs X_Y or X/Y in their order, and calls do with each
// pair. It fails if a pair has another name.
func pairGrid[T interface{ named() string }](pairs []T, do func(xy [2]string, of T)) (xs, ys []string, err error) {
	for _, p := range pairs {
		xy, err := campaign.SplitPair(p.named())
		if err != nil {
			return nil, nil, err
		}
		xs, ys = append(xs, xy[0]), append(ys, xy[1])
		do(xy, p)
	}
	slices.SortFunc(xs, campaign.CompareNames)
	slices.SortFunc(ys, campaign.CompareNames)
	return slices.Compact(xs), slices.Compact(ys), nil
}

func (s setting) named() string { return s.pair }

// inNetworks returns the bars of each network, in the order of the first ones.
func inNetworks[T interface{ inNetwork() string }](bars []T) iter.Seq2[string, []T] {
	return func(yield func(string, []T) bool) {
		var networks []string
		of := map[string][]T{}
		for _, b := range bars {
			n := b.inNetwork()
			networks = campaign.Once(networks, n)
			of[n] = append(of[n], b)
		}
		for _, n := range networks {
			if !yield(n, of[n]) {
				return
			}
		}
	}
}

func (s setting) inNetwork() string { return s.network }
