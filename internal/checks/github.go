package checks

import (
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the checks as a Markdown table under a heading.
func (s *Suite) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: %s\n\n", cell(s.Command), code(s.File))
	fmt.Fprintf(&b, "%d passed, %d failed, %d cannot be told\n\n", s.count(Passed), s.count(Failed), s.count(Unknown))
	b.WriteString("| check | result | where |\n| --- | --- | --- |\n")
	for _, c := range s.Checks {
		lines := c.texts()
		for i, line := range lines {
			lines[i] = cell(line)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", code(c.Name), c.Status(), strings.Join(lines, "<br>"))
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// special escapes what has a meaning in a cell of a Markdown table.
var special = strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", ">", "&gt;", "&", "&amp;",
	"*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "]", "\\]", "\n", " ", "\r", " ")

func cell(text string) string { return special.Replace(text) }

// code writes a text in the letters of code. In a table "|" ends a cell even there.
func code(text string) string {
	return "<code>" + special.Replace(text) + "</code>"
}

// data and property escape the two parts of a workflow command of GitHub Actions.
var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// WriteAnnotations writes each check that did not pass as an annotation of GitHub Actions.
func (s *Suite) WriteAnnotations(w io.Writer) error {
	for _, c := range s.Checks {
		status := c.Status()
		if status == Passed {
			continue
		}
		title := c.Name
		if status == Unknown {
			title += ": " + string(Unknown)
		}
		if _, err := fmt.Fprintf(w, "::error file=%s,title=%s::%s\n", property.Replace(s.File), property.Replace(title), data.Replace(strings.Join(c.texts(), "\n"))); err != nil {
			return err
		}
	}
	return nil
}
