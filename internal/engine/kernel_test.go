package engine_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
)

// TestCopiesAsKernelCounts compares copies and losses with the counters of a sender's
// kernel whose own queue dropped packets before the capture. TCPFastRetrans counts segments
// that recovery sent again. The capture lacks those that the queue dropped once more, at
// most as many as TCPLostRetransmit counts.
func TestCopiesAsKernelCounts(t *testing.T) {
	dir := filepath.Join(outside, "suites")
	counters := kernelCounters(t, filepath.Join(dir, "manifest.jsonl"))
	for _, name := range []string{"join-025-ns2.pcap.zst", "join-027-ns2.pcap.zst"} {
		doc, err := engine.Analyze(context.Background(), engine.Options{Paths: []string{filepath.Join(dir, name)}, Interval: 100 * time.Millisecond, Connection: engine.AllConnections})
		if err != nil {
			t.Fatal(err)
		}
		var fast, lost, again int64
		for _, s := range doc.Connections[0].Subflows {
			fast += s.A2B.RetransmissionKinds.Fast
			lost += report.Known(s.A2B.Drops.BeforeCapture)
			again += s.A2B.RetransmittedSegments
		}
		all, twice := counters[name]["TcpExtTCPFastRetrans"], counters[name]["TcpExtTCPLostRetransmit"]
		if fast < all-twice || fast > all {
			t.Errorf("%s: %d fast copies, the kernel counts %d and %d of them lost again", name, fast, all, twice)
		}
		if lost < all-twice-again || lost > all {
			t.Errorf("%s: %d losses before the capture, the kernel sent %d copies", name, lost, all)
		}
	}
}

// kernelCounters reads the counters of the host of each capture.
func kernelCounters(t *testing.T, manifest string) map[string]map[string]int64 {
	t.Helper()
	f, err := os.Open(manifest)
	if err != nil {
		t.Skipf("only where the captures of protocol tests are: %v", err)
	}
	defer f.Close()
	out := map[string]map[string]int64{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line struct {
			File     string           `json:"file"`
			Counters map[string]int64 `json:"kernel_counters_this_side"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		out[line.File] = line.Counters
	}
	return out
}
