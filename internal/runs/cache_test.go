package runs_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
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
	k.co.Cache, k.co.Workers = openCache(t, k.dir, "1"), 1
	k.co.Analyze = func(ctx context.Context, o engine.Options) (*report.Document, error) {
		k.calls++
		return engine.Analyze(ctx, o)
	}
	analyzed(t, k.co)
	files, err := filepath.Glob(filepath.Join(k.dir, "*"))
	assert.NilError(t, err)
	for _, f := range files {
		if strings.Contains(readFile(t, f), `"names":[`) {
			k.entry = f
		}
	}
	assert.Assert(t, k.calls == 1 && k.entry != "", "%d analyses, an entry %q among %d files", k.calls, k.entry, len(files))
	return k
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	assert.NilError(t, err)
	return string(text)
}

// sealed is an entry as whoever may write to the directory can make it.
func sealed(file, text string) []byte {
	return fmt.Appendf(nil, "%x\n%s", sha256.Sum256([]byte(filepath.Base(file)+"\n"+text)), text)
}

// TestCraftedFigures: an entry with a sound hash and a value that no report can have is not
// believed.
func TestCraftedFigures(t *testing.T) {
	k := keepRun(t)
	whole := readFile(t, k.entry)
	_, text, _ := strings.Cut(whole, "\n")
	if got := string(sealed(k.entry, text)); got != whole {
		t.Fatalf("the entry begins with %.64s, the test makes %.64s", whole, got)
	}
	want := analyzed(t, k.co)
	assert.Assert(t, k.calls == 1, "a sound entry is not used")
	change := func(name string, v float64) func(*campaign.Run) {
		return func(r *campaign.Run) {
			i := slices.Index(r.Names, name)
			assert.Assert(t, i >= 0, "the run has no %s", name)
			r.Values[i] = v
		}
	}
	for name, craft := range map[string]func(*campaign.Run){
		"a negative delay":       change("b2a.protocol_delay_ms.avg", -12345),
		"a negative count":       change("b2a.bytes", -5),
		"a value without bounds": change("b2a.hol_degree_ms.avg", -1e300),
		"names out of order":     func(r *campaign.Run) { slices.Reverse(r.Names) },
		"a value too few":        func(r *campaign.Run) { r.Values = r.Values[1:] },
		"another capture":        func(r *campaign.Run) { r.Content = strings.Repeat("0", 64) },
	} {
		run, before := &campaign.Run{}, k.calls
		assert.NilError(t, json.Unmarshal([]byte(text), run))
		craft(run)
		crafted, err := json.Marshal(run)
		assert.NilError(t, err)
		save(t, k.entry, sealed(k.entry, string(crafted)))
		got := analyzed(t, k.co)
		if k.calls != before+1 || !slices.Equal(got.Values, want.Values) || !slices.Equal(got.Names, want.Names) {
			t.Errorf("%s: %d analyses, want 1; other figures: %v", name, k.calls-before, !slices.Equal(got.Values, want.Values))
		}
		again := readFile(t, k.entry)
		assert.Check(t, again == whole, "%s: the entry was not replaced", name)
	}
}

// TestDamagedEntries: an entry with a changed byte, one that is cut, one of another key and a
// link are not believed.
func TestDamagedEntries(t *testing.T) {
	k := keepRun(t)
	whole := readFile(t, k.entry)
	outside := save(t, filepath.Join(t.TempDir(), "entry"), []byte(whole))
	put := func(text string) func() { return func() { save(t, k.entry, []byte(text)) } }
	damage := map[string]func(){
		"cut":            put(whole[:len(whole)-1]),
		"empty":          put(""),
		"no hash":        put(whole[65:]),
		"of another key": put(string(sealed("another", whole[65:]))),
		"a link": func() {
			if err := errors.Join(os.Remove(k.entry), os.Symlink(outside, k.entry)); err != nil {
				t.Skip(err)
			}
		},
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
