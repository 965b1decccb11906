package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/results"
)

// TestCampaign: runs, their list, their results and the document of all are in storage. The
// output is that of compare on files.
func TestCampaign(t *testing.T) {
	s := startS3(t)
	local := sessions + "/campaign/{scenario}/run{run}/client.pcap"
	manifest := "scenario,run,files\n"
	for _, run := range []string{"lia/run1", "lia/run2", "olia/run1", "olia/run2"} {
		content, err := os.ReadFile(sessions + "/campaign/" + run + "/client.pcap.zst")
		assert.NilError(t, err)
		s.put(t, "runs/"+run+"/client.pcap.zst", content)
		scenario, number, _ := strings.Cut(run, "/run")
		manifest += scenario + "," + number + "," + run + "/client.pcap.zst\n"
	}
	s.put(t, "runs/list.csv", []byte(manifest))
	want := good(t, "compare", "--no-cache", "--pattern", local)
	for _, source := range [][]string{{"--manifest", "s3://bkt/runs/list.csv"}, {"--pattern", "s3://bkt/runs/{scenario}/run{run}/client.pcap"}} {
		if got := good(t, append([]string{"compare", "--no-cache"}, source...)...); got != want {
			t.Errorf("compare %v says\n%swant\n%s", source, got, want)
		}
	}
	figures := func(extra ...string) string {
		t.Helper()
		use(t, newBackend(t.Context(), quick)) // as a new program
		return good(t, append([]string{"task", "--manifest", "s3://bkt/runs/list.csv", "--output", "s3://bkt/results"}, extra...)...)
	}
	for _, step := range []struct{ got, want string }{
		{figures("--shard", "1/2"), "2 runs: 2 analysed, 0 done before, 0 skipped\n"},
		{figures(), "4 runs: 2 analysed, 2 done before, 0 skipped\n"},
	} {
		assert.Check(t, step.got == step.want, "figures says %q, want %q", step.got, step.want)
	}
	reads := 0
	s.set(func(r *http.Request, _ int) harm {
		if isGet(r) && strings.Contains(r.URL.Path, "client.pcap") {
			reads++
		}
		return harm{}
	})
	if got, want := figures(), "4 runs: 0 analysed, 4 done before, 0 skipped\n"; got != want || reads != 0 {
		t.Errorf("figures says %q and reads captures %d times, want %q and none", got, reads, want)
	}
	if got := good(t, "compare", "--results", "s3://bkt/results"); got != want {
		t.Errorf("compare --results says\n%swant\n%s", got, want)
	}
	// An object of another content is another run.
	other, err := os.ReadFile(sessions + "/campaign/olia/run1/client.pcap.zst")
	assert.NilError(t, err)
	s.put(t, "runs/lia/run1/client.pcap.zst", other)
	if got, want := figures(), "4 runs: 1 analysed, 3 done before, 0 skipped\n"; got != want {
		t.Errorf("figures says %q, want %q", got, want)
	}
}

// TestLength: an object that is shorter than the list says is cut, and a run that was cut between
// two packets does not count as complete.
func TestLength(t *testing.T) {
	s := startS3(t)
	plain, _ := capture(t)
	s.put(t, "x.pcap", plain)
	s.put(t, "y.pcap", plain)
	s.put(t, "list.csv", lines("scenario,run,files,bytes\none,1,x.pcap,%d\ntwo,1,y.pcap,%d\n", len(plain)+1, len(plain)))
	got := run(t, "compare", "--no-cache", "--manifest", "s3://bkt/list.csv")
	if want := "s3://bkt/x.pcap: is cut: it has"; got.status != 2 || !strings.Contains(got.err, want) || strings.Contains(got.err, "y.pcap") {
		t.Errorf("exit status %d, %q, want %q", got.status, got.err, want)
	}
}

// TestResultsRefused: where results cannot be written the task ends.
func TestResultsRefused(t *testing.T) {
	s := startS3(t)
	plain, _ := capture(t)
	s.set(func(r *http.Request, _ int) harm {
		if r.Method == http.MethodPut {
			return harm{status: 403}
		}
		return harm{}
	})
	got := run(t, "task", "one="+file(t, plain), "--output", "s3://bkt/results")
	assert.Check(t, got.status == 1 && strings.Contains(got.err, "the storage refuses access (403)"), "exit status %d, %q", got.status, got.err)
	s.set(nil)
	entries, err := newBackend(t.Context(), quick).ReadDir("s3://bkt/results")
	assert.Check(t, err == nil && len(entries) == 0, "%d results, %v", len(entries), err)
}

// TestManyResults: the list of more results than a store lists at once says all that has to be known of
// them, so each takes the request for its content alone.
func TestManyResults(t *testing.T) {
	const runs = 1050 // S3 lists 1,000 at a time
	s := startS3(t)
	for i := range runs {
		r := results.Result{Schema: results.SchemaName, List: "l", Index: i, Of: runs, Skipped: "is cut", Input: campaign.Input{Scenario: "x", Name: strconv.Itoa(i)}}
		text, err := r.Append(nil)
		assert.NilError(t, err)
		s.put(t, "results/"+strconv.Itoa(i)+".json", text)
	}
	heads := 0
	s.set(func(r *http.Request, _ int) harm {
		if r.Method == http.MethodHead && strings.HasSuffix(r.URL.Path, ".json") {
			heads++
		}
		return harm{}
	})
	got := run(t, "compare", "--results", "s3://bkt/results")
	if got.status != 1 || !strings.Contains(got.err, "skipped 1050 of 1050 runs") || heads != 0 {
		t.Errorf("status %d, %d requests for what the list says, %.200q", got.status, heads, got.err)
	}
}

// TestTaskAgain: a server that is down while a capture is read, and one that names no versions of its
// files and replaces one, give no result and status 75. The task run again has results.
func TestTaskAgain(t *testing.T) {
	plain, _ := capture(t)
	other, err := os.ReadFile(sessions + "/campaign/olia/run1/client.pcap.zst")
	assert.NilError(t, err)
	for what, answer := range map[string]func(w http.ResponseWriter, gets int) []byte{
		"down": func(w http.ResponseWriter, gets int) []byte { return map[bool][]byte{true: plain}[gets < 2] },
		"replaced": func(w http.ResponseWriter, gets int) []byte {
			return map[bool][]byte{true: plain, false: other}[gets < 2]
		},
	} {
		gets, faulty := 0, true
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				gets++
			}
			content := plain
			if faulty {
				content = answer(w, gets)
			}
			if content == nil {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			http.ServeContent(&bare{cutting{ResponseWriter: w}}, r, "x.pcap", time.Time{}, bytes.NewReader(content))
		}))
		use(t, newBackend(t.Context(), hasty))
		dir := t.TempDir()
		task := []string{"task", "x=" + server.URL + "/x.pcap", "--output", dir, "--jobs", "1"}
		got := run(t, task...)
		files, _ := filepath.Glob(filepath.Join(dir, "*")) // the pattern is sound
		assert.Check(t, got.status == 75 && len(files) == 0, "%s: status %d, %d results, %s", what, got.status, len(files), got.err)
		faulty, gets = false, 0
		use(t, newBackend(t.Context(), hasty))
		if got := run(t, task...); got.status != 0 || !strings.HasPrefix(got.out, "1 run: 1 analysed") {
			t.Errorf("%s, then well: status %d, %s%s", what, got.status, got.out, got.err)
		}
		server.Close()
	}
}
