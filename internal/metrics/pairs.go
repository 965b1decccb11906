package metrics

import (
	"slices"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
)

// pairUnit has the metrics that only the captures of both hosts show: package pair
// measures them.
var pairUnit = &unit{rows: rowsOf("pairs"), report: new(pairReport)}

// Names of these figures, of a subflow's direction and of a connection's.
var subflowPairFigures, connPairFigures = figuresAt(pairUnit.rows, catalogue.OfSubflowDir), figuresAt(pairUnit.rows, catalogue.OfConnectionDir)

// SubflowPairFigures returns the names of the figures of a subflow's direction that only
// the captures of both hosts show. The caller must not change the list.
func SubflowPairFigures() []string { return subflowPairFigures }

// figuresAt returns the names in JSON of the metrics that a level has.
func figuresAt(rows []catalogue.Metric, at catalogue.Level) (names []string) {
	for i := range rows {
		if slices.Contains(rows[i].Levels, at) {
			names = append(names, rows[i].JSON)
		}
	}
	return names
}

type pairReport struct{}

func (*pairReport) reportSubflow(v *view, _ *report.SubDir) {
	v.SetAll(TwoCaptures, subflowPairFigures...)
}

func (*pairReport) reportConnection(v *view, _ *report.ConnDir) {
	v.SetAll(TwoCaptures, connPairFigures...)
}
