package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpanalyze/internal/testrun"
)

// TestPaper makes a paper of the bundled campaign as a user would, with both captures of each
// run: five tables, nine figures, a page and the figures of each run. It compares two of these
// figures with expected.json of each run: the bytes that the application received (b2a.bytes at
// the client), and the packets that the emulated paths dropped (b2a.drops.count of the pair,
// source: emulator).
func TestPaper(t *testing.T) {
	dir, env := workshop(t)
	script, err := filepath.Abs("../../testdata/script/paper.sh")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.Abs("../../testdata/sessions/campaign")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "paper")
	cmd := testrun.Command(t, "sh", script, folder, out)
	cmd.Env = append(env, "MPANALYZE="+filepath.Join(dir, "bin", "mpanalyze"))
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	for name, begins := range map[string]string{
		"fi23-delays.pdf": "%PDF-", "fi23-throughput.pdf": "%PDF-", "qoe24-bars.pdf": "%PDF-", "mix.pdf": "%PDF-",
		"rec16-arrival.pdf": "%PDF-", "rec16-offset.pdf": "%PDF-", "rec16-throughput.pdf": "%PDF-", "rec16-delay.pdf": "%PDF-", "rec16-jitter.pdf": "%PDF-",
		"fi23.tex": "", "qoe24.tex": "", "rec16.tex": "", "mix.tex": "", "page.html": "<!DOCTYPE html>",
	} {
		text, err := os.ReadFile(filepath.Join(out, name))
		switch {
		case err != nil:
			t.Error(err)
		case !strings.HasPrefix(string(text), begins):
			t.Errorf("%s begins with %.20q", name, text)
		case strings.HasSuffix(name, ".tex") && (!strings.Contains(string(text), `\bottomrule`) || !strings.Contains(string(text), "olia")):
			t.Errorf("%s holds no table of both scenarios:\n%s", name, text)
		}
	}
	holdsTruth(t, filepath.Join(out, "values.csv"))
}

// holdsTruth compares values of runs with the ground truth.
func holdsTruth(t *testing.T, name string) {
	const first, second = "10.1.1.1-10.9.9.9", "10.2.1.1-10.9.9.9"
	want := map[[4]string]string{ // by scenario, run, path and metric
		{"lia", "1", "", "bytes"}: "6400000", {"lia", "1", first, "drops.count"}: "10", {"lia", "1", second, "drops.count"}: "8",
		{"lia", "2", "", "bytes"}: "6000000", {"lia", "2", first, "drops.count"}: "8", {"lia", "2", second, "drops.count"}: "7",
		{"olia", "1", "", "bytes"}: "6720000", {"olia", "1", first, "drops.count"}: "11", {"olia", "1", second, "drops.count"}: "7",
		{"olia", "2", "", "bytes"}: "5960000", {"olia", "2", first, "drops.count"}: "10", {"olia", "2", second, "drops.count"}: "4",
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll() // scenario, run, direction, path, metric, unit, value, role
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		key := [4]string{r[0], r[1], r[3], r[4]}
		if w, ok := want[key]; ok && r[2] == "b2a" {
			if r[6] != w {
				t.Errorf("%v: %s, want %s", key, r[6], w)
			}
			delete(want, key)
		}
	}
	for key := range want {
		t.Errorf("%v: no such row", key)
	}
}
