package checks

import (
	"encoding/xml"
	"io"
	"strings"
)

// The elements of JUnit's XML, as CI systems read them.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string       `xml:"classname,attr"`
		Name    string       `xml:"name,attr"`
		File    string       `xml:"file,attr,omitempty"`
		Failure *junitReason `xml:"failure,omitempty"`
		Error   *junitReason `xml:"error,omitempty"`
	}
	junitReason struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the checks as JUnit XML. A check that cannot be judged is an error.
func (s *Suite) WriteJUnit(w io.Writer) error {
	suite := junitSuite{Name: s.Command + " " + s.File, Tests: len(s.Checks), Failures: s.count(Failed), Errors: s.count(Unknown)}
	for _, c := range s.Checks {
		one := junitCase{Class: s.Command, Name: c.Name, File: s.File}
		switch c.Status() {
		case Failed:
			one.Failure = reason(c.texts())
		case Unknown:
			one.Error = reason(c.texts())
		}
		suite.Cases = append(suite.Cases, one)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(junitSuites{Suites: []junitSuite{suite}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// reason has the first line as its message, and all lines as its text.
func reason(lines []string) *junitReason {
	return &junitReason{Message: lines[0], Text: strings.Join(lines, "\n")}
}
