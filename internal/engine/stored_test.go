package engine_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/output"
)

// several is a capture with many connections.
var several = engine.Options{Paths: []string{"../../testdata/sessions/v1/k-short-bursts/client.pcap.zst"}, Connection: engine.AllConnections}

// TestStoredInFile: the report is the same whether reports of ended connections stay in
// memory or in a file, and the file is removed.
func TestStoredInFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	want, err := engine.Analyze(context.Background(), several)
	if err != nil {
		t.Fatal(err)
	}
	got, err := engine.Analyze(context.Background(), several.Storing(1))
	if err != nil {
		t.Fatal(err)
	}
	if len(want.Connections) < 5 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d connections, not the same", len(want.Connections))
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v are left", err, left)
	}
}

// TestNoFileForStored: if that file cannot be made, there is no report, also for a damaged
// capture, and the message names the directory.
func TestNoFileForStored(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	t.Setenv("TMPDIR", dir)
	file := unpacked(t, 1<<30, several.Paths[0])
	for _, n := range []int{len(file), len(file) - 7} {
		o := several.Storing(1)
		o.Paths, o.Stdin = []string{"-"}, bytes.NewReader(file[:n])
		s, err := engine.AnalyzeStored(context.Background(), o)
		if s != nil || !errors.As(err, new(*output.Error)) || engine.Damaged(err) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%d bytes: %v, %v", n, s != nil, err)
		}
	}
}
