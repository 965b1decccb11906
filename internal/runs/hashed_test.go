package runs_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/runs"
)

// TestHashedWithoutCache: without a cache, only files of equal size are read a second time
// for a hash, because only they may be the same capture.
func TestHashedWithoutCache(t *testing.T) {
	dir := t.TempDir()
	co := optionsOf()
	for i, packets := range []int{300, 301, 300, 302} {
		name := string(rune('0' + i))
		file := save(t, filepath.Join(dir, name+".pcap"), captureOf(t, packets))
		co.Inputs = append(co.Inputs, runOf(name, file))
	}
	outcomes := analyze(t, co)
	for i, want := range []bool{true, false, true, false} {
		switch run := outcomes[i].Run; {
		case run == nil:
			t.Errorf("run %d: %v", i, outcomes[i].Err)
		case (run.Content != "") != want:
			t.Errorf("run %d has the hash %q; hashed: want %v", i, run.Content, want)
		}
	}
	a, b := outcomes[0].Run, outcomes[2].Run
	assert.Check(t, a == nil || b == nil || a.Content == b.Content, "equal captures have different hashes")
}

// TestRunFromPipe: an input that can be read only once is analysed, also with a cache, and
// is not read for a hash.
func TestRunFromPipe(t *testing.T) {
	for _, cache := range []*runs.Cache{nil, openCache(t, filepath.Join(t.TempDir(), "cache"), "1")} {
		r, w, err := os.Pipe()
		assert.NilError(t, err)
		capture := captureOf(t, 300)
		go func() {
			if _, err := w.Write(capture); err != nil {
				t.Error(err)
			}
			w.Close()
		}()
		named := filepath.Join("/dev/fd", strconv.Itoa(int(r.Fd())))
		if _, err := os.Stat(named); err != nil {
			t.Skipf("no names of open files on this system: %v", err)
		}
		co := optionsOf(runOf("1", named))
		co.Cache = cache
		analyzed(t, co)
		r.Close()
	}
}
