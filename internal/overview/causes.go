package overview

import (
	"cmp"
	"slices"

	"mpanalyze/internal/report"
)

// CauseCount is how many verdicts of a group name a cause.
type CauseCount struct {
	// The cause.
	Code report.CauseCode `json:"code"`
	// Host in which it lies; null where it lies in the network, or is not known.
	Host *report.Side `json:"host"`
	// Verdicts that name it.
	Verdicts int `json:"verdicts"`
}

// is reports whether it counts the same cause.
func (c *CauseCount) is(x *report.Cause) bool {
	return c.Code == x.Code && (c.Host == nil) == (x.Host == nil) && (c.Host == nil || *c.Host == *x.Host)
}

// countCause counts the cause of n verdicts; nil for none. There are few causes, so the list is
// short.
func (g *Group) countCause(x *report.Cause, n int) {
	if x == nil {
		return
	}
	i := slices.IndexFunc(g.Causes, func(c CauseCount) bool { return c.is(x) })
	if i < 0 {
		i = len(g.Causes)
		g.Causes = append(g.Causes, CauseCount{Code: x.Code, Host: x.Host})
	}
	g.Causes[i].Verdicts += n
}

// sortCauses puts the cause that most verdicts name first.
func (g *Group) sortCauses() {
	slices.SortStableFunc(g.Causes, func(x, y CauseCount) int {
		return cmp.Or(cmp.Compare(y.Verdicts, x.Verdicts), cmp.Compare(x.Code, y.Code))
	})
}
