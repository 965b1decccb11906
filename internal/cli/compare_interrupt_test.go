package cli_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
)

// endsAt is a context that ends after it was asked a number of times.
type endsAt struct {
	context.Context
	left atomic.Int64
}

func (c *endsAt) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestCompareInterrupted: after an interrupt at any moment, the results of a campaign are
// complete or absent.
func TestCompareInterrupted(t *testing.T) {
	capture := filepath.Join("..", "..", "testdata", "sessions", "v1", "l-single-loss", "client.pcap.zst")
	doc, err := engine.Analyze(context.Background(), engine.Options{Paths: []string{capture}, Connection: engine.AllConnections})
	assert.NilError(t, err)
	compare := func(ctx context.Context) (string, error) {
		var out, errs bytes.Buffer
		root := cli.NewRoot(cli.Streams{Out: &out, Err: &errs, Getenv: os.Getenv}, cli.Engine{
			Analyze: func(context.Context, engine.Options) (*report.Document, error) { return doc, nil },
		}, "v0-test")
		root.SetArgs([]string{"compare", "--no-cache", "--json", "--jobs", "1", "A=" + capture, "B=" + capture, "C=" + capture})
		err := root.ExecuteContext(ctx)
		return out.String(), err
	}
	const more = 1 << 20 // more than the program asks the context
	asks := &endsAt{Context: context.Background()}
	asks.left.Store(more)
	whole, err := compare(asks)
	assert.NilError(t, err)
	stopped := 0
	for n := range more - asks.left.Load() {
		ctx := &endsAt{Context: context.Background()}
		ctx.left.Store(n)
		switch got, err := compare(ctx); {
		case err == nil && got != whole:
			t.Errorf("ended after %d questions, %d bytes of %d are there", n, len(got), len(whole))
		case err != nil && (!errors.Is(err, context.Canceled) || got != ""):
			t.Errorf("ended after %d questions: error %v and %d bytes, want that it ended and none", n, err, len(got))
		case err != nil:
			stopped++
		}
	}
	assert.Check(t, stopped >= 3, "it was stopped %d times, want once for each of 3 runs at least", stopped)
}
