package campaign

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// Match returns the figures of any run that fit a pattern: a figure's name in which "*" stands
// for any text, or a metric by any name that [metrics.Resolve] knows. A statistic may follow
// the metric's name; the default is that of [catalogue.Metric.Usual], and of shares of the time
// all states.
func (s *Set) Match(pattern string, d report.Direction) []string {
	found := map[string]bool{}
	var metric, stat string
	if name, err := catalogue.Resolve(metrics.Table(), pattern); err == nil {
		metric, stat, _ = strings.Cut(name, ".")
	}
	for _, sc := range slices.Concat(s.Scenarios, s.Baseline) {
		for _, name := range sc.figures() {
			if _, seen := found[name]; !seen {
				found[name] = wildcard(pattern, name) || metric != "" && strings.HasPrefix(name, string(d)+".") && isStat(name, metric, stat) || isKernel(name, pattern, d)
			}
		}
	}
	maps.DeleteFunc(found, func(_ string, fits bool) bool { return !fits })
	return slices.Sorted(maps.Keys(found))
}

// isStat reports whether a figure is that statistic of that metric.
func isStat(figure, metric, want string) bool {
	m, stat := metricOf(figure)
	if m.Name != metric && m.JSON != metric {
		return false
	}
	if state, ok := strings.CutSuffix(stat, ".percent"); ok && (want == "" || want == state) { // a share of the time
		return true
	}
	return stat == want || want == "" && stat == m.Usual()
}

// wildcard reports whether text fits pattern, in which "*" stands for any
// text.
func wildcard(pattern, text string) bool {
	if !strings.Contains(pattern, "*") { // as nearly always
		return pattern == text
	}
	fits, err := regexp.MatchString("(?s)^"+strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")+"$", text)
	return fits && err == nil
}

func (s *Set) has(figure string) bool {
	return slices.ContainsFunc(s.Scenarios, func(sc *Scenario) bool { return len(sc.values(figure)) > 0 })
}

// paths returns the labels of all paths, in the order of the first connection that has each.
func (s *Set) paths() (out []string) {
	for _, sc := range s.Scenarios {
		for _, p := range pathsOf(sc) {
			out = Once(out, p)
		}
	}
	return out
}
