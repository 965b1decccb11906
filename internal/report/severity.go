package report

import "slices"

var severities = []Severity{Critical, Major, Minor, Fine}

// Rank returns the place of a severity, 0 for the most severe; what is none comes last.
func (s Severity) Rank() int {
	if i := slices.Index(severities, s); i >= 0 {
		return i
	}
	return len(severities)
}
