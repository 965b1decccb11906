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
	s = report.CellText(s)
	if !asksForQuotes(s) {
		return append(b, s...)
	}
	return append(appendQuoted(append(b, '"'), s), '"')
}

// asksForQuotes reports whether a field that contains s must be quoted.
func asksForQuotes(s string) bool { return strings.ContainsAny(s, "\",\n\r") }

// appendQuoted appends s as a part of a quoted field.
func appendQuoted(b []byte, s string) []byte {
	for {
		at := strings.IndexByte(s, '"')
		if at < 0 {
			return append(b, s...)
		}
		b, s = append(append(b, s[:at+1]...), '"'), s[at+1:]
	}
}
