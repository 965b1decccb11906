package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// TestPlotReadsOnce: the captures of a run are read once for all figures. The capture at the
// receiver is read once more, alone, for the figures that need its own view. Each figure equals
// the one that is drawn alone.
func TestPlotReadsOnce(t *testing.T) {
	dir := t.TempDir()
	for _, session := range []string{"l-single-loss", "i-v6-v4"} {
		assert.NilError(t, os.CopyFS(filepath.Join(dir, session, "run1"), os.DirFS(filepath.Join(sessions, "v1", session))))
	}
	var mutex sync.Mutex
	var pairs, alone int
	program := func(args ...string) {
		t.Helper()
		analyze := func(ctx context.Context, eo engine.Options) (*report.Document, error) {
			mutex.Lock()
			if eo.Receiver != nil {
				pairs++
			} else {
				alone++
			}
			mutex.Unlock()
			return engine.Analyze(ctx, eo)
		}
		pattern := filepath.Join(dir, "{scenario}", "run{run}", "{host}.pcap.zst")
		r := runOn(cli.Engine{Analyze: analyze}, nil, append([]string{"plot", "--pattern", pattern}, args...)...)
		assert.Assert(t, r.code == cli.ExitOK, "status %d: %s", r.code, r.err)
	}
	kinds := []string{"mix", "dsn", "grid:srtt,path_delay", "series:throughput", "cdf", "arrival", "offset", "jitter"}
	var all []string
	for i, k := range kinds {
		all = append(all, "--figure", k+"="+filepath.Join(dir, "all"+string(rune('a'+i))+".svg"))
	}
	program(all...)
	assert.Check(t, pairs == 2 && alone == 2, "%d analyses of pairs and %d of captures alone for %d figures of 2 runs; want 2 and 2", pairs, alone, len(kinds))
	for i, k := range kinds {
		if i%(len(kinds)/testrun.Cases(len(kinds))) != 0 {
			continue
		}
		one := filepath.Join(dir, "one.svg")
		program("--figure", k+"="+one)
		want, err1 := os.ReadFile(one)
		got, err2 := os.ReadFile(filepath.Join(dir, "all"+string(rune('a'+i))+".svg"))
		assert.Check(t, err1 == nil && err2 == nil && bytes.Equal(got, want), "%s is another figure among others: %v %v", k, err1, err2)
	}
}

// runWithRecords makes a folder with the capture of a run, and one host-b with its rows of ss where
// it has some. The rows of the second of two runs have another value.
func runWithRecords(t *testing.T, records bool) string {
	t.Helper()
	const cases = "../../testdata/cases/"
	dir := t.TempDir()
	copied(t, cases+"records.pcap.zst", filepath.Join(dir, "b.pcap.zst"))
	if records {
		copied(t, cases+"records.ss.zst", filepath.Join(dir, "host-b", "ss.zst"))
	}
	return filepath.Join(dir, "b.pcap.zst")
}

// Each run of plot has the records beside its own capture: they add as many lines and marks at
// samples to the second run as to the first, whose marks have a sign in the legend, too.
func TestPlotRecordsOfRuns(t *testing.T) {
	with, without := runWithRecords(t, true), runWithRecords(t, false)
	marks := func(args ...string) int {
		t.Helper()
		out := filepath.Join(t.TempDir(), "x.svg")
		args = append([]string{"plot", "--kind", "series", "--metric", "srtt", "-o", out}, args...)
		code, _, errs := trueProgram(args...)
		assert.Assert(t, code == cli.ExitOK, "%v: status %d: %s", args, code, errs)
		svg, err := os.ReadFile(out)
		assert.NilError(t, err)
		return strings.Count(string(svg), "<path")
	}
	one := marks(with, "--evidence", "b="+filepath.Join(filepath.Dir(with), "host-b")) - marks(with)
	plain := marks("x="+with, "y="+without)
	first := marks("x="+with, "y="+without, "--evidence", ".")
	both := marks("x="+with, "y="+with, "--evidence", ".")
	assert.Check(t, one >= 20 && first-plain == one && both-first == one-1,
		"records add %d marks to one run; two runs have %d without records, %d with those of the first, %d with those of both", one, plain, first, both)
}

// copied copies a file into a folder, which it makes.
func copied(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	assert.NilError(t, errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, text, 0o600)))
}

// TestFiguresOfBundledSession runs the true engine: the highest data sequence
// number on the page is that of the last byte in the report, and an SVG shows
// the paths by name.
func TestFiguresOfBundledSession(t *testing.T) {
	capture := filepath.Join(sessions, "v1", "l-single-loss", "client.pcap.zst")
	program := func(args ...string) []byte {
		t.Helper()
		code, out, errs := trueProgram(args...)
		assert.Assert(t, code == cli.ExitOK, "%v: status %d, %s", args, code, errs)
		return out
	}
	var doc report.Document
	assert.NilError(t, json.Unmarshal(program("analyze", "--json", capture), &doc))
	c := doc.Connections[0]
	data := regexp.MustCompile(`(?s)id="data">(.*?)</script>`).FindSubmatch(program("report", capture, "-o", "-"))
	var got []struct {
		Charts []struct {
			Y      string
			Layers []struct{ Lo, H []float64 }
		}
	}
	assert.NilError(t, json.Unmarshal(data[1], &got))
	highest := 0.0 // kB, the unit of less than 2 MB
	for _, c := range got[0].Charts {
		if !strings.HasPrefix(c.Y, "Data sequence number") {
			continue
		}
		for _, l := range c.Layers {
			for i, h := range l.H { // spans of data alone have a height
				highest = max(highest, l.Lo[i]+h)
			}
		}
	}
	end := float64(max(*c.A2B.Bytes, *c.B2A.Bytes)+1) / 1e3
	assert.Check(t, math.Abs(highest-end) <= 1e-6, "data ends at %v kB, want %v", highest, end)
	svg := program("plot", capture, "--kind", "dsn", "-o", "-", "--format", "svg")
	for _, s := range c.Subflows {
		assert.Check(t, bytes.Contains(svg, []byte(s.Path)), "no path %s in the figure", s.Path)
	}
}

// TestPlotForLaTeX: --latex writes a file beside each figure, also once more; it refuses figures that LaTeX cannot include, and replaces
// no text of the user. Limits and logarithmic axes need numbers.
func TestPlotForLaTeX(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	assert.NilError(t, os.WriteFile(in("thesis.tex"), []byte(`\documentclass{book}`), 0o600))
	capture := filepath.Join(sessions, "v1", "l-single-loss", "client.pcap.zst")
	for _, c := range []struct {
		args []string
		code cli.ExitCode
		want string // part of the error
	}{
		{[]string{"-o", in("a.pdf"), "--latex", "--style", "column", "--kind", "dsn"}, cli.ExitOK, ""},
		{[]string{"--figure", "dsn=" + in("a.pdf"), "--figure", "ssn=" + in("b.png"), "--latex", "--style", "dpi=72"}, cli.ExitOK, ""},
		{[]string{"-o", in("a.svg"), "--latex"}, cli.ExitFailed, "ends in .pdf or .png"},
		{[]string{"-o", in("a.png"), "--format", "pdf", "--latex"}, cli.ExitFailed, "ends in .pdf or .png"},
		{[]string{"-o", "-", "--format", "pdf", "--latex"}, cli.ExitFailed, "ends in .pdf or .png"},
		{[]string{"-o", in("a#.pdf"), "--latex"}, cli.ExitFailed, "cannot include a file whose name"},
		{[]string{"-o", in("thesis.pdf"), "--latex"}, cli.ExitFailed, "thesis.tex is not a file of plot --latex"},
		{[]string{"--figure", "dsn=" + in("c.pdf"), "--figure", "ssn=" + in("c.png"), "--latex"}, cli.ExitFailed, "c.tex would belong to two figures"},
		{[]string{"-o", in("d.svg"), "--kind", "box", "--log", "x"}, cli.ExitFailed, "horizontal"},
		{[]string{"-o", in("d.svg"), "--kind", "time_account", "--ylim", ",5"}, cli.ExitFailed, "vertical"},
		{[]string{"-o", in("d.svg"), "--log", "z"}, cli.ExitFailed, "no key"},
		{[]string{"-o", in("d.svg"), "--log", "y", "--ylim", "0,5"}, cli.ExitFailed, "--ylim: a logarithmic axis begins above 0"},
		{[]string{"-o", in("d.svg"), "--xlim", "5"}, cli.ExitFailed, "--xlim"},
		{[]string{"-o", in("d.png"), "--style", "dpi=50"}, cli.ExitFailed, "72 to 1200"},
	} {
		r := runOn(cli.Engine{Analyze: engine.Analyze}, nil, append([]string{"plot", capture}, c.args...)...)
		assert.Check(t, r.code == c.code && strings.Contains(r.err, c.want), "%v: status %d, want %d: %s", c.args, r.code, c.code, r.err)
	}
	for name, want := range map[string]string{"a.tex": "{a.pdf}", "b.tex": "{b.png}", "thesis.tex": "book"} {
		text, err := os.ReadFile(in(name))
		assert.Check(t, err == nil && strings.Contains(string(text), want), "%s: %s, %v", name, text, err)
	}
}
