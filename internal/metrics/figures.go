package metrics

import (
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// distribution fills in a figure with the form [catalogue.Distribution]. If d is empty,
// it sets the reason instead.
func (v *view) distribution(out report.Figures, name string, d *stats.Dist, e report.Evidence, why string) {
	if field := out.StatField(name); field != nil {
		*field = v.Stat(name, d, e, why)
	}
}

// number fills in a figure with the form [catalogue.Number].
func (v *view) number(out report.Figures, name string, x float64) {
	if field := out.NumberField(name); field != nil {
		*field = v.Float(x)
	}
}

// count fills in a figure with the form [catalogue.Count].
func (v *view) count(out report.Figures, name string, n int64) {
	if field := out.CountField(name); field != nil {
		*field = v.Int(n)
	}
}
