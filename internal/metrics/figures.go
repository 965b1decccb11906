package metrics

import (
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// figures is a part of a report with fields that are made from rows. A method returns
// the address of a field, by its name in JSON; nil where no row of that form has the
// name.
type figures interface {
	StatField(name string) **report.Stat
	NumberField(name string) **float64
	CountField(name string) **int64
}

// distribution fills in a figure with the form [catalogue.Distribution]. If d is empty,
// it sets the reason instead.
func (v *view) distribution(out figures, name string, d *stats.Dist, e report.Evidence, why string) {
	if field := out.StatField(name); field != nil {
		*field = v.Stat(name, d, e, why)
	}
}

// number fills in a figure with the form [catalogue.Number].
func (v *view) number(out figures, name string, x float64) {
	if field := out.NumberField(name); field != nil {
		*field = v.Float(x)
	}
}

// count fills in a figure with the form [catalogue.Count].
func (v *view) count(out figures, name string, n int64) {
	if field := out.CountField(name); field != nil {
		*field = v.Int(n)
	}
}
