// Package diff compares two JSON documents field by field, for tests with a golden file. It
// knows which fields of a report always differ from run to run, and how far figures may differ.
package diff
