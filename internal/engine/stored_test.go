package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/output"
)

// TestNoFileForStored: if that file cannot be made, there is no report, also for a damaged
// capture, and the message names the directory.
func TestNoFileForStored(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	t.Setenv("TMPDIR", dir)
	file := load(t, "v1/k-short-bursts/client.pcap.zst", 0).file
	for _, n := range []int{len(file), len(file) - 7} {
		o := piped(file[:n]).Storing(1)
		s, err := engine.AnalyzeStored(context.Background(), o)
		if s != nil || !errors.As(err, new(*output.Error)) || engine.Damaged(err) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%d bytes: %v, %v", n, s != nil, err)
		}
	}
}
