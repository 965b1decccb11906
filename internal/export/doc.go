// Package export writes a report: as JSON, as CSV tables, as a summary for
// people and as a list of lines for text tools. It computes nothing that the
// report does not hold.
package export
