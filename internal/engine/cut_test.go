package engine_test

import (
	"bytes"
	"context"
	"net/netip"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// cutAt analyses what host A captures of the network with that many octets of
// each packet.
func cutAt(t *testing.T, n *tracegen.Network, snap int) *report.Connection {
	var file bytes.Buffer
	if err := n.Write(&file, tracegen.HostA, tracegen.Format{Nanosecond: true, SnapLen: snap}); err != nil {
		t.Fatal(err)
	}
	doc, err := engine.Analyze(context.Background(), engine.Options{
		Paths: []string{"-"}, Stdin: &file, Interval: 100 * time.Millisecond, Connection: engine.AllConnections,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Check(); err != nil {
		t.Error(err)
	}
	if len(doc.Connections) != 1 {
		t.Fatalf("%d connections, want 1", len(doc.Connections))
	}
	return &doc.Connections[0]
}

// TestCutMappings captures too little. Ethernet, IP and TCP take 54 octets of
// IPv4 and 74 of IPv6, MP_JOIN in a SYN begins behind 12 of other options, with
// timestamps 24, and takes 12; a DSS with mapping takes 26 behind 0 or 12. What
// one subflow carried is right, the sum and all that follows from it unknown.
func TestCutMappings(t *testing.T) {
	for _, tt := range []struct {
		name  string
		plain bool // no timestamps
		snap  int
		bytes [2]int64 // of the subflows; -1 = not known
		all   int64
	}{
		{"whole", false, 0, [2]int64{20_000, 10_000}, 30_000},
		{"all but enough", true, 74 + 26, [2]int64{20_000, 10_000}, 30_000},
		{"mappings of IPv6 cut", true, 74 + 25, [2]int64{20_000, -1}, -1},
		{"joins of IPv6 cut", false, 54 + 12 + 26, [2]int64{20_000, -1}, -1},
		{"mappings cut", false, 54 + 12 + 25, [2]int64{-1, -1}, -1},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1, HeaderOnly: 1, NoTimestamps: tt.plain})
		four := s.Subflow(tracegen.Path{A: netip.MustParseAddrPort("10.0.0.1:1000"), B: netip.MustParseAddrPort("10.0.0.2:80")})
		six := s.Subflow(tracegen.Path{A: netip.MustParseAddrPort("[fd00::1]:1001"), B: netip.MustParseAddrPort("[fd00::2]:80")})
		four.Open(0)
		six.Open(100 * time.Millisecond)
		for i := range 30 {
			f, at := four, time.Duration(200+10*i)*time.Millisecond
			if i%3 == 2 {
				f = six
			}
			f.Data(tracegen.A2B, at, int64(i)*1000, 1000)
		}
		c := cutAt(t, s.Network(), tt.snap)
		d := &c.A2B
		for i := range c.Subflows {
			isCount(t, tt.name+": subflow's bytes", c.Subflows[i].A2B.Bytes, tt.bytes[i], c.Subflows[i].A2B.Unavailable, "bytes")
		}
		isCount(t, tt.name+": bytes", d.Bytes, tt.all, d.Unavailable, "bytes")
		if c.Fallback != nil {
			t.Errorf("%s: fell back: %s", tt.name, *c.Fallback)
		}
		isCount(t, tt.name+": bytes back", c.B2A.Bytes, 0, c.B2A.Unavailable, "bytes")
		known := tt.all >= 0
		for name, has := range map[string]bool{
			"goodput_mbps": d.Goodput != nil, "overhead_percent": d.Overhead != nil, "reinjected_bytes": d.ReinjectedBytes != nil,
			"protocol_delay_ms": d.ProtocolDelay != nil, "dsn_offset_bytes": d.DSNOffset != nil, "out_of_order": d.OutOfOrder != nil,
			"rwnd_free_bytes": d.RwndFree != nil, "aggregation_benefit": d.AggregationBenefit != nil,
		} {
			why, _ := d.Unavailable.Of(name)
			if has != known || !known && !strings.HasPrefix(why, "options_cut: ") {
				t.Errorf("%s: %s is known: %v, because %q", tt.name, name, has, why)
			}
		}
	}
}

// isCount checks a count; -1 stands for one that is not known, for which there
// must be a reason.
func isCount(t *testing.T, what string, got *int64, want int64, reasons report.Reasons, metric string) {
	t.Helper()
	why, _ := reasons.Of(metric)
	switch {
	case want < 0 && (got != nil || !strings.HasPrefix(why, "options_cut: ")):
		t.Errorf("%s: %v, reason %q, want none as options were cut", what, got, why)
	case want >= 0 && (got == nil || *got != want):
		t.Errorf("%s: %v, want %d", what, got, want)
	}
}
