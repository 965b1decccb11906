package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
)

// said runs the program to its end and returns its exit status and all that it writes.
func said(t *testing.T, args ...string) (code int, text string) {
	t.Helper()
	c := command(t, args...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	assert.NilError(t, c.Start())
	return status(t, c), out.String()
}

// comparison returns what compare prints and writes about runs.
func comparison(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "study.json")
	code, text := said(t, append([]string{"compare", "--no-cache", "--json=" + file}, args...)...)
	document, err := os.ReadFile(file)
	assert.Assert(t, err == nil, "status %d, %s", code, text)
	return fmt.Sprintf("status %d\n%s%s", code, text, document)
}

// TestFiguresKilled kills figures while it reads the third of five captures, for which there is a
// pipe, and starts it again. The second start analyses only the runs without a result. Each run
// counts once, and the comparison is that of a campaign without a kill. One capture cannot be
// used.
func TestFiguresKilled(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "results")
	at := func(run string) string { return filepath.Join(dir, run+".pcap.zst") }
	for run, session := range map[string]string{"1": "campaign/lia/run1", "2": "campaign/lia/run2", "4": "campaign/olia/run1", "5": "campaign/olia/run2"} {
		copyFile(t, filepath.Join(sessions, session, "client.pcap.zst"), at(run), 0o600)
	}
	assert.NilError(t, os.Truncate(at("2"), 1000))
	if err := syscall.Mkfifo(at("3"), 0o600); err != nil {
		t.Skipf("no named pipe can be made: %v", err)
	}
	manifest := filepath.Join(dir, "runs.csv")
	assert.NilError(t, os.WriteFile(manifest, []byte("scenario,run,files\nA,1,1.pcap.zst\nA,2,2.pcap.zst\nA,3,3.pcap.zst\nB,1,4.pcap.zst\nB,2,5.pcap.zst\n"), 0o600))
	task := []string{"task", "--jobs", "1", "--manifest", manifest, "--output", out}

	killed := command(t, task...)
	assert.NilError(t, killed.Start())
	ended := make(chan struct{})
	go func() {
		killed.Wait() // killed: the error says so
		close(ended)
	}()
	opened := make(chan error, 1)
	go func() {
		pipe, err := os.OpenFile(at("3"), os.O_WRONLY, 0) // returns when the program opens the other end
		if err == nil {
			defer pipe.Close()
			_, err = pipe.WriteString("\xd4\xc3\xb2\xa1\x02\x00\x04\x00") // part of a header: it waits for more
		}
		opened <- err
		<-ended // keeps the pipe open until then
	}()
	select {
	case err := <-opened:
		assert.NilError(t, err)
	case <-ended:
		t.Fatalf("it ended before it came to the third capture: %v", killed.ProcessState)
	}
	assert.NilError(t, killed.Process.Kill())
	<-ended
	done, err := filepath.Glob(filepath.Join(out, "*.json"))
	assert.Assert(t, err == nil && len(done) == 2, "%d results before the third capture: %v", len(done), err)

	assert.NilError(t, os.Remove(at("3")))
	copyFile(t, filepath.Join(sessions, "v1/b-lte-cubic/client.pcap.zst"), at("3"), 0o600)
	for _, want := range []string{"5 runs: 3 analysed, 2 done before, 1 skipped\n", "5 runs: 0 analysed, 5 done before, 1 skipped\n"} {
		code, text := said(t, task...)
		assert.Check(t, code == 2 && text == want, "started again: status %d, %q, want %q", code, text, want)
	}
	if got, want := comparison(t, "--results", out), comparison(t, "--manifest", manifest); got != want || !strings.HasPrefix(got, "status 2\n") {
		t.Errorf("the comparison is\n%.2000s\nand of a campaign that nothing disturbed\n%.2000s", got, want)
	}
}
