package engine

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// TestEndOfTwo: of two captures, each figure that one end gives is that of the capture at that
// end alone, and no figure of that capture is absent.
func TestEndOfTwo(t *testing.T) {
	dir := filepath.Join("..", "..", "testdata", "sessions", "campaign", "olia", "run1")
	client, server := filepath.Join(dir, "client.pcap.zst"), filepath.Join(dir, "server.pcap.zst")
	figures := func(o Options) map[string]float64 {
		t.Helper()
		o.Interval, o.QoE, o.Connection, o.OneGoroutine = metrics.DefaultInterval, metrics.DefaultQoE, AllConnections, true
		doc, err := Analyze(context.Background(), o)
		assert.NilError(t, err)
		run, err := campaign.Extract(doc, campaign.AnyConnection)
		assert.NilError(t, err)
		out := map[string]float64{}
		for i, name := range run.Names {
			out[name] = run.Values[i]
		}
		return out
	}
	// The server sends what goes from b to a, and receives the rest.
	alone := map[string]map[string]float64{"client": figures(Options{Paths: []string{client}}), "server": figures(Options{Paths: []string{server}})}
	at := map[[2]string]string{
		{"b2a", catalogue.AtSender}: "server", {"b2a", catalogue.AtReceiver}: "client",
		{"a2b", catalogue.AtSender}: "client", {"a2b", catalogue.AtReceiver}: "server",
	}
	for _, end := range []report.Host{report.SenderHost, report.ReceiverHost} {
		both := figures(Options{Paths: []string{server}, Receiver: []string{client}, End: end})
		compared, differ := 0, 0
		for name, v := range both {
			n := campaign.NameOf(name)
			json, _, _ := strings.Cut(n.Metric, ".")
			from := fromTwo(json, string(end))
			if from == catalogue.AtBoth {
				continue
			}
			host, other := at[[2]string{n.Direction, from}], at[[2]string{n.Direction, map[string]string{catalogue.AtSender: catalogue.AtReceiver, catalogue.AtReceiver: catalogue.AtSender}[from]}]
			if want, ok := alone[host][name]; !ok || v != want {
				t.Errorf("--end %s: %s is %v, the %s alone has %v (%v)", end, name, v, host, want, ok)
			}
			compared++
			if w, ok := alone[other][name]; ok && w != v {
				differ++
			}
		}
		assert.Check(t, compared >= 500 && differ >= 100, "--end %s: %d figures compared, %d with two forms", end, compared, differ)
		for name := range alone[at[[2]string{"b2a", string(end)}]] {
			if _, ok := both[name]; !ok && strings.HasPrefix(name, "b2a.") {
				t.Errorf("--end %s: no %s", end, name)
			}
		}
	}
}

func fromTwo(json, end string) string {
	for _, m := range catalogue.Lookup(metrics.Table(), json) {
		return m.FromTwo(end)
	}
	return end
}
