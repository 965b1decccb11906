package cli_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// TestBothHostsAgreeWithReport: the highest jitter of each path, the longest end-to-end
// delay and the largest offset that the figures show are those of the report, whose
// figures other code computes. Sent and received data both end at the last byte.
func TestBothHostsAgreeWithReport(t *testing.T) {
	for _, session := range []string{"v1/l-single-loss", "v1/p-skew"} {
		kind, err := plot.KindNamed("rec16")
		assert.NilError(t, err)
		analyze := func(o engine.Options, cfg timeline.Config) *plot.Run {
			t.Helper()
			store := timeline.New(cfg)
			o.Connection, o.Interval, o.Rows, o.Series = engine.AllConnections, 100e6, store, store.Wants
			if o.Receiver != nil {
				o.Packets = store
			}
			doc, err := engine.Analyze(context.Background(), o)
			assert.NilError(t, err)
			return &plot.Run{Document: doc, Store: store, Connection: plot.AllConnections}
		}
		files := map[report.Host]string{
			report.SenderHost:   filepath.Join(sessions, session, "server.pcap.zst"),
			report.ReceiverHost: filepath.Join(sessions, session, "client.pcap.zst"),
		}
		r := analyze(engine.Options{Paths: []string{files[report.SenderHost]}, Receiver: []string{files[report.ReceiverHost]}}, kind.Config(nil, 0, 0))
		assert.NilError(t, r.Resolve())
		r.Receiver = analyze(engine.Options{Paths: []string{files[r.ReceivingHost()]}}, kind.ArrivalConfig())
		f, err := kind.Make([]*plot.Run{r}, nil)
		assert.NilError(t, err)
		highest := func(panel int, name string) (most float64) {
			for _, l := range f.Panels[panel].Layers {
				if name == "" || l.Name == name {
					for _, c := range l.XY {
						most = max(most, c.Hi, -c.Lo)
					}
				}
			}
			return most
		}
		c := &r.Document.Connections[0]
		d := c.A2B
		if r.Direction == report.B2A {
			d = c.B2A
		}
		near := func(what string, got, want float64) {
			t.Helper()
			assert.Check(t, want != 0 && math.Abs(got-want) <= 2e-3*want, "%s, %s: %v in the figure, %v in the report", session, what, got, want)
		}
		near("end-to-end delay", highest(3, ""), d.EndToEnd.Max)
		near("offset, kB", highest(1, "")*1e3, float64(d.DSNOffset.Peak))
		sent, received := 0.0, highest(0, "received")
		for i := range c.Subflows {
			s := &c.Subflows[i]
			sent = max(sent, highest(0, s.Path))
			x := s.A2B
			if r.Direction == report.B2A {
				x = s.B2A
			}
			if x.Jitter != nil {
				near("jitter of "+s.Path, highest(4, s.Path), x.Jitter.Max)
			}
		}
		assert.Check(t, sent == received && sent != 0, "%s: data is sent up to %v and received up to %v", session, sent, received)
	}
}
