package campaign

import "strings"

// EscapeLaTeX returns a text as LaTeX, for other things than tables. Titles of figures have an arrow between two hosts.
func EscapeLaTeX(text string) string { return strings.ReplaceAll(latex(text), "→", `$\rightarrow$`) }
