package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/report/reporttest"
)

// TestJSONOfRealCaptures compares the JSON of real sessions with that of encoding/json, except
// for white space, and checks that the reports follow the rules of package report.
func TestJSONOfRealCaptures(t *testing.T) {
	for _, name := range []string{
		"v1/l-spurious/server.pcap.zst", "v1/i-v6-v4/client.pcap.zst", "v1/c-stream-bbr/client.pcapng.zst", // losses, IPv6, two interfaces
		"v1/k-short-bursts/client.pcap.zst",                                      // many connections
		"v1/j-plain-server/client.pcap.zst", "v1/j-strip-synack/client.pcap.zst", // plain TCP, fallback
		"v0/abort/client.pcap.zst", // version 0
	} {
		d, err := engine.Analyze(context.Background(), engine.Options{
			Paths: []string{filepath.Join("../../testdata/sessions", name)}, Interval: 100 * time.Millisecond, Connection: engine.AllConnections,
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := reporttest.Check(d); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var got, text, want bytes.Buffer
		if err := jsonreport.Write(&text, d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(d.Connections)+len(d.TCP) == 0 {
			t.Errorf("%s: no connection", name)
		}
		if err := json.Compact(&got, text.Bytes()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(strings.TrimSuffix(want.String(), "\n"), got.String()); diff != "" {
			t.Errorf("%s (-encoding/json +written):\n%s", name, diff)
		}
	}
}
