package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPartsOfDamage: for a cut capture together with a complete one, split and merge have the
// exit status and the message of analyze, and merge has its report. Stored results of parts do
// not hide the damage.
func TestPartsOfDamage(t *testing.T) {
	dir := t.TempDir()
	whole, cut := filepath.Join(dir, "a.pcap.zst"), filepath.Join(dir, "b.pcap.zst")
	copyFile(t, filepath.Join(sessions, "campaign/lia/run1/client.pcap.zst"), whole, 0o600)
	copyFile(t, filepath.Join(sessions, "v1/k-short-bursts/client.pcap.zst"), cut, 0o600)
	info, err := os.Stat(cut)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		files  []string
		size   int64 // of the one that is cut
		status int
	}{
		{[]string{cut}, info.Size() / 2, 2},
		{[]string{whole, cut}, info.Size() / 2, 2},
		{[]string{cut}, 12, 1}, // nothing is read
	} {
		if err := os.Truncate(cut, c.size); err != nil {
			t.Fatal(err)
		}
		code, want := said(t, append([]string{"analyze"}, c.files...)...)
		if code != c.status || !strings.Contains(want, "b.pcap.zst: ") {
			t.Fatalf("analyze %v: status %d, want %d, %s", c.files, code, c.status, want)
		}
		_, message, _ := strings.Cut(want, "mpanalyze: ")
		parts := filepath.Join(t.TempDir(), "parts")
		code, text := said(t, append([]string{"split", "--parts", "2", "--out", parts}, c.files...)...)
		if code != c.status || !strings.HasSuffix(text, "mpanalyze: "+message) {
			t.Fatalf("split %v: status %d, want %d, %s", c.files, code, c.status, text)
		}
		if code, text := said(t, "merge", parts); code != c.status || text != want {
			t.Errorf("merge of %v: status %d, want %d\n%s\nwant\n%s", c.files, code, c.status, text, want)
		}
		if c.status != 2 {
			continue // there is no part
		}
		if code, text := said(t, "merge", parts, "--part", "1"); code != 0 {
			t.Errorf("merge --part 1 of %v: status %d, %s", c.files, code, text)
		}
		if code, text := said(t, "merge", parts); code != c.status || text != want {
			t.Errorf("merge of %v with a result: status %d, want %d\n%s\nwant\n%s", c.files, code, c.status, text, want)
		}
	}
}

// TestPartsTables: the tables and metrics that options of merge select are those of analyze, also
// if the parts have results.
func TestPartsTables(t *testing.T) {
	for session, figures := range map[string]string{
		"k-short-bursts/client": "", "a-sym-up/client": `"scheduler_regret": {`, "b-lte-cubic/client": `"streaming": {`,
	} {
		t.Run(session, func(t *testing.T) { partsTables(t, filepath.Join(sessions, "v1", session+".pcap.zst"), figures) })
	}
}

// partsTables compares tables and the report of a capture, which has figures.
func partsTables(t *testing.T, file, figures string) {
	dir := t.TempDir()
	parts := filepath.Join(dir, "parts")
	options := []string{"--regret", "--bitrate", "500k", "--playout", "500ms", "--message-gap", "20ms"}
	report := func(tables string, args ...string) string {
		t.Helper()
		json := filepath.Join(dir, "report.json")
		code, text := said(t, append(append(args, options...), "--json="+json, "--csv", filepath.Join(dir, tables))...)
		document, err := os.ReadFile(json)
		if code != 0 || err != nil {
			t.Fatalf("%v: status %d, %s, %v", args, code, text, err)
		}
		return text + string(document)
	}
	want := report("of-whole", "analyze", file)
	if !strings.Contains(want, figures) {
		t.Fatalf("the report has no %s", figures)
	}
	if code, text := said(t, "split", file, "--parts", "3", "--out", parts); code != 0 {
		t.Fatalf("status %d, %s", code, text)
	}
	for _, step := range []string{"parts", "results"} {
		if got := report("of-"+step, "merge", parts); got != want {
			t.Errorf("%s: the report is not that on the whole capture", step)
		}
		sameTables(t, filepath.Join(dir, "of-"+step), filepath.Join(dir, "of-whole"))
		if code, text := said(t, append([]string{"merge", parts, "--part", "1"}, options...)...); code != 0 {
			t.Fatalf("status %d, %s", code, text)
		}
	}
}

// sameTables compares the three tables of a report that merge wrote with those of analyze.
func sameTables(t *testing.T, merged, whole string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(merged, "*"))
	if err != nil || len(names) != 3 {
		t.Fatalf("tables %s, %v", names, err)
	}
	for _, name := range names {
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := os.ReadFile(filepath.Join(whole, filepath.Base(name))); err != nil || string(got) != string(want) {
			t.Errorf("%s has %d bytes, that of the whole capture %d, %v", name, len(got), len(want), err)
		}
	}
}
