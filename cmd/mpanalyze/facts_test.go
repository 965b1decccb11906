package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/testrun"
)

// fact is a fact about a connection: what it is in the JSON report, the column of connections.csv, and the patterns
// of the summary and of the page whose first group says the same. An output without the fact has none.
type fact struct {
	name, json, csv string
	text, page      *regexp.Regexp
}

// factsOf returns what all outputs must agree on, from the JSON report.
func factsOf(c jsonConnection) []fact {
	text := func(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }
	number, version := "", "of unknown version"
	if c.Version != nil {
		number = strconv.Itoa(*c.Version)
		version = number
	}
	known, checksums := "", "checksums not known"
	if c.Checksum != nil {
		known, checksums = strconv.FormatBool(*c.Checksum), map[bool]string{true: "with checksums", false: "no checksums"}[*c.Checksum]
	}
	list := []fact{
		{"version in the table", number, "version", nil, nil},
		{"version", version, "", text(`MPTCP v?(\d|of unknown version)`), text(`Multipath TCP (?:version )?(\d|of unknown version)`)},
		{"checksums in the table", known, "checksum", nil, nil},
		{"checksums", checksums, "", text(`((?:with|no) checksums|checksums not known)`), text(`Multipath TCP [a-z0-9 ]*, ([a-z ]*)`)},
		{"subflows", fmt.Sprint(len(c.Subflows)), "subflows", text(`MPTCP [a-z0-9 ]*, (\d+) subflow`), text(`class="note">(\d+) subflow`)},
		{"fallback", c.Fallback, "fallback", text(`fell back to plain TCP: (` + cmp.Or(regexp.QuoteMeta(c.Fallback), ".") + `)`), text(`; fell back: ([^<]*)`)},
	}
	for name, d := range map[string]*struct{ Bytes *int64 }{"a2b": c.A2B, "b2a": c.B2A} {
		if d != nil && d.Bytes != nil {
			in := map[string]string{"a2b": "5", "b2a": "6"}[name]
			list = append(list, fact{name + " bytes", fmt.Sprint(*d.Bytes), name + "_bytes", nil, text(`<th scope="row"(?:.*?<td[^>]*>){` + in + `}([^<]*)`)})
		}
	}
	if len(c.Verdicts) > 0 && c.Verdicts[0].Severity != "ok" { // the page names no most severe verdict where all is well
		v := c.Verdicts[0].Severity + ": " + c.Verdicts[0].Code
		list = append(list, fact{"verdict", v, "", text(`(?m)^  (` + v + `)\b`), text(`<td><span class="[a-z]+">(.*?)</td>`)})
	}
	return list
}

// jsonConnection is what this test reads of a connection in the JSON report.
type jsonConnection struct {
	ID       int
	Version  *int
	Checksum *bool
	Fallback string
	Subflows []struct{ ID int }
	A2B, B2A *struct{ Bytes *int64 }
	Verdicts []struct{ Severity, Code string }
}

// TestOutputsAgree compares what the summary, the page and the tables say about the connections of
// each bundled session with the JSON report. Of a session with many connections it takes three.
func TestOutputsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: each session is analysed some times")
	}
	files, err := filepath.Glob(filepath.Join(root, "testdata/sessions/v*/*/*.pcap*"))
	assert.NilError(t, err)
	assert.Assert(t, len(files) >= 30, "only %d captures", len(files))
	compared, withChecksums, fell := 0, 0, 0
	for _, file := range files {
		dir := t.TempDir()
		said := func(args ...string) string {
			cmd := testrun.Command(t, os.Args[0], args...)
			cmd.Env = append(os.Environ(), asProgram+"=1", "GORACE=atexit_sleep_ms=0")
			out, err := cmd.Output()
			assert.NilError(t, err, "mpanalyze %q", args)
			return string(out)
		}
		var doc struct{ Connections []jsonConnection }
		assert.NilError(t, json.Unmarshal([]byte(said("analyze", file, "--json", "--csv", dir, "--tables", "series")), &doc))
		page := html.UnescapeString(strings.ReplaceAll(said("report", file, "-o", "-"), "\u202f", ""))
		table, err := os.Open(filepath.Join(dir, "connections.csv"))
		assert.NilError(t, err)
		rows, err := csv.NewReader(table).ReadAll()
		assert.NilError(t, err)
		table.Close()
		for _, c := range doc.Connections[:min(3, len(doc.Connections))] {
			text := said("analyze", file, "--connection", strconv.Itoa(c.ID))
			row := regexp.MustCompile(fmt.Sprintf(`<tr><th scope="row" class="n" data-v="%d">.*</tr>`, c.ID)).FindString(page)
			_, section, _ := strings.Cut(page, fmt.Sprintf(`<section class="connection" id="c%d"`, c.ID))
			section, _, _ = strings.Cut(section, `<h3>Verdicts</h3>`)
			for _, f := range factsOf(c) {
				where := fmt.Sprintf("%s, connection %d, %s: ", file, c.ID, f.name)
				if f.csv != "" {
					at := slices.Index(rows[0], f.csv)
					assert.Check(t, is.Equal(rows[1+c.ID][at], f.json), where+"connections.csv")
				}
				if f.text != nil {
					assert.Check(t, is.Equal(first(f.text, text), f.json), where+"the summary")
				}
				if f.page != nil {
					assert.Check(t, is.Equal(strings.ReplaceAll(first(f.page, row+section), "</span>", ""), f.json), where+"the page")
				}
			}
			compared++
			if c.Checksum != nil && *c.Checksum {
				withChecksums++
			}
			if c.Fallback != "" {
				fell++
			}
		}
	}
	assert.Check(t, compared > 30 && withChecksums > 0 && withChecksums < compared && fell > 0, "%d connections, %d of them with checksums, %d fell back", compared, withChecksums, fell)
}

// first returns the first group of the first match; nothing without a match.
func first(pattern *regexp.Regexp, text string) string {
	if m := pattern.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}
