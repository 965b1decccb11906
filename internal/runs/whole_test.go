package runs_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
)

// TestLessReadThanThere: a capture is cut if less of its file was read than it had at
// the start, or if its pipe gave less than the manifest says. That holds even if the
// data ends with a whole packet.
func TestLessReadThanThere(t *testing.T) {
	whole := captureOf(t, 50)
	file := save(t, filepath.Join(t.TempDir(), "x.pcap"), whole)
	run := func(in campaign.Input, by func(context.Context, engine.Options) (*report.Document, error)) error {
		in.Name = "1"
		co := optionsOf(in)
		co.Analyze = by
		return analyze(t, co)[0].Err
	}
	assert.Check(t, run(campaign.Input{Files: []string{file}, Bytes: []int64{int64(len(whole))}}, nil))
	shrinks := func(ctx context.Context, o engine.Options) (*report.Document, error) {
		assert.NilError(t, os.Truncate(file, int64(borderOf(whole))))
		return engine.Analyze(ctx, o)
	}
	if err := run(campaign.Input{Files: []string{file}}, shrinks); err == nil || !strings.Contains(err.Error(), "is cut: ") {
		t.Errorf("a file that lost its end while it was read: %v", err)
	}
	assert.Check(t, run(campaign.Input{Files: []string{file}}, nil), "without its length nothing tells that a file was cut between packets")
}

// borderOf returns where the last packet of a classic capture begins.
func borderOf(content []byte) int {
	at, last := 24, 24
	for at < len(content) {
		last = at
		at += 16 + int(uint32(content[at+8])|uint32(content[at+9])<<8|uint32(content[at+10])<<16|uint32(content[at+11])<<24)
	}
	return last
}
