package checks

import (
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the checks as Markdown: a heading, and their KTAP.
func (s *Suite) WriteMarkdown(w io.Writer) error {
	fmt.Fprintf(w, "### %d passed, %d failed, %d cannot be told\n\n```text\n", s.count(Passed), s.count(Failed), s.count(Unknown))
	if err := s.WriteTAP(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, "```\n\n")
	return err
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
		if _, err := fmt.Fprintf(w, "::error file=%s,title=%s::%s\n", property.Replace(s.File), property.Replace(title), data.Replace(strings.Join(c.All(), "\n"))); err != nil {
			return err
		}
	}
	return nil
}
