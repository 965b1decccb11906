// Package fill helps packages that put values into a report. It has memory for the many
// small values that may be null, reasons for values that are null, and summaries of
// distributions.
package fill
