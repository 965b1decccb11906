package runs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/runs"
	"mpanalyze/internal/storage"
)

// replacing is a run whose files are replaced between their hash and their analysis.
type replacing struct {
	co    runs.Options
	files map[string][2][]byte // name, and what it has before and after
	times int                  // how often they are still replaced
}

func (r *replacing) place(t *testing.T, which int) {
	t.Helper()
	for name, content := range r.files {
		save(t, name+".new", content[which])
		assert.NilError(t, os.Rename(name+".new", name))
	}
}

// replacingRun returns a run that reads one file or, with records, one capture and a record.
func replacingRun(t *testing.T, pair bool) *replacing {
	t.Helper()
	dir := t.TempDir()
	r := &replacing{files: map[string][2][]byte{filepath.Join(dir, "x.pcap"): {captureOf(t, 300), captureOf(t, 400)}}}
	in := runOf("1", filepath.Join(dir, "x.pcap"))
	if !pair {
		assert.NilError(t, os.Mkdir(filepath.Join(dir, "host-b"), 0o700))
		r.files = map[string][2][]byte{filepath.Join(dir, "host-b", "limits"): {[]byte("add_addr_accepted 2 subflows 2\n"), []byte("add_addr_accepted 2 subflows 3\n")}}
		save(t, in.Files[0], captureOf(t, 300))
	}
	r.place(t, 0)
	r.co = optionsOf(in)
	r.co.Workers = 1
	r.co.Analyze = func(ctx context.Context, o engine.Options) (*report.Document, error) {
		if r.times > 0 {
			r.times--
			r.place(t, 1)
			defer r.place(t, 0) // and back, so that the name has the first file again at the end
		}
		return engine.Analyze(ctx, o)
	}
	return r
}

// TestReplacedBetweenHashAndAnalysis: a capture, or a record of a host, that is another one while it is
// analysed gives no figures and no result, and what is stored later is that of the untouched files.
func TestReplacedBetweenHashAndAnalysis(t *testing.T) {
	for _, pair := range []bool{true, false} {
		r := replacingRun(t, pair)
		in := &r.co.Inputs[0]
		want, err := r.co.Figures(t.Context(), in, "v1")
		if err != nil || want.Run == nil || want.Key == "" || want.Again {
			t.Fatal(err, want)
		}
		r.times = 1
		got, err := r.co.Figures(t.Context(), in, "v1")
		if err != nil || got.Run != nil || got.Key != "" || !got.Again || !strings.Contains(got.Skipped, "replaced") {
			t.Errorf("capture %v: %v, %+v", pair, err, got)
		}

		r.times, r.co.Cache = 1, openCache(t, filepath.Join(t.TempDir(), "cache"), "1")
		for _, replaced := range []bool{true, false, false} {
			out := analyze(t, r.co)
			assert.Assert(t, replaced == errors.Is(out[0].Err, storage.ErrReplaced), "capture %v, replaced %v: %v", pair, replaced, out[0].Err)
			if !replaced {
				assert.Check(t, is.DeepEqual(out[0].Run.Values, want.Run.Values), "capture %v", pair)
			}
		}
	}
}

// TestFaultThatPasses: an error of the medium in the analysis is no result; damage of the content is
// one.
func TestFaultThatPasses(t *testing.T) {
	file := save(t, filepath.Join(t.TempDir(), "x.pcap"), captureOf(t, 300))
	for what, fault := range map[string]error{
		"EIO":    &engine.DamageError{Err: &capture.DamageError{File: file, What: "reading failed", Read: syscall.EIO}},
		"ESTALE": &os.PathError{Op: "open", Path: file, Err: syscall.ESTALE},
		"5xx":    &engine.DamageError{Err: &capture.DamageError{File: file, Read: &storage.Error{What: "the storage is down", Temporary: true}}},
		"damage": &engine.DamageError{Err: &capture.DamageError{File: file, What: "the file ends"}},
	} {
		co := optionsOf(runOf("1", file))
		co.Analyze = func(context.Context, engine.Options) (*report.Document, error) { return nil, fault }
		r, err := co.Figures(t.Context(), &co.Inputs[0], "v1")
		again := what != "damage"
		assert.Check(t, err == nil && r.Again == again && (r.Key == "") == again && r.Skipped != "", "%s: %v, %+v", what, err, r)
	}
}
