package evidence

import (
	_ "embed"
	"slices"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
)

// termRows has the figures of records in the order of the report, as rows of the catalogue: the formula
// says where ss prints it. Those of no report are in series.csv only.
//
//go:embed terms.json
var termRows []byte

// Terms returns what explain says of the figures of records. Their names begin with kernel_, as in
// series.csv and compare.
func Terms() []catalogue.Metric {
	all, series, from := catalogue.Read[[]catalogue.Metric](termRows), SeriesNames(), string(report.FromKernel)
	for i := range all {
		m := &all[i]
		m.Levels, m.Better, m.Series = []catalogue.Level{catalogue.OfReport}, catalogue.NeitherIsBetter, slices.Contains(series, m.Name)
		m.Evidence = catalogue.Evidence{Sender: from, Receiver: from, Both: from}
	}
	return all
}
