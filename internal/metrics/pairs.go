package metrics

import (
	"slices"
	"sync"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
)

// pairUnit has the metrics that only the captures of both hosts show: package pair
// measures them.
var pairUnit = &unit{key: "pairs", report: new(pairReport)}

// SubflowPairFigures returns the names of the figures of a subflow's direction that only
// the captures of both hosts show. The caller must not change the list.
func SubflowPairFigures() []string { return pairFigures()[0] }

// pairFigures returns the names of these figures, of a subflow's direction and of a connection's.
var pairFigures = sync.OnceValue(func() (names [2][]string) {
	for i, at := range [2]catalogue.Level{catalogue.OfSubflowDir, catalogue.OfConnectionDir} {
		for _, r := range pairUnit.rows() {
			if slices.Contains(r.Levels, at) {
				names[i] = append(names[i], r.JSON)
			}
		}
	}
	return names
})

type pairReport struct{}

func (*pairReport) reportSubflow(v *view, _ *report.SubDir) {
	v.SetAll(TwoCaptures, pairFigures()[0]...)
}

func (*pairReport) reportConnection(v *view, _ *report.ConnDir) {
	v.SetAll(TwoCaptures, pairFigures()[1]...)
}
