// Package catalogue says what a row of the catalogue of metrics is - name, unit, which
// way is better, evidence, definition, source - and finds rows by what people call
// them. The rows themselves stand with the units that measure them, in metrics.
package catalogue
