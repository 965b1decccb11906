// Package catalogue describes metrics: name, unit, whether higher or lower values are
// better, evidence, definition, source. It finds a metric by the names that people use for
// it. The rows themselves are in package metrics, beside the code that measures them.
package catalogue
