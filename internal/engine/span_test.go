package engine_test

import (
	"math"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
)

// TestSpanOfPair: for a part of the time, two captures have the same shares, and figures
// derived from them, as the capture at the host that sends the data.
func TestSpanOfPair(t *testing.T) {
	client, server := session("v1/p-skew/client.pcap.zst"), session("v1/p-skew/server.pcap.zst")
	span := func(paths, receiver []string) *report.Connection {
		doc := analyzed(t, engine.Options{
			Paths: paths, Receiver: receiver, Clock: clock.Auto, Connection: engine.AllConnections,
			Interval: 100 * time.Millisecond, Skip: 500 * time.Millisecond, Until: 1500 * time.Millisecond,
		})
		return &doc.Connections[0]
	}
	alone, both := span([]string{client}, nil), span([]string{client}, []string{server})
	a, b := alone.A2B, both.A2B
	if *a.Overhead != *b.Overhead || *a.AggregationBenefit != *b.AggregationBenefit || *a.Bytes != *b.Bytes {
		t.Errorf("overhead %v %%, benefit %v; the sender's capture alone: %v %%, %v", *b.Overhead, *b.AggregationBenefit, *a.Overhead, *a.AggregationBenefit)
	}
	sum := 0.0
	for i := range a.Paths {
		x, y := &a.Paths[i], &b.Paths[i]
		sum += *y.Percent
		if x.Path != y.Path || math.Abs(*x.Percent-*y.Percent) > 1e-9 || *x.FirstBytes != *y.FirstBytes {
			t.Errorf("path %s: %v %%, the sender's capture alone: %s, %v %%", y.Path, *y.Percent, x.Path, *x.Percent)
		}
		whole := 100 * float64(*y.FirstBytes) / float64(*b.Bytes)
		if math.Abs(whole-*y.Percent) < 0.01 {
			t.Errorf("path %s: %v %% in this second as of the whole connection: nothing is shown", y.Path, *y.Percent)
		}
	}
	assert.Check(t, math.Abs(sum-100) <= 1e-9, "the shares are %v %% together", sum)
	for i := range alone.Subflows {
		x, y := alone.Subflows[i].A2B, both.Subflows[i].A2B
		if *x.Share != *y.Share || x.Bursts.Count != y.Bursts.Count {
			t.Errorf("subflow %d: %v %% in %d runs; the sender's capture alone: %v %% in %d", i, *y.Share, y.Bursts.Count, *x.Share, x.Bursts.Count)
		}
	}
}
