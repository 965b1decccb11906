package csvtables

import (
	"strconv"
	"strings"

	"mpanalyze/internal/decimal"
	"mpanalyze/internal/report"
)

// appendInt appends n and a comma.
func appendInt(b []byte, n int64) []byte { return append(strconv.AppendInt(b, n, 10), ',') }

// appendBool appends true or false and a comma.
func appendBool(b []byte, v bool) []byte { return append(strconv.AppendBool(b, v), ',') }

// appendSeconds appends a time in nanoseconds as seconds, nothing for [report.NoTime], and a comma.
func appendSeconds(b []byte, ns int64) []byte {
	if ns != report.NoTime {
		b = decimal.AppendSeconds(b, ns)
	}
	return append(b, ',')
}

// appendText appends s as a CSV field, quoted where RFC 4180, Section 2, asks
// for it, and never as a formula of a spreadsheet ([report.CellText]).
func appendText(b []byte, s string) []byte {
	if s = report.CellText(s); strings.ContainsAny(s, "\",\n\r") {
		return append(append(append(b, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"')
	}
	return append(b, s...)
}
