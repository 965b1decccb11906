package checks

import (
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the checks as Markdown: a heading, and their KTAP.
func (s *Suite) WriteMarkdown(w io.Writer) error {
	n := s.count()
	var tap strings.Builder
	_ = s.WriteTAP(&tap) // a builder does not fail
	_, err := fmt.Fprintf(w, "### %d passed, %d failed, %d cannot be told\n\n```text\n%s```\n\n", n[Passed], n[Failed], n[Unknown], &tap)
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
		title := c.Name + map[Status]string{Unknown: ": cannot tell"}[status]
		if _, err := fmt.Fprintf(w, "::error file=%s,title=%s::%s\n", property.Replace(s.File), property.Replace(title), data.Replace(strings.Join(c.All(), "\n"))); err != nil {
			return err
		}
	}
	return nil
}
