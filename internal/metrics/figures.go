package metrics

import (
	"fmt"

	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// distribution fills in a figure with the form [catalogue.Distribution]. If d is empty,
// it sets the reason instead.
func (v *view) distribution(out report.Figures, name string, d *stats.Dist, e report.Evidence, why string) {
	set(out, name, v.Stat(name, d, e, why))
}

// number fills in a figure with the form [catalogue.Number].
func (v *view) number(out report.Figures, name string, x float64) { set(out, name, v.Float(x)) }

// set sets a field. A figure without a field would be null without a reason, so it panics.
func set[T any](out report.Figures, name string, x *T) {
	if field := out.Figure(name); field.IsValid() {
		if p, ok := field.Addr().Interface().(**T); ok {
			*p = x
			return
		}
	}
	panic(fmt.Sprintf("metrics: no field %q of type %T in %T. \"make golden\" makes it of a row with this name (JSON), form and level", name, x, out))
}
