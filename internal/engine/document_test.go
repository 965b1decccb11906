package engine_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/live"
	"mpanalyze/internal/report"
)

// TestReportSaysItsMaking: a report has the version, the options, and the hash of each file
// on disk.
func TestReportSaysItsMaking(t *testing.T) {
	capture := establishedSession(t, 300)
	file := save(t, filepath.Join(t.TempDir(), "x.pcap"), capture)
	o := engine.Options{
		Paths: []string{file}, Connection: engine.AllConnections, Interval: 50 * time.Millisecond, Version: "v7", HashLimit: int64(len(capture)),
		Labels: []engine.Label{{Prefix: netip.MustParsePrefix("0.0.0.0/0"), Name: "all"}, {Prefix: netip.MustParsePrefix("::/0"), Name: "six"}}, Several: true,
	}
	doc, err := engine.Analyze(context.Background(), o)
	assert.NilError(t, err)
	sum := sha256.Sum256(capture)
	if got := doc.Captures[0].SHA256; got == nil || *got != hex.EncodeToString(sum[:]) {
		t.Errorf("hash %v", got)
	}
	if m := doc.MadeBy; m.Version != "v7" || m.Options.Interval != "50ms" || m.Options.Metrics != "all" || m.Options.Clock != "auto" || strings.Join(m.Options.Labels, " ") != "0.0.0.0/0=all ::/0=six" || m.Options.Connection != nil {
		t.Errorf("made by %+v", m)
	}
	o.HashLimit, o.Paths, o.Stdin = math.MaxInt64, []string{"-"}, bytes.NewReader(capture)
	if doc, err = engine.Analyze(context.Background(), o); err != nil || doc.Captures[0].SHA256 != nil {
		t.Errorf("a pipe has the hash %v, %v", doc.Captures[0].SHA256, err)
	}
	o.HashLimit, o.Paths = int64(len(capture))-1, []string{file}
	if doc, err = engine.Analyze(context.Background(), o); err != nil || doc.Captures[0].SHA256 != nil {
		t.Errorf("a file beyond the limit has the hash %v, %v", doc.Captures[0].SHA256, err)
	}
	o.Several = false
	doc, err = engine.Analyze(context.Background(), o)
	assert.NilError(t, err)
	if said := warningOf(doc, report.WarnUnused); !strings.HasPrefix(said, "not used: six (::/0): no path begins or ends there; addresses are: ") {
		t.Errorf("a label that fits nothing: %q", said)
	}
	if _, _, err = engine.Live(context.Background(), o, engine.LiveOptions{Interval: time.Second, Top: 1, Now: time.Now, Show: func(*live.Interval) error { return nil }}); err != nil {
		t.Errorf("live with a label that fits nothing yet: %v", err)
	}
	o.Labels = o.Labels[:1]
	if doc, err = engine.Analyze(context.Background(), o); err != nil || warningOf(doc, report.WarnUnused) != "" {
		t.Errorf("%v, %v", doc.Warnings, err)
	}
}

// writingRows appends to a file when the first rows come, which is before the captures end.
type writingRows struct {
	report.NopRows
	file string
	err  error
}

func (w *writingRows) Series([]report.SeriesRow) error {
	if w.file != "" {
		f, err := os.OpenFile(w.file, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.Write([]byte{0})
			err = errors.Join(err, f.Close())
		}
		w.file, w.err = "", err
	}
	return w.err
}

// TestHashOfOneFile: a report has the hash of its capture, and none of one that was written while it was
// read.
func TestHashOfOneFile(t *testing.T) {
	text, err := os.ReadFile(session("v1/l-single-loss/client.pcap.zst"))
	assert.NilError(t, err)
	for _, written := range []bool{false, true} {
		file := save(t, filepath.Join(t.TempDir(), "x.pcap.zst"), text)
		rows := &writingRows{}
		if written {
			rows.file = file
		}
		doc, _ := engine.Analyze(context.Background(), engine.Options{ // the byte at the end may count as damage
			Paths: []string{file}, Connection: engine.AllConnections, HashLimit: 1 << 30, Rows: rows, Series: func(string) bool { return true },
		})
		if doc == nil || rows.file != "" || (doc.Captures[0].SHA256 == nil) != written {
			t.Errorf("written %v: %+v", written, doc)
		}
	}
}
