package cli_test

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpanalyze/internal/cli"
)

// TestDiff keeps the report on a stream of 5 bytes as the golden file, and compares those on one
// of 5 bytes more with it.
func TestDiff(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"five": "sound 12345", "ten": "sound 1234567890", "cut": "damaged 12345"} {
		if err := os.WriteFile(at(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	golden := at("golden.json")
	for _, c := range []struct {
		args string
		code cli.ExitCode
		said string
	}{
		{"golden.json five", cli.ExitFailed, "no such file"},
		{"golden.json five --update", cli.ExitOK, "written: 1 difference from"},
		{"golden.json five", cli.ExitOK, ""},
		{"golden.json five --update", cli.ExitOK, "nothing differs"},
		{"golden.json ten --normalise", cli.ExitWorse, ".connections[0].b2a.bytes: 5 -> 10, +5 (+100%)"},
		{"golden.json ten --normalise --tolerance bytes=4B", cli.ExitWorse, "1 difference from"},
		{"golden.json ten --normalise --tolerance bytes=5B,srtt=0", cli.ExitOK, ""},
		{"golden.json cut --normalise", cli.ExitDamaged, "packet 3"},
		{"five ten --normalise", cli.ExitWorse, "+5"},
		{"five ten --update", cli.ExitFailed, "must be named *.json"},
		{"golden.json five --tolerance strt=1", cli.ExitFailed, "did you mean srtt?"},
		{"golden.json", cli.ExitFailed, "diff takes two files"},
		{"golden.json ten --update --normalise", cli.ExitOK, "written: 1 difference from"},
		{"golden.json ten", cli.ExitOK, ""},
	} {
		args := strings.Fields("diff " + c.args)
		for i, arg := range args {
			if i > 0 && !strings.HasPrefix(arg, "-") && !strings.Contains(arg, "=") {
				args[i] = at(arg)
			}
		}
		r := run(new(fake), nil, args...)
		if said := r.out + r.err; r.code != c.code || !strings.Contains(said, c.said) || c.said == "" && said != "" {
			t.Errorf("%s: status %d, want %d; %s", c.args, r.code, c.code, said)
		}
	}
	if text, err := os.ReadFile(golden); err != nil || !strings.Contains(string(text), `"schema"`) {
		t.Errorf("the golden file is no report: %v\n%s", err, text)
	}
}

// TestCIForms writes the results of two checks in all forms, twice: the summary grows, the XML is
// new.
func TestCIForms(t *testing.T) {
	junit, summary := filepath.Join(t.TempDir(), "junit.xml"), filepath.Join(t.TempDir(), "summary.md")
	for range 2 {
		r := run(new(fake), nil, "analyze", "-", "--fail-on", "bytes<5", "--fail-on", "bytes<11", "--junit", junit, "--step-summary", summary, "--annotations")
		want := "::error file=-,title=bytes<11::connection 0, b2a: 10 bytes, limit 11 bytes\n"
		if r.code != cli.ExitWorse || !strings.Contains(r.err, want) {
			t.Errorf("status %d, %s", r.code, r.err)
		}
	}
	text, err := os.ReadFile(junit)
	if err != nil {
		t.Fatal(err)
	}
	var suites struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(text, &suites); err != nil || len(suites.Suites) != 1 || suites.Suites[0].Tests != 2 || suites.Suites[0].Failures != 1 {
		t.Errorf("%v, %s", err, text)
	}
	if text, err := os.ReadFile(summary); err != nil || strings.Count(string(text), "### mpanalyze analyze") != 2 {
		t.Errorf("%v, %s", err, text)
	}
	if r := run(new(fake), nil, "analyze", "-", "--junit", junit); r.code != cli.ExitFailed || !strings.Contains(r.err, "need --fail-on") {
		t.Errorf("status %d, %s", r.code, r.err)
	}
}

// TestCompareInCIForms: with one run of each, nothing can be told, which is an error in JUnit's XML.
func TestCompareInCIForms(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("sound 12345"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	junit := filepath.Join(dir, "junit.xml")
	r := run(new(fake), nil, "compare", "new="+filepath.Join(dir, "a"), "--baseline", "old="+filepath.Join(dir, "b"), "--no-cache", "--metric", "segments", "--fail-on", "retransmitted_bytes>5B", "--junit", junit)
	text, err := os.ReadFile(junit)
	if r.code != cli.ExitCannotTell || err != nil || !strings.Contains(string(text), `tests="1" failures="0" errors="1"`) {
		t.Errorf("status %d, %v, %s%s", r.code, err, r.err, text)
	}
}
