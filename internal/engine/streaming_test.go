package engine_test

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// TestStreamingOfRealSource: a source of 6 Mbit/s, 25 frames a second, wrote 7,500,000
// bytes in 10 s. A player at 6 Mbit/s takes 10 s for them; one at 8 Mbit/s takes 7.5 s and
// stalls for the rest of the time. Two captures give the same as the receiver's; the
// sender's gives nothing.
func TestStreamingOfRealSource(t *testing.T) {
	client, server := "../../testdata/sessions/v1/c-stream-bbr/client.pcapng.zst", "../../testdata/sessions/v1/c-stream-bbr/server.pcapng.zst"
	dir := func(o engine.Options) *report.ConnDir {
		t.Helper()
		o.Connection = engine.AllConnections
		o.Player.Playout = metrics.DefaultPlayout
		return analyzed(t, o).Connections[0].B2A
	}
	slow := dir(engine.Options{Paths: []string{client}, Player: metrics.Player{Bitrate: 6e6}}).Streaming
	assert.Check(t, slow.Played == 10000 && slow.Stalls == 0 && slow.LateChunks == 0, "at 6 Mbit/s: %+v", slow)
	fast := dir(engine.Options{Paths: []string{client}, Player: metrics.Player{Bitrate: 8e6}}).Streaming
	assert.Check(t, fast.Played == 7500 && fast.Stalls != 0, "at 8 Mbit/s: %+v", fast)
	// The last data came in order 10.02 s after the first; the player had 200 ms of data, and the last frames, left.
	if all := fast.Startup + fast.Played + fast.Stalled; all < 10021 || all > 10021+2*200 {
		t.Errorf("start-up, play and stalls take %v ms, want what the source took and at most two buffers", all)
	}
	both := dir(engine.Options{Paths: []string{server}, Receiver: []string{client}, Player: metrics.Player{Bitrate: 8e6}})
	assert.Check(t, reflect.DeepEqual(both.Streaming, fast), "two captures: %+v, the receiver's alone: %+v", both.Streaming, fast)
	alone := dir(engine.Options{Paths: []string{server}, Player: metrics.Player{Bitrate: 8e6, MessageGap: time.Second}})
	if why, _ := alone.Unavailable.Of("streaming"); alone.Streaming != nil || why == "" {
		t.Errorf("at the sender: %+v, %q", alone.Streaming, why)
	}
}

// TestEveryNullIsExplained: whatever the user asks for, each figure of a report is there, or null with a
// reason. So are the metrics with a flag of their own, at either host and in the report on both.
func TestEveryNullIsExplained(t *testing.T) {
	t.Parallel()
	asks := []func(*engine.Options){
		func(o *engine.Options) { o.Skip = time.Hour }, func(o *engine.Options) { o.Until = 50 * time.Millisecond },
		func(o *engine.Options) { o.Direction = report.B2A }, func(o *engine.Options) { o.Interval = time.Minute }, func(o *engine.Options) { o.Interval = 0 },
		func(o *engine.Options) { o.Vantage = report.VantageA }, func(o *engine.Options) { o.Vantage = report.VantageB },
		func(o *engine.Options) { o.Vantage = report.VantageMiddle }, func(o *engine.Options) { o.Clock = clock.None },
		func(o *engine.Options) {
			o.Regret, o.Fairness, o.Player = true, true, metrics.Player{Bitrate: 4e6, Playout: metrics.DefaultPlayout, MessageGap: 20 * time.Millisecond}
		},
	}
	for i, name := range append(bundled(t), session("v1/k-short-bursts/client.pcap.zst")) {
		o := wholly(name)
		if server := strings.Replace(name, "client.", "server.", 1); i%2 == 0 && server != name {
			if _, err := os.Stat(server); err == nil {
				o.Receiver, o.Swap = []string{server}, true
			}
		}
		for j, ask := range asks {
			if (i+j)%(len(asks)/testrun.Cases(len(asks))) == 0 {
				o := o
				ask(&o)
				analyzed(t, o)
			}
		}
	}
}
