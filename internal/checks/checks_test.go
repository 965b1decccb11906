package checks_test

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/checks"
)

func suite() *checks.Suite {
	return &checks.Suite{Command: "mpanalyze analyze", File: "a,b:c.pcap", Checks: []checks.Check{
		{Name: "rtt > 5"},
		{Name: "goodput < 5", Lines: []checks.Line{{checks.Failed, "connection 0: 4 <5"}, {checks.Failed, "50% of | it"}}},
		{Name: "owd > 1", Lines: []checks.Line{{checks.Unknown, "no second capture"}}},
	}}
}

func TestJUnit(t *testing.T) {
	var b bytes.Buffer
	assert.NilError(t, suite().WriteJUnit(&b))
	var read struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
			Cases    []struct {
				Name    string  `xml:"name,attr"`
				Failure *string `xml:"failure"`
				Error   *string `xml:"error"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	assert.NilError(t, xml.Unmarshal(b.Bytes(), &read))
	s := read.Suites[0]
	assert.Assert(t, s.Tests == 3 && s.Failures == 1 && s.Errors == 1 && len(s.Cases) == 3, "%+v", s)
	if c := s.Cases[0]; c.Failure != nil || c.Error != nil || c.Name != "rtt > 5" {
		t.Errorf("%+v", c)
	}
	if c := s.Cases[1]; c.Error != nil || c.Failure == nil || *c.Failure != "connection 0: 4 <5\n50% of | it" {
		t.Errorf("%+v", c)
	}
	if c := s.Cases[2]; c.Failure != nil || c.Error == nil || *c.Error != "no second capture" {
		t.Errorf("%+v", c)
	}
}

func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	assert.NilError(t, suite().WriteMarkdown(&b))
	for _, want := range []string{
		"### mpanalyze analyze: <code>a,b:c.pcap</code>\n", "1 passed, 1 failed, 1 cannot be told\n",
		"| <code>rtt &gt; 5</code> | passed |  |\n",
		"| <code>goodput &lt; 5</code> | failed | connection 0: 4 &lt;5<br>50% of \\| it |\n",
		"| <code>owd &gt; 1</code> | cannot tell | no second capture |\n",
	} {
		assert.Check(t, strings.Contains(b.String(), want), "%q is missing:\n%s", want, b.String())
	}
}

func TestAnnotations(t *testing.T) {
	var b bytes.Buffer
	assert.NilError(t, suite().WriteAnnotations(&b))
	want := "::error file=a%2Cb%3Ac.pcap,title=goodput < 5::connection 0: 4 <5%0A50%25 of | it\n" +
		"::error file=a%2Cb%3Ac.pcap,title=owd > 1%3A cannot tell::no second capture\n"
	assert.Check(t, b.String() == want, "%s\nwant\n%s", b.String(), want)
}
