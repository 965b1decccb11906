package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
)

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
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "sessions", "v1", "l-single-loss", "client.pcap.zst"))
	if err != nil {
		t.Fatal(err)
	}
	for _, written := range []bool{false, true} {
		file := filepath.Join(t.TempDir(), "x.pcap.zst")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
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
