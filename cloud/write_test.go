package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutputs: documents and tables in storage are those of the disk.
func TestOutputs(t *testing.T) {
	s := startS3(t)
	plain, _ := capture(t)
	local, dir := file(t, plain), t.TempDir()
	good(t, "analyze", local, "--json="+filepath.Join(dir, "r.json"), "--csv", filepath.Join(dir, "csv"))
	puts := 0
	s.set(func(r *http.Request, _ int) harm { // the first ones are refused, and sent again
		if r.Method != http.MethodPut {
			return harm{}
		}
		if puts++; puts < 4 {
			return harm{status: 503}
		}
		return harm{}
	})
	good(t, "analyze", local, "--json=s3://bkt/out/r.json", "--csv", "s3://bkt/out/csv/")
	if s.done.Load() == 0 {
		t.Error("no request was harmed")
	}
	want := map[string]string{"out/r.json": filepath.Join(dir, "r.json")}
	entries, err := os.ReadDir(filepath.Join(dir, "csv"))
	if err != nil || len(entries) == 0 {
		t.Fatalf("%d tables, %v", len(entries), err)
	}
	for _, e := range entries {
		want["out/csv/"+e.Name()] = filepath.Join(dir, "csv", e.Name())
	}
	for key, name := range want {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.get(t, key); string(got) != string(text) {
			t.Errorf("%s has %d bytes and is not the same as %s of %d", key, len(got), name, len(text))
		}
	}
}

// TestOutputRefused: an output that cannot be written leaves no part behind.
func TestOutputRefused(t *testing.T) {
	s := startS3(t)
	plain, _ := capture(t)
	local := file(t, plain)
	s.put(t, "r.json", []byte("old"))
	use(t, newBackend(t.Context(), hasty))
	for status, says := range map[int]string{
		403: "mpanalyze: writing s3://bkt/r.json: the storage refuses access (403); check the credentials (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE) and their rights\n",
		503: "mpanalyze: writing s3://bkt/r.json: the storage is overloaded or down (503, asked 2 times); try again later, or with fewer runs at once (--jobs)\n",
	} {
		s.set(func(r *http.Request, _ int) harm {
			if r.Method == http.MethodPut {
				return harm{status: status}
			}
			return harm{}
		})
		got := run(t, "analyze", local, "--json=s3://bkt/r.json")
		if got.status != 1 || !strings.HasSuffix(got.err, says) {
			t.Errorf("%d: exit status %d, %q, want %q", status, got.status, got.err, says)
		}
		if text := s.get(t, "r.json"); string(text) != "old" {
			t.Errorf("%d: the object holds %q", status, text)
		}
	}
	if got := run(t, "extract", "--connection", "0", "s3://bkt/x.pcap", "-o", "s3://bkt/x.pcap"); got.status != 1 {
		t.Errorf("extract over its input: exit status %d, %s", got.status, got.err)
	}
}
