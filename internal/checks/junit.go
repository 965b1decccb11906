package checks

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

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
