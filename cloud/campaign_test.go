package main

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

// TestCampaign: runs, their list, their results and the document of all are in storage. The
// output is that of compare on files.
func TestCampaign(t *testing.T) {
	s := startS3(t)
	local := sessions + "/campaign/{scenario}/run{run}/client.pcap"
	manifest := "scenario,run,files\n"
	for _, run := range []string{"lia/run1", "lia/run2", "olia/run1", "olia/run2"} {
		content, err := os.ReadFile(sessions + "/campaign/" + run + "/client.pcap.zst")
		if err != nil {
			t.Fatal(err)
		}
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
		if step.got != step.want {
			t.Errorf("figures says %q, want %q", step.got, step.want)
		}
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
	if err != nil {
		t.Fatal(err)
	}
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
	if got.status != 1 || !strings.Contains(got.err, "the storage refuses access (403)") {
		t.Errorf("exit status %d, %q", got.status, got.err)
	}
	s.set(nil)
	if entries, err := newBackend(t.Context(), quick).ReadDir("s3://bkt/results"); err != nil || len(entries) != 0 {
		t.Errorf("%d results, %v", len(entries), err)
	}
}
