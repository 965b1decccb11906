package runs_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
)

// TestPairsAsRuns: runs of both hosts' captures have the figures of a pair, also from the
// cache. A run with a wrong second capture is skipped with the reason.
func TestPairsAsRuns(t *testing.T) {
	session := filepath.Join(sessions, "v1/l-single-loss")
	client, server := session+"/client.pcap.zst", session+"/server.pcap.zst"
	inputs := []campaign.Input{
		{Scenario: "X", Name: "found out", Files: []string{client}, Receiver: []string{server}, Swap: true},
		{Scenario: "X", Name: "said", Files: []string{server}, Receiver: []string{client}},
		{Scenario: "X", Name: "twice", Files: []string{client}, Receiver: []string{client}, Swap: true},
		{Scenario: "X", Name: "unrelated", Files: []string{client}, Receiver: []string{filepath.Join(sessions, "v1/p-nat/server.pcap.zst")}},
		{Scenario: "X", Name: "one view", Files: []string{client, server}},
		{Scenario: "X", Name: "half", Files: []string{client}, Problem: "has no server"},
	}
	var pairs atomic.Int32 // that were analysed
	co := optionsOf(inputs...)
	co.Options.Interval, co.Cache = 100*time.Millisecond, openCache(t, filepath.Join(t.TempDir(), "cache"), "1")
	co.Analyze = func(ctx context.Context, o engine.Options) (*report.Document, error) {
		doc, err := engine.Analyze(ctx, o)
		if err == nil && o.Receiver != nil {
			pairs.Add(1)
		}
		return doc, err
	}
	doc, err := engine.Analyze(context.Background(), engine.Options{Paths: []string{server}, Receiver: []string{client}, Connection: engine.AllConnections, Interval: 100 * time.Millisecond})
	assert.NilError(t, err)
	want, err := campaign.Extract(doc, campaign.AnyConnection)
	assert.NilError(t, err)
	for _, from := range []string{"captures", "cache"} {
		pairs.Store(0)
		outcomes := analyze(t, co)
		n := pairs.Load()
		assert.Check(t, (n > 0) == (from == "captures"), "%d pairs are analysed for figures from %s", n, from)
		for i := range 2 {
			got := outcomes[i].Run
			if got == nil || !got.Both || fmt.Sprint(got.Values) != fmt.Sprint(want.Values) {
				t.Errorf("run %q from %s is not the pair's: %v", inputs[i].Name, from, outcomes[i].Err)
			}
		}
		for i, text := range map[int]string{2: "are the same capture", 3: "no TCP connection in common", 4: "name the host of each: {host} in --pattern", 5: "has no server"} {
			if err := outcomes[i].Err; err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("run %q: %v, want an error that says %q", inputs[i].Name, err, text)
			}
		}
	}
}
