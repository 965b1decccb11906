package overview

import (
	"cmp"
	"slices"

	"mpanalyze/internal/report"
)

// CauseCount is how many verdicts of a group name a cause.
type CauseCount struct {
	report.Cause
	// Verdicts that name it.
	Verdicts int `json:"verdicts"`
}

// countCause counts the cause of n verdicts; nil for none. There are few causes, so the list is
// short.
func (g *Group) countCause(x *report.Cause, n int) {
	if x == nil {
		return
	}
	i := slices.IndexFunc(g.Causes, func(c CauseCount) bool { return c.Code == x.Code && report.Known(c.Host) == report.Known(x.Host) })
	if i < 0 {
		i = len(g.Causes)
		g.Causes = append(g.Causes, CauseCount{Cause: *x})
	}
	g.Causes[i].Verdicts += n
}

// sortCauses puts the cause that most verdicts name first.
func (g *Group) sortCauses() {
	slices.SortStableFunc(g.Causes, func(x, y CauseCount) int {
		return cmp.Or(cmp.Compare(y.Verdicts, x.Verdicts), cmp.Compare(x.Code, y.Code))
	})
}
