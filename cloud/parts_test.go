package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// burst is a capture of many connections.
const burst = sessions + "/v1/k-short-bursts/client.pcap.zst"

// TestParts: the parts of a capture are written to storage, analysed there by tasks, and merged. The
// report is that on the whole capture.
func TestParts(t *testing.T) {
	s := startS3(t)
	want := good(t, "analyze", "--json=-", burst)
	program := func(args ...string) string {
		t.Helper()
		use(t, newBackend(t.Context(), quick)) // as a new program
		return good(t, args...)
	}
	program("split", burst, "--parts", "3", "--out", "s3://bkt/parts")
	if got := program("merge", "s3://bkt/parts", "--json=-"); got != want {
		t.Error("the report on the parts is not that on the whole")
	}
	program("merge", "s3://bkt/parts", "--part", "2")
	if s.get(t, "parts/part-002.result") == nil {
		t.Error("there is no result of part 2")
	}
	reads := 0
	s.set(func(r *http.Request, _ int) harm {
		if isGet(r) && strings.HasSuffix(r.URL.Path, "part-002.pcapng") {
			reads++
		}
		return harm{}
	})
	if got := program("merge", "s3://bkt/parts", "--json=s3://bkt/report.json"); got == "" || string(s.get(t, "report.json")) != want {
		t.Error("the report on a result and parts is not that on the whole")
	}
	if reads > 0 {
		t.Errorf("the part with a result was read %d times", reads)
	}
	use(t, newBackend(t.Context(), quick))
	if got := run(t, "split", burst, "--out", "s3://bkt/parts"); got.status != 1 || !strings.Contains(got.err, "s3://bkt/parts holds a split already") {
		t.Errorf("a second split: exit status %d, %q", got.status, got.err)
	}
	if got := run(t, "merge", "s3://bkt/nothing"); got.status != 1 || !strings.Contains(got.err, "s3://bkt/nothing: no split is here") {
		t.Errorf("merge of nothing: exit status %d, %q", got.status, got.err)
	}
}

// TestPartsRefused: if the storage refuses a request, the message names it and does not call the
// part damaged. No index is written, and without an index there is no split.
func TestPartsRefused(t *testing.T) {
	s := startS3(t)
	use(t, newBackend(t.Context(), hasty))
	refuse := func(method, suffix string) {
		s.set(func(r *http.Request, _ int) harm {
			if r.Method == method && strings.HasSuffix(r.URL.Path, suffix) {
				return harm{status: 403}
			}
			return harm{}
		})
	}
	refuse(http.MethodPut, "part-002.pcapng")
	if got := run(t, "split", burst, "--parts", "2", "--out", "s3://bkt/parts"); got.status != 1 || !strings.Contains(got.err, "the storage refuses access (403)") {
		t.Errorf("split: exit status %d, %q", got.status, got.err)
	}
	s.set(nil)
	entries, err := newBackend(t.Context(), quick).ReadDir("s3://bkt/parts")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() >= "part-002.pcapng" {
			t.Errorf("%s was written", e.Name())
		}
	}
	good(t, "split", burst, "--parts", "2", "--out", "s3://bkt/parts")
	for _, name := range []string{"split.json", "part-001.steps", "part-002.pcapng"} {
		use(t, newBackend(t.Context(), hasty))
		refuse(http.MethodGet, name)
		got := run(t, "merge", "s3://bkt/parts")
		if got.status != 1 || !strings.Contains(got.err, "s3://bkt/parts/"+name+": the storage refuses access (403)") || strings.Contains(got.err, "split the capture again") {
			t.Errorf("%s: exit status %d, %q", name, got.status, got.err)
		}
	}
}

// TestPartsOfWeb: parts are merged from a web server, which has no lists.
func TestPartsOfWeb(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "parts")
	want := good(t, "analyze", "--json=-", burst)
	good(t, "split", burst, "--parts", "2", "--out", dir)
	good(t, "merge", dir, "--part", "1")
	if err := os.Remove(filepath.Join(dir, "part-001.pcapng")); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(dir))))
	t.Cleanup(server.Close)
	use(t, newBackend(t.Context(), quick))
	if got := good(t, "merge", server.URL+"/parts", "--json=-"); got != want {
		t.Error("the report on parts of a web server is not that on the whole")
	}
}
