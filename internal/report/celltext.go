package report

import "strconv"

// CellText returns a text as a cell of a CSV table. Spreadsheets run a text that begins with one of
// = + - @, or with one of these behind a tab or carriage return, as a formula. Names and labels
// may come from strangers, so an apostrophe stands before such a text. A number gets none.
func CellText(s string) string {
	if s == "" {
		return s
	}
	switch s[0] {
	case '=', '+', '-', '@', '\t', '\r':
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return "'" + s
		}
	}
	return s
}
