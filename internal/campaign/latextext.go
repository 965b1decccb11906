package campaign

// EscapeLaTeX returns a text as LaTeX, for other things than tables.
func EscapeLaTeX(text string) string { return latex(text) }
