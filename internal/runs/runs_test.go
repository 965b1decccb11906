package runs_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/report"
	"mpanalyze/internal/runs"
	"mpanalyze/internal/tracegen"
)

const sessions = "../../testdata/sessions"

// captureOf returns a capture of a transfer of so many packets.
func captureOf(t *testing.T, packets int) []byte {
	return edited(t, packets, func(*tracegen.Packet) {})
}

// edited is captureOf with packets that edit has changed.
func edited(t *testing.T, packets int, edit func(*tracegen.Packet)) []byte {
	t.Helper()
	var b bytes.Buffer
	assert.NilError(t, tracegen.WriteTransfer(&b, packets, func(_ int, p *tracegen.Packet) bool { edit(p); return true }))
	return b.Bytes()
}

func save(t *testing.T, file string, content []byte) string {
	t.Helper()
	assert.NilError(t, os.WriteFile(file, content, 0o644))
	return file
}

// runOf is a run of the scenario X.
func runOf(name string, files ...string) campaign.Input {
	return campaign.Input{Scenario: "X", Name: name, Files: files}
}

// optionsOf are options for runs: all connections of their captures.
func optionsOf(inputs ...campaign.Input) runs.Options {
	return runs.Options{Inputs: inputs, Options: engine.Options{Connection: engine.AllConnections}, Connection: campaign.AnyConnection}
}

// analyze analyses runs, in which nothing but the runs themselves may go wrong.
func analyze(t *testing.T, o runs.Options) []campaign.Outcome {
	t.Helper()
	outcomes, err := runs.Analyze(t.Context(), o)
	assert.NilError(t, err)
	return outcomes
}

// analyzed is the only run, which can be used.
func analyzed(t *testing.T, o runs.Options) *campaign.Run {
	t.Helper()
	outcome := analyze(t, o)[0]
	assert.NilError(t, outcome.Err)
	return outcome.Run
}

// refused expects that a file is no run, for a reason.
func refused(t *testing.T, file, want string) {
	t.Helper()
	if err := analyze(t, optionsOf(runOf("1", file)))[0].Err; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want an error that says %q", file, err, want)
	}
}

// TestHundredRuns: one capture is cut, one empty, one no capture, one without Multipath
// TCP. The table is that of the other 96, and messages name the four.
func TestHundredRuns(t *testing.T) {
	dir := t.TempDir()
	plain := edited(t, 300, func(p *tracegen.Packet) { p.Options = nil })
	whole := captureOf(t, 300)
	broken := map[int][]byte{17: whole[:len(whole)-5], 40: {}, 63: []byte("notes of the experiment\n"), 99: plain}
	var inputs []campaign.Input
	for i := range 100 {
		content, ok := broken[i]
		if !ok {
			content = captureOf(t, 300+i)
		}
		file := save(t, filepath.Join(dir, fmt.Sprintf("%d.pcap", i)), content)
		inputs = append(inputs, runOf(fmt.Sprint(i), file))
	}
	var done atomic.Int64
	co := optionsOf(inputs...)
	co.Options.Interval, co.Done = 100*time.Millisecond, &done
	outcomes := analyze(t, co)
	assert.Assert(t, done.Load() == 100, "%d runs are done", done.Load())
	set := campaign.Group(inputs, outcomes, false)
	n := len(set.Scenarios[0].Runs)
	assert.Check(t, n == 96, "%d runs are left, want 96", n)
	reasons := map[string]string{}
	for _, s := range set.Skipped {
		reasons[s.Run] = s.Reason
	}
	for run, want := range map[string]string{
		"17": "17.pcap: packet 300", "40": "40.pcap", "63": "63.pcap", "99": "99.pcap has no MPTCP connection, only 2 plain TCP connections",
	} {
		assert.Check(t, strings.Contains(reasons[run], want), "run %s is skipped for %q, want a reason that says %q", run, reasons[run], want)
	}
	assert.Check(t, len(reasons) == 4, "%d runs are skipped: %v", len(reasons), reasons)
	got := set.Scenarios[0].Summarize(nil).Metrics["b2a.bytes"].Runs
	assert.Check(t, got == 96, "the mean is over %d runs, want 96", got)
}

// TestRunsEqualSingleAnalyses: a capture, its report and the cache all give the figures of
// analyze.
func TestRunsEqualSingleAnalyses(t *testing.T) {
	dir := t.TempDir()
	file := save(t, filepath.Join(dir, "x.pcap"), captureOf(t, 2000))
	o := engine.Options{Paths: []string{file}, Connection: engine.AllConnections, Interval: 100 * time.Millisecond}
	doc, err := engine.Analyze(context.Background(), o)
	assert.NilError(t, err)
	var text bytes.Buffer
	assert.NilError(t, jsonreport.Write(&text, doc))
	co := optionsOf(runOf("capture", file), runOf("report", save(t, filepath.Join(dir, "x.json"), text.Bytes())))
	co.Options, co.Cache = o, openCache(t, filepath.Join(dir, "cache"), "1")
	calls := 0
	co.Workers, co.Analyze = 1, func(ctx context.Context, o engine.Options) (*report.Document, error) {
		calls++
		return engine.Analyze(ctx, o)
	}
	want, err := campaign.Extract(doc, campaign.AnyConnection)
	assert.NilError(t, err)
	for _, step := range []struct {
		name   string
		change func()
		calls  int
	}{
		{"first", func() {}, 1},
		{"second", func() {}, 1},
		{"another grid", func() { co.Options.Interval = time.Second }, 2},
		{"the first grid again", func() { co.Options.Interval = 100 * time.Millisecond }, 2},
		{"fewer families", func() { co.Options.Omit = catalogue.FamilyOrder }, 3},
		{"all of them again", func() { co.Options.Omit = 0 }, 3},
		{"another version", func() { co.Cache = openCache(t, filepath.Join(dir, "cache"), "2") }, 4},
		{"no cache", func() { co.Cache = nil }, 5},
	} {
		step.change()
		outcomes := analyze(t, co)
		assert.Check(t, calls == step.calls, "%s: %d analyses, want %d", step.name, calls, step.calls)
		if co.Options.Interval != 100*time.Millisecond || co.Options.Omit != 0 {
			continue
		}
		for i, got := range outcomes {
			assert.NilError(t, got.Err, "%s, %s", step.name, co.Inputs[i].Name)
			want.Content, want.Captures = got.Run.Content, got.Run.Captures // the report was made without a hash
			assert.Check(t, is.DeepEqual(got.Run, want), "%s, %s", step.name, co.Inputs[i].Name)
		}
	}
	assert.Check(t, doc.Connections[0].B2A.ProtocolDelay.Avg != 0, "the transfer shows no delay")
	v, _ := want.Figure("b2a.protocol_delay_ms.avg")
	assert.Check(t, v == doc.Connections[0].B2A.ProtocolDelay.Avg, "protocol delay %v, the report's is %v", v, doc.Connections[0].B2A.ProtocolDelay.Avg)
}

// TestCacheOfNewContent: a changed file is analysed again.
func TestCacheOfNewContent(t *testing.T) {
	dir := t.TempDir()
	file := save(t, filepath.Join(dir, "x.pcap"), captureOf(t, 300))
	co := optionsOf(runOf("1", file))
	co.Cache = openCache(t, filepath.Join(dir, "cache"), "1")
	small, _ := analyzed(t, co).Figure("b2a.bytes")
	save(t, file, captureOf(t, 600))
	large, _ := analyzed(t, co).Figure("b2a.bytes")
	assert.Check(t, large > small, "%v bytes of the longer capture, %v of the shorter", large, small)
}

func TestReportsThatAreNone(t *testing.T) {
	for content, want := range map[string]string{
		"{":                    "not a report",
		`{"schema":"other/1"}`: `schema is "other/1"`,
		`{"schema":"mpanalyze/1","captures":[{"file":"y.pcap","truncated":true,"damage":{"message":"cut at packet 3"}}]}`: "y.pcap is damaged: cut at packet 3",
	} {
		refused(t, save(t, filepath.Join(t.TempDir(), "r.json"), []byte(content)), want)
	}
}

// TestRunsStop: after the context ends, no further run begins.
func TestRunsStop(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	dir := t.TempDir()
	file := save(t, filepath.Join(dir, "x.pcap"), captureOf(t, 10))
	begun := 0
	_, err := runs.Analyze(ctx, runs.Options{
		Inputs: slices.Repeat([]campaign.Input{{Files: []string{file}}}, 100), Workers: 1, Connection: campaign.AnyConnection,
		Analyze: func(context.Context, engine.Options) (*report.Document, error) {
			begun++
			cancel()
			return &report.Document{}, nil
		},
	})
	assert.Check(t, err != nil && begun == 1, "%d runs began, error %v", begun, err)
}

// TestRunsOfOnePath: plain TCP is accepted as a run of one path alone and not as a run of a
// scenario, also if a cache has it. Of the 1,011,584 bytes that were sent 1,000,000 are new
// (testdata/sessions/v1/j-plain-server).
func TestRunsOfOnePath(t *testing.T) {
	file := filepath.Join(sessions, "v1", "j-plain-server", "server.pcap.zst")
	o := optionsOf(campaign.Input{Scenario: "wifi", Name: "1", Files: []string{file}, Single: true}, runOf("1", file))
	o.Cache = openCache(t, filepath.Join(t.TempDir(), "cache"), "test")
	for _, when := range []string{"analysed", "kept"} {
		out := analyze(t, o)
		if out[0].Err != nil || out[1].Err == nil || !strings.Contains(out[1].Err.Error(), "only 1 plain TCP connection") {
			t.Fatalf("%s: alone %v, in a scenario %v", when, out[0].Err, out[1].Err)
		}
		good, ok := out[0].Run.Figure("b2a.goodput_mbps.avg")
		all, _ := out[0].Run.Figure("b2a.throughput_mbps.avg")
		want := all * 1000000 / 1011584
		assert.Check(t, ok && all >= 9.9 && math.Abs(good-want) <= 1e-9, "%s: goodput %v of a throughput of %v, want %v", when, good, all, want)
	}
}
