// Package fill has what those need who put values into a report: memory for the
// many small values that may be null, reasons for those that are, and summaries of
// distributions.
package fill
