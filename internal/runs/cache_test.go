package runs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/results"
	"mpanalyze/internal/runs"
)

func openCache(t *testing.T, dir, version string) *runs.Cache {
	t.Helper()
	c, err := runs.OpenCache(dir, version)
	assert.NilError(t, err)
	return c
}

// keptRun is a cache with the figures of one run.
type keptRun struct {
	co    runs.Options
	dir   string
	entry string // the file with the figures
	calls int    // analyses
}

func keepRun(t *testing.T) *keptRun {
	t.Helper()
	dir := t.TempDir()
	k := &keptRun{dir: filepath.Join(dir, "cache")}
	k.co = optionsOf(runOf("1", save(t, filepath.Join(dir, "x.pcap"), captureOf(t, 300))))
	ahead := time.Now().Add(time.Hour) // so that the times of the capture prove nothing, however slow the machine is
	assert.NilError(t, os.Chtimes(k.co.Inputs[0].Files[0], ahead, ahead))
	k.co.Cache, k.co.Workers = openCache(t, k.dir, "1"), 1
	k.co.Analyze = func(ctx context.Context, o engine.Options) (*report.Document, error) {
		k.calls++
		return engine.Analyze(ctx, o)
	}
	analyzed(t, k.co)
	files, err := filepath.Glob(filepath.Join(k.dir, "*"))
	assert.NilError(t, err)
	assert.Assert(t, k.calls == 1 && len(files) == 1, "%d analyses, %d files", k.calls, len(files)) // the capture is too new for its times
	k.entry = files[0]
	return k
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	assert.NilError(t, err)
	return string(text)
}

// TestDamagedEntries: an entry with a changed byte, one that is cut, and one of another key or capture are not
// believed.
func TestDamagedEntries(t *testing.T) {
	k := keepRun(t)
	whole := readFile(t, k.entry)
	analyzed(t, k.co)
	assert.Assert(t, k.calls == 1, "a sound entry is not used")
	put := func(text string) func() { return func() { save(t, k.entry, []byte(text)) } }
	as := func(change func(*results.Result)) func() {
		return func() {
			r := results.NewReader().Load(k.entry)
			change(r)
			assert.NilError(t, r.Write(k.entry))
		}
	}
	damage := map[string]func(){
		"cut":                put(whole[:len(whole)/2]),
		"empty":              put(""),
		"of another key":     as(func(r *results.Result) { r.Key = "another" }),
		"of another capture": as(func(r *results.Result) { r.Content = strings.Repeat("0", 64) }),
		"a negative count":   as(func(r *results.Result) { r.Run.Values[slices.Index(r.Run.Names, "b2a.bytes")] = -5 }),
		"a value too few":    as(func(r *results.Result) { r.Run.Values = r.Run.Values[1:] }),
	}
	for at := 0; at < len(whole); at += len(whole)/20 + 1 {
		text := []byte(whole)
		text[at] ^= 1
		damage[fmt.Sprintf("byte %d", at)] = put(string(text))
	}
	for name, do := range damage {
		do()
		before := k.calls
		if analyzed(t, k.co); k.calls != before+1 {
			t.Errorf("%s: %d analyses, want 1", name, k.calls-before)
		}
		again := readFile(t, k.entry)
		assert.Check(t, again == whole, "%s: the entry was not replaced", name)
	}
}

// TestPlacesAndContents: a capture of the same name and times is not read again; one that moved is found by its
// content; one that was written again is analysed again, also where its modification time was set back.
func TestPlacesAndContents(t *testing.T) {
	k := keepRun(t)
	name := k.co.Inputs[0].Files[0]
	long := time.Now().Add(-time.Hour)
	rest := func() { time.Sleep(2100 * time.Millisecond) } // longer than times need to prove something
	assert.NilError(t, os.Chtimes(name, long, long))
	rest()
	analyzed(t, k.co) // keeps it by its place, too
	in, hashes := runOf("1", filepath.Join(filepath.Dir(name), "moved.pcap")), k.calls
	assert.NilError(t, os.Rename(name, in.Files[0]))
	rest()
	k.co.Inputs = []campaign.Input{in}
	analyzed(t, k.co)
	assert.Check(t, k.calls == hashes, "a capture that moved was analysed again")
	files, err := filepath.Glob(filepath.Join(k.dir, "*"))
	assert.NilError(t, err)
	assert.Check(t, len(files) == 3, "%d entries, want one of the content and one of each place", len(files))
	content := readFile(t, in.Files[0])
	for i := range 2 { // with another last byte each time
		content = content[:len(content)-1] + string(content[len(content)-1]+1)
		assert.NilError(t, os.WriteFile(in.Files[0], []byte(content), 0o600))
		assert.NilError(t, os.Chtimes(in.Files[0], long, long))
		analyzed(t, k.co)
		assert.Check(t, runtime.GOOS != "linux" || k.calls == hashes+1+i, "%d analyses of a new capture, want %d", k.calls-hashes, 1+i)
	}
}
