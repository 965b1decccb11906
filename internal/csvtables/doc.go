// Package csvtables writes a report as CSV tables: the document itself, a row per
// connection or per direction, and beside it the rows that stream while an analysis
// runs.
package csvtables
