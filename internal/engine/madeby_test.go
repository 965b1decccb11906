package engine_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/report"
)

// TestReportSaysItsMaking: a report has the version, the options, and the hash of each file
// on disk.
func TestReportSaysItsMaking(t *testing.T) {
	capture := captureOf(t, 300)
	file := save(t, filepath.Join(t.TempDir(), "x.pcap"), capture)
	o := engine.Options{
		Paths: []string{file}, Connection: engine.AllConnections, Interval: 50 * time.Millisecond, Version: "v7", HashLimit: int64(len(capture)),
		Labels: []engine.Label{{Prefix: netip.MustParsePrefix("0.0.0.0/0"), Name: "all"}, {Prefix: netip.MustParsePrefix("::/0"), Name: "six"}}, Several: true,
	}
	doc, err := engine.Analyze(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
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
	_, err = engine.Analyze(context.Background(), o)
	if input := new(engine.InputError); !errors.As(err, &input) || !strings.Contains(err.Error(), "--label ::/0=six: no path begins or ends there; addresses are: ") || strings.Contains(err.Error(), "=all") {
		t.Errorf("a label that fits nothing: %v", err)
	}
	o.Labels = o.Labels[:1]
	if _, err = engine.Analyze(context.Background(), o); err != nil {
		t.Error(err)
	}
}

// TestCaptureInTwoReports: a capture that counts twice is found: as a run of its own, in
// another report, and in a report on several captures.
func TestCaptureInTwoReports(t *testing.T) {
	dir := t.TempDir()
	session := filepath.Join(sessions, "v1/l-single-loss")
	client, server := session+"/client.pcap.zst", session+"/server.pcap.zst"
	reportOn := func(name string, o engine.Options) string {
		o.Connection, o.Interval, o.HashLimit = engine.AllConnections, 100*time.Millisecond, math.MaxInt64
		doc, err := engine.Analyze(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := jsonreport.Write(&text, doc); err != nil {
			t.Fatal(err)
		}
		return save(t, filepath.Join(dir, name), text.Bytes())
	}
	one := reportOn("one.json", engine.Options{Paths: []string{client}})
	both := reportOn("both.json", engine.Options{Paths: []string{server}, Receiver: []string{client}})
	input := func(scenario string, files ...string) campaign.Input {
		return campaign.Input{Scenario: scenario, Name: "1", Files: files}
	}
	for _, cache := range []*engine.Cache{nil, openCache(t, filepath.Join(dir, "cache"), "1"), openCache(t, filepath.Join(dir, "cache"), "1")} {
		for name, inputs := range map[string][]campaign.Input{
			"two reports":         {input("X", one), input("Y", both)},
			"a report, a capture": {input("X", one), input("Y", client)},
			"a capture of a pair": {input("X", client), {Scenario: "Y", Name: "1", Files: []string{client}, Receiver: []string{server}, Swap: true}},
		} {
			co := engine.CampaignOptions{Inputs: inputs, Connection: campaign.AnyConnection, Cache: cache, Options: engine.Options{Connection: engine.AllConnections, Interval: 100 * time.Millisecond}}
			outcomes, err := engine.Runs(context.Background(), co)
			if err != nil {
				t.Fatal(err)
			}
			set := campaign.Group(inputs, outcomes, true)
			if all := strings.Join(set.Warnings(), "\n"); !strings.Contains(all, "X 1 and Y 1 are the same capture") {
				t.Errorf("%s: %v, not found: %s", name, set.Skipped, all)
			}
			if unlike := set.Unlike((&co.Options).MadeBy(), nil); len(unlike) > 0 {
				t.Errorf("%s: made alike, but %q", name, unlike)
			}
		}
	}
	in := input("X", one)
	in.Vantage = report.VantageB
	outcomes, err := engine.Runs(context.Background(), engine.CampaignOptions{Inputs: []campaign.Input{in}, Connection: campaign.AnyConnection})
	if err != nil || outcomes[0].Err == nil || !strings.Contains(outcomes[0].Err.Error(), "its captures were taken at a, not at b") {
		t.Errorf("a report of another place: %v, %v", err, outcomes[0].Err)
	}
}
