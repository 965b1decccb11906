package checks

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// named replaces what ends the name of a test in KTAP.
var named = strings.NewReplacer("#", "_", "\n", " ")

// WriteTAP writes the checks in the Kernel Test Anything Protocol, version 1 (Documentation/dev-tools/ktap.rst of Linux). The lines of
// a check stand before its result. A check that cannot be judged has the directive ERROR.
func (s *Suite) WriteTAP(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "KTAP version 1\n1..%d\n# %s %s\n", len(s.Checks), s.Command, s.File)
	for i, c := range s.Checks {
		for _, text := range c.All() {
			fmt.Fprintf(&b, "# %s\n", text)
		}
		result := map[Status]string{Passed: "ok %d %s\n", Failed: "not ok %d %s\n", Unknown: "not ok %d %s # ERROR cannot tell\n"}[c.Status()]
		fmt.Fprintf(&b, result, i+1, named.Replace(c.Name))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

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

// The elements of JUnit's XML, as the schema of Jenkins has them (junit-10.xsd of its plugin xUnit).
type (
	junitSuite struct {
		Name      string      `xml:"name,attr"`
		Tests     int         `xml:"tests,attr"`
		Failures  int         `xml:"failures,attr"`
		Errors    int         `xml:"errors,attr"`
		Skipped   int         `xml:"skipped,attr"`
		Time      string      `xml:"time,attr"`
		Timestamp string      `xml:"timestamp,attr"`
		Cases     []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name   string `xml:"name,attr"`
		Class  string `xml:"classname,attr"`
		Time   string `xml:"time,attr"`
		Reason *junitReason
	}
	junitReason struct {
		XMLName xml.Name // failure or error
		Message string   `xml:"message,attr"`
		Type    Status   `xml:"type,attr"`
		Text    string   `xml:",chardata"`
	}
)

// WriteJUnit writes the checks as JUnit XML. A check that cannot be judged is an error. The first check has the time of all, as
// they share one analysis.
func (s *Suite) WriteJUnit(w io.Writer) error {
	took, n := fmt.Sprintf("%.3f", s.Took.Seconds()), s.count()
	suite := junitSuite{
		Name: s.Command + " " + s.File, Tests: len(s.Checks), Failures: n[Failed], Errors: n[Unknown],
		Time: took, Timestamp: s.Start.UTC().Format(time.RFC3339),
	}
	for _, c := range s.Checks {
		one := junitCase{Class: s.Command, Name: c.Name, Time: took}
		took = "0.000"
		if status := c.Status(); status != Passed {
			element := xml.Name{Local: map[Status]string{Failed: "failure", Unknown: "error"}[status]}
			one.Reason = &junitReason{element, c.All()[0], status, strings.Join(c.All(), "\n")}
		}
		suite.Cases = append(suite.Cases, one)
	}
	text, err := xml.MarshalIndent(struct {
		XMLName xml.Name   `xml:"testsuites"`
		Suite   junitSuite `xml:"testsuite"`
	}{Suite: suite}, "", " ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	}
	return err
}
