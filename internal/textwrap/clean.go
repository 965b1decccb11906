package textwrap

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Clean returns s with an escape in place of each character that could harm a terminal:
// control characters, invalid UTF-8, and characters that reverse or hide text. File names and
// texts from captures may contain them. Backslashes beside such a character are doubled.
func Clean(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || !strconv.IsPrint(r) }) {
		return s
	}
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
