package runs_test

import (
	"bytes"
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/report"
	"mpanalyze/internal/runs"
)

// TestCaptureInTwoReports: a capture that counts twice is found: as a run of its own, in
// another report, and in a report on several captures.
func TestCaptureInTwoReports(t *testing.T) {
	dir := t.TempDir()
	session := filepath.Join(sessions, "v1/l-single-loss")
	client, server := session+"/client.pcap.zst", session+"/server.pcap.zst"
	reportOn := func(name string, o engine.Options) string {
		o.Connection, o.Interval, o.HashLimit = engine.AllConnections, 100*time.Millisecond, math.MaxInt64
		doc, err := engine.Analyze(context.Background(), o)
		assert.NilError(t, err)
		var text bytes.Buffer
		assert.NilError(t, jsonreport.Write(&text, doc))
		return save(t, filepath.Join(dir, name), text.Bytes())
	}
	one := reportOn("one.json", engine.Options{Paths: []string{client}})
	both := reportOn("both.json", engine.Options{Paths: []string{server}, Receiver: []string{client}})
	input := func(scenario string, files ...string) campaign.Input {
		return campaign.Input{Scenario: scenario, Name: "1", Files: files}
	}
	for _, cache := range []*runs.Cache{nil, openCache(t, filepath.Join(dir, "cache"), "1"), openCache(t, filepath.Join(dir, "cache"), "1")} {
		for name, inputs := range map[string][]campaign.Input{
			"two reports":         {input("X", one), input("Y", both)},
			"a report, a capture": {input("X", one), input("Y", client)},
			"a capture of a pair": {input("X", client), {Scenario: "Y", Name: "1", Files: []string{client}, Receiver: []string{server}, Swap: true}},
		} {
			co := optionsOf(inputs...)
			co.Cache, co.Options.Interval = cache, 100*time.Millisecond
			outcomes := analyze(t, co)
			set := campaign.Group(inputs, outcomes, true)
			all := strings.Join(set.Warnings(), "\n")
			assert.Check(t, strings.Contains(all, "X 1 and Y 1 are the same capture"), "%s: %v, not found: %s", name, set.Skipped, all)
			unlike := set.Unlike((&co.Options).MadeBy(), nil)
			assert.Check(t, len(unlike) == 0, "%s: made alike, but %q", name, unlike)
		}
	}
	in := input("X", one)
	in.Vantage = report.VantageB
	if err := analyze(t, optionsOf(in))[0].Err; err == nil || !strings.Contains(err.Error(), "its captures were taken at a, not at b") {
		t.Errorf("a report of another place: %v", err)
	}
}
