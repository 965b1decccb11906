package cli_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// TestPlotChecksRuns: plot finds the same faults in runs as compare, and says so in the same
// words.
func TestPlotChecksRuns(t *testing.T) {
	dir := t.TempDir()
	of := func(host string) string { return filepath.Join(sessions, "v1", "l-single-loss", host+".pcap.zst") }
	reportOf := func(name string, args ...string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if code, _, errs := trueProgram(append([]string{"analyze", of("client"), "--json=" + file}, args...)...); code != cli.ExitOK {
			t.Fatal(errs)
		}
		return file
	}
	first, coarse, again := reportOf("first.json"), reportOf("coarse.json", "--interval", "500ms"), reportOf("again.json")
	for _, c := range testrun.Few([]struct {
		name string
		runs []string
		code cli.ExitCode
		says []string
	}{
		{"both hosts as two runs", []string{"x=" + of("client"), "x=" + of("server")}, cli.ExitDamaged, []string{"skipped 1 of 2 runs", "was captured at b, most runs of x at a"}},
		{"the same with leave", []string{"x=" + of("client"), "x=" + of("server"), "--mix-vantages"}, cli.ExitOK, []string{"runs of x vary in vantage: a in 1 of 2, but"}},
		{"both hosts as two scenarios", []string{"x=" + of("client"), "y=" + of("server")}, cli.ExitOK, []string{"x was captured at a, y at b"}},
		{"a capture twice", []string{"x=" + of("client"), "y=" + of("client")}, cli.ExitOK, []string{"are the same capture: they are no two runs"}},
		{"a capture in two reports", []string{"x=" + first, "x=" + again}, cli.ExitOK, []string{"are the same capture: they are no two runs"}},
		{"a report and its capture", []string{"x=" + first, "x=" + of("client")}, cli.ExitOK, []string{"are the same capture: they are no two runs"}},
		{"other options", []string{"x=" + first, "x=" + coarse}, cli.ExitFailed, []string{"runs differ in interval: 100ms (x " + first + ") and 500ms (x " + coarse + ")", "--mix-options"}},
		{"other options with leave", []string{"x=" + first, "x=" + coarse, "--mix-options"}, cli.ExitOK, []string{"runs differ in interval"}},
		{"other options than the command's", []string{"x=" + first, "x=" + again, "--interval", "50ms"}, cli.ExitFailed, []string{"50ms (the command)"}},
	}) {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "x.svg")
			code, _, errs := trueProgram(append([]string{"plot", "--kind", "shares", "-o", out}, c.runs...)...)
			if code != c.code {
				t.Errorf("status %d, want %d", code, c.code)
			}
			for _, text := range c.says {
				if !strings.Contains(errs, text) {
					t.Errorf("no %q in %s", text, errs)
				}
			}
			if _, err := os.Stat(out); (err == nil) != (c.code != cli.ExitFailed) {
				t.Errorf("the figure: %v", err)
			}
			compared, _, other := trueProgram(slices.Concat([]string{"compare", "--no-cache", "--table", "mix"}, c.runs)...)
			if compared != c.code {
				t.Errorf("compare has status %d: %s", compared, other)
			}
			for _, text := range c.says {
				if !strings.Contains(other, text) {
					t.Errorf("compare does not say %q: %s", text, other)
				}
			}
		})
	}
}

// TestPlotReadsOnce: the captures of a run are read once for all figures. The capture at the
// receiver is read once more, alone, for the figures that need its own view. Each figure equals
// the one that is drawn alone.
func TestPlotReadsOnce(t *testing.T) {
	dir := t.TempDir()
	for _, scenario := range []string{"lia", "olia"} {
		for _, host := range []string{"client", "server"} {
			file := filepath.Join(dir, scenario, "run1", host+".pcap.zst")
			text, err := os.ReadFile(filepath.Join(sessions, "campaign", scenario, "run1", host+".pcap.zst"))
			if err = errors.Join(err, os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, text, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
	}
	var mutex sync.Mutex
	var pairs, alone int
	program := func(args ...string) {
		t.Helper()
		var o, e bytes.Buffer
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
		code := cli.Main(append([]string{"plot", "--pattern", pattern}, args...), cli.Streams{Out: &o, Err: &e, Getenv: os.Getenv}, cli.Engine{Analyze: analyze}, "v0-test")
		if code != cli.ExitOK {
			t.Fatalf("status %d: %s", code, e.String())
		}
	}
	kinds := []string{"mix", "dsn", "grid:srtt,path_delay", "series:throughput", "cdf", "arrival", "offset", "jitter"}
	var all []string
	for i, k := range kinds {
		all = append(all, "--figure", k+"="+filepath.Join(dir, "all"+string(rune('a'+i))+".svg"))
	}
	program(all...)
	if pairs != 2 || alone != 2 {
		t.Errorf("%d analyses of pairs and %d of captures alone for %d figures of 2 runs; want 2 and 2", pairs, alone, len(kinds))
	}
	for i, k := range kinds {
		if i%(len(kinds)/testrun.Cases(len(kinds))) != 0 {
			continue
		}
		one := filepath.Join(dir, "one.svg")
		program("--figure", k+"="+one)
		want, err1 := os.ReadFile(one)
		got, err2 := os.ReadFile(filepath.Join(dir, "all"+string(rune('a'+i))+".svg"))
		if err1 != nil || err2 != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is another figure among others: %v %v", k, err1, err2)
		}
	}
}

// runWithRecords makes a folder with the capture of a run, and one host-b with its rows of ss where
// it has some. The rows of the second of two runs have another value.
func runWithRecords(t *testing.T, records bool) string {
	t.Helper()
	const cases = "../../testdata/cases/"
	dir := t.TempDir()
	files := map[string]string{"records.pcap.zst": "b.pcap.zst"}
	if records {
		files["records.ss.zst"] = "host-b/ss.zst"
	}
	for from, to := range files {
		text, err := os.ReadFile(cases + from)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, to)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
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
		if code, _, errs := trueProgram(args...); code != cli.ExitOK {
			t.Fatalf("%v: status %d: %s", args, code, errs)
		}
		svg, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(svg), "<path")
	}
	one := marks(with, "--evidence-dir", ".") - marks(with)
	plain := marks("x="+with, "y="+without)
	first := marks("x="+with, "y="+without, "--evidence-dir", ".")
	both := marks("x="+with, "y="+with, "--evidence-dir", ".")
	if one < 20 || first-plain != one || both-first != one-1 {
		t.Errorf("records add %d marks to one run; two runs have %d without records, %d with those of the first, %d with those of both", one, plain, first, both)
	}
}

// Records that belong to no run are refused, and those of one run for several.
func TestPlotRecordsRefused(t *testing.T) {
	with, without := runWithRecords(t, true), runWithRecords(t, false)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"x=" + without, "--metric", "srtt", "--evidence-dir", "."}, "no run has a folder host-a or host-b with records there"},
		{[]string{"x=" + with, "y=" + without, "--metric", "srtt", "--evidence", "b=" + filepath.Dir(with)}, "--evidence-dir . takes the folders host-a and host-b"},
		{[]string{"x=" + with, "--metric", "srtt", "--evidence", "b=" + filepath.Dir(with), "--evidence-dir", "."}, "want one of them"},
		{[]string{"x=" + with, "--metric", "kernel_srtt_ms"}, "those of each run with --evidence-dir"},
	} {
		args := append([]string{"plot", "--kind", "series", "-o", filepath.Join(t.TempDir(), "x.svg")}, c.args...)
		if code, _, errs := trueProgram(args...); code != cli.ExitFailed || !strings.Contains(errs, c.says) {
			t.Errorf("%v: status %d: %s", c.args, code, errs)
		}
	}
}
