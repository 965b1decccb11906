package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpanalyze/internal/cli"
)

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
