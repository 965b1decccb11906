package checks_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/checks"
	"mpanalyze/internal/testrun"
)

func suite() *checks.Suite {
	s := &checks.Suite{
		Command: "mpanalyze analyze", File: "a,b:c.pcap", Start: time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("", 3600)), Took: 1250 * time.Millisecond,
		Checks: []checks.Check{{Name: "rtt > 5"}, {Name: "goodput < 5"}, {Name: "owd > 1"}},
	}
	s.Checks[1].Add(checks.Failed, "connection 0: 4 <5")
	s.Checks[1].Add(checks.Failed, "50% of | it")
	s.Checks[2].Add(checks.Unknown, "no second capture")
	return s
}

// asXML is [suite] as JUnit's XML.
const asXML = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
 <testsuite name="mpanalyze analyze a,b:c.pcap" tests="3" failures="1" errors="1" skipped="0" time="1.250" timestamp="2026-03-01T11:00:00Z">
  <testcase name="rtt &gt; 5" classname="mpanalyze analyze" time="1.250"></testcase>
  <testcase name="goodput &lt; 5" classname="mpanalyze analyze" time="0.000">
   <failure message="connection 0: 4 &lt;5" type="failed">connection 0: 4 &lt;5&#xA;50% of | it</failure>
  </testcase>
  <testcase name="owd &gt; 1" classname="mpanalyze analyze" time="0.000">
   <error message="no second capture" type="cannot tell">no second capture</error>
  </testcase>
 </testsuite>
</testsuites>
`

// asTAP is the same as KTAP.
const asTAP = `KTAP version 1
1..3
# mpanalyze analyze a,b:c.pcap
ok 1 rtt > 5
# connection 0: 4 <5
# 50% of | it
not ok 2 goodput < 5
# no second capture
not ok 3 owd > 1 # ERROR cannot tell
`

func TestForms(t *testing.T) {
	s := suite()
	for want, write := range map[string]func(io.Writer) error{asXML: s.WriteJUnit, asTAP: s.WriteTAP} {
		var b strings.Builder
		assert.NilError(t, write(&b))
		assert.Check(t, is.Equal(b.String(), want))
	}
	s.Checks = []checks.Check{{Name: "a # b\nc"}}
	s.Checks[0].Add(checks.Failed, "one\ntwo\xff\x1b[1m\u202eö")
	var b strings.Builder
	assert.NilError(t, s.WriteTAP(&b))
	assert.Check(t, is.Equal(b.String(), "KTAP version 1\n1..1\n# mpanalyze analyze a,b:c.pcap\n# one\\ntwo\\xff\\x1b[1m\\u202eö\nnot ok 1 a _ b c\n"))
}

// TestReaders: the reader of JUnit's XML in Python finds every check with its result.
func TestReaders(t *testing.T) {
	if out, err := testrun.Command(t, "python3", "-c", "import junitparser").CombinedOutput(); err != nil {
		t.Skipf("junitparser is not installed for Python: %s", out)
	}
	const read = `import sys, junitparser.xunit2
for s in junitparser.xunit2.JUnitXml.fromstring(sys.stdin.buffer.read()):
    print(s.name, s.tests, s.failures, s.errors, s.skipped, s.time, s.timestamp)
    for c in s:
        print(c.classname, c.name, c.time, [(type(r).__name__, r.message, r.type, r.text) for r in c.result])`
	cmd := testrun.Command(t, "python3", "-c", read)
	cmd.Stdin = strings.NewReader(asXML)
	out, err := cmd.CombinedOutput()
	assert.NilError(t, err, "%s", out)
	assert.Check(t, is.Equal(string(out), `mpanalyze analyze a,b:c.pcap 3 1 1 0 1.25 2026-03-01T11:00:00Z
mpanalyze analyze rtt > 5 1.25 []
mpanalyze analyze goodput < 5 0.0 [('Failure', 'connection 0: 4 <5', 'failed', 'connection 0: 4 <5\n50% of | it')]
mpanalyze analyze owd > 1 0.0 [('Error', 'no second capture', 'cannot tell', 'no second capture')]
`))
}

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	assert.NilError(t, suite().WriteMarkdown(&b))
	assert.Check(t, is.Equal(b.String(), "### 1 passed, 1 failed, 1 cannot be told\n\n```text\n"+asTAP+"```\n\n"))
}

func TestAnnotations(t *testing.T) {
	var b bytes.Buffer
	assert.NilError(t, suite().WriteAnnotations(&b))
	want := "::error file=a%2Cb%3Ac.pcap,title=goodput < 5::connection 0: 4 <5%0A50%25 of | it\n" +
		"::error file=a%2Cb%3Ac.pcap,title=owd > 1%3A cannot tell::no second capture\n"
	assert.Check(t, b.String() == want, "%s\nwant\n%s", b.String(), want)
}
