package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
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
	assert.Check(t, s.done.Load() != 0, "no request was harmed")
	want := map[string]string{"out/r.json": filepath.Join(dir, "r.json")}
	entries, err := os.ReadDir(filepath.Join(dir, "csv"))
	assert.Assert(t, err == nil && len(entries) != 0, "%d tables, %v", len(entries), err)
	for _, e := range entries {
		want["out/csv/"+e.Name()] = filepath.Join(dir, "csv", e.Name())
	}
	for key, name := range want {
		text, err := os.ReadFile(name)
		assert.NilError(t, err)
		got := s.get(t, key)
		assert.Check(t, string(got) == string(text), "%s has %d bytes and is not the same as %s of %d", key, len(got), name, len(text))
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
		assert.Check(t, got.status == 1 && strings.HasSuffix(got.err, says), "%d: exit status %d, %q, want %q", status, got.status, got.err, says)
		text := s.get(t, "r.json")
		assert.Check(t, string(text) == "old", "%d: the object holds %q", status, text)
	}
	if got := run(t, "extract", "--connection", "0", "s3://bkt/x.pcap", "-o", "s3://bkt/x.pcap"); got.status != 1 {
		t.Errorf("extract over its input: exit status %d, %s", got.status, got.err)
	}
}
