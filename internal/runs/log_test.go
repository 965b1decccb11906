package runs_test

import (
	"context"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/runs"
)

const cases = "../../testdata/cases/"

// rowsOfSS returns the rows of ss of host b of the case records.
func rowsOfSS(t *testing.T) []byte {
	t.Helper()
	packed, err := os.Open(cases + "records.ss.zst")
	assert.NilError(t, err)
	defer packed.Close()
	d, err := zstd.NewReader(packed)
	assert.NilError(t, err)
	defer d.Close()
	text, err := io.ReadAll(d)
	assert.NilError(t, err)
	return text
}

// A log of ss is a run: its figures are those that the same rows have beside the capture, and
// labels name its paths.
func TestLogAsRun(t *testing.T) {
	name := save(t, filepath.Join(t.TempDir(), "ss.txt"), rowsOfSS(t))
	labels := []engine.Label{{Prefix: netip.MustParsePrefix("0.0.0.0/0"), Name: "all"}}
	run := func(o runs.Options) (*campaign.Run, error) {
		o.Inputs = []campaign.Input{{Scenario: "x", Name: "1", Files: []string{name}}}
		o.Options.Connection = engine.AllConnections
		out := analyze(t, o)
		return out[0].Run, out[0].Err
	}
	r, err := run(runs.Options{Connection: campaign.AnyConnection, Options: engine.Options{Labels: labels}})
	assert.NilError(t, err)
	if r.Vantage != report.VantageB || r.Bulk != report.B2A || !r.Log || strings.Join(r.Paths, ",") != "all" {
		t.Errorf("at %s, %s, log %v, paths %q", r.Vantage, r.Bulk, r.Log, r.Paths)
	}
	var sent, segments int64
	doc, err := engine.Analyze(context.Background(), engine.Options{
		Paths: []string{cases + "records.pcap.zst"}, Connection: engine.AllConnections, Interval: metrics.DefaultInterval, QoE: metrics.DefaultQoE,
		Evidence: []hosts.Source{{End: report.SideB, Path: name}},
	})
	assert.NilError(t, err)
	for i := range doc.Connections[0].Subflows {
		k := doc.Connections[0].Subflows[i].Kernel.B
		sent, segments = sent+*k.BytesSent, segments+*k.DataSegmentsSent
	}
	assert.Assert(t, sent != 0 && segments != 0, "the rows have no data")
	v, ok := r.Figure("b2a." + campaign.AllPathsSent)
	assert.Check(t, ok && int64(v) == sent, "%v bytes, want %d", v, sent)
	total := 0.0
	for i, figure := range r.Names {
		if strings.HasSuffix(figure, ".kernel_data_segments_sent") {
			total += r.Values[i]
		}
	}
	assert.Check(t, int64(total) == segments, "%v segments, want %d", total, segments)
	if r, err := run(runs.Options{Connection: campaign.AnyConnection, Options: engine.Options{Vantage: report.VantageA}}); err != nil || r.Bulk != report.A2B {
		t.Errorf("at a by the user's word: %v, %v", r, err)
	}
	if _, err := run(runs.Options{Connection: 0}); err == nil || !strings.Contains(err.Error(), "--connection") {
		t.Errorf("an id of a connection: %v", err)
	}
	if _, err := run(runs.Options{Connection: campaign.AnyConnection, Options: engine.Options{Vantage: report.VantageMiddle}}); err == nil {
		t.Error("a log between the hosts is taken")
	}
}
