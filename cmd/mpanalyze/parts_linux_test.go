package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPartsOfDamage: split and merge of a capture that is cut, beside one that is whole, have the
// exit status and the message of analyze, and merge has its report. Results of parts do not hide it.
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
