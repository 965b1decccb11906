package engine_test

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// cutAt analyses the capture of host A with that many bytes of each packet, and counts the
// values of its series, a2b.
func cutAt(t *testing.T, n *tracegen.Network, snap int) (*report.Connection, seriesCount) {
	t.Helper()
	doc, series := cutDocument(t, n, snap)
	assert.Assert(t, len(doc.Connections) == 1, "%d connections, want 1", len(doc.Connections))
	return &doc.Connections[0], series
}

func cutDocument(t *testing.T, n *tracegen.Network, snap int) (*report.Document, seriesCount) {
	t.Helper()
	file := viewed(t, n, tracegen.HostA, tracegen.Format{Nanosecond: true, SnapLen: snap})
	series := seriesCount{}
	o := everything(bytes.NewReader(file))
	o.Rows = series
	doc := analyzed(t, o)
	return doc, series
}

// seriesCount counts the values of series of what A sends, by name.
type seriesCount map[string]int

func (seriesCount) Chunks([]report.ChunkRow) error     { return nil }
func (seriesCount) Mappings([]report.MappingRow) error { return nil }
func (seriesCount) Event(*report.EventRow) error       { return nil }

func (n seriesCount) Series(rows []report.SeriesRow) error {
	for _, r := range rows {
		if r.Direction == report.A2B {
			n[r.Metric]++
		}
	}
	return nil
}

// TestCutMappings captures too few bytes. Ethernet, IP and TCP take 54 bytes with IPv4 and
// 74 with IPv6. MP_JOIN in a SYN follows 12 bytes of other options, with timestamps 24, and
// takes 12; a DSS with mapping takes 26 after 0 or 12. Figures of the subflows whose
// options are whole are right; the sum and all that follows from it is not known.
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
		c, series := cutAt(t, s.Network(), tt.snap)
		d := c.A2B
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
			"goodput_mbps": d.Goodput != nil, "overhead_percent_of_data": d.Overhead != nil, "reinjected_bytes": d.ReinjectedBytes != nil,
			"protocol_delay_ms": d.ProtocolDelay != nil, "dsn_offset_bytes": d.DSNOffset != nil, "out_of_order": d.OutOfOrder != nil,
			"rwnd_free_bytes": d.RwndFreeBytes != nil, "aggregation_benefit": d.AggregationBenefit != nil,
		} {
			why, _ := d.Unavailable.Of(name)
			assert.Check(t, has == known && (known || strings.HasPrefix(why, "options_cut: ")), "%s: %s is known: %v, because %q", tt.name, name, has, why)
		}
		assert.Check(t, series["throughput"] != 0, "%s: no values of the throughput, which rests on no option", tt.name)
		// The third of 30 packets is the first whose mapping may be missing.
		for _, name := range []string{"path_delay", "hol_wait", "dsn_offset", "rwnd_free"} {
			if n := series[name]; known && n < 25 || !known && n > 3 {
				t.Errorf("%s: %d values of the series %s", tt.name, n, name)
			}
		}
	}
}

// isCount checks a count; -1 means that it is not known, which needs a reason.
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

// TestCutSACK captures all of the mappings and DATA_ACKs, but not the SACK blocks after
// them. Ethernet, IPv4 and TCP take 54 bytes, a DSS with a mapping 14 and 2 of padding, one
// with a DATA_ACK 8, then a SACK block 10 and 2. Of 20 segments the third is lost, so 17
// ACKs repeat the one before and report what came.
func TestCutSACK(t *testing.T) {
	for _, tt := range []struct {
		snap                       int
		acks, blocks, dsack, drops int64 // -1 = not known
	}{
		{54 + 8 + 12, 17, 17, 0, 1},
		{54 + 16, -1, -1, -1, -1},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1, HeaderOnly: 1, NoTimestamps: true, DSN4: true, DataAck4: true, DataSeqOnly: true})
		f := s.Subflow(tracegen.Path{A: netip.MustParseAddrPort("10.0.0.1:1000"), B: netip.MustParseAddrPort("10.0.0.2:80")})
		f.Open(0)
		for i := range 20 {
			x := f.Data(tracegen.A2B, time.Duration(100+i)*time.Millisecond, int64(i)*1000, 1000)
			if i == 2 {
				x.Lose()
				x.Again(200 * time.Millisecond)
			}
		}
		c, _ := cutAt(t, s.Network(), tt.snap)
		at := fmt.Sprintf("%d bytes", tt.snap)
		data, acks := c.Subflows[0].A2B, c.Subflows[0].B2A
		isCount(t, at+": bytes", data.Bytes, 21_000, data.Unavailable, "bytes")
		isCount(t, at+": duplicate ACKs", acks.DupAcks, tt.acks, acks.Unavailable, "dup_acks")
		isCount(t, at+": SACK blocks", acks.SACKBlocks, tt.blocks, acks.Unavailable, "sack_blocks")
		isCount(t, at+": DSACK blocks", acks.DSACKBlocks, tt.dsack, acks.Unavailable, "dsack_blocks")
		var drops *int64
		if data.Drops != nil {
			drops = &data.Drops.Count
		}
		isCount(t, at+": drops", drops, tt.drops, data.Unavailable, "drops")
		if known := data.RetransmissionKinds != nil; known != (tt.drops >= 0) {
			t.Errorf("%s: the kinds of retransmissions are known: %v", at, known)
		}
	}
}

// TestCutOptionsTellNothing: if the capture missed or cut off the options that show version
// and checksums, both are null with the reason, and not version 1 without checksums.
func TestCutOptionsTellNothing(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 0, Checksum: true, DSN4: true, DataAck4: true, AckEvery: 1, NoTimestamps: true})
	f := s.Subflow(onPath(0))
	f.Assume()
	for i := range int64(4) {
		f.Data(tracegen.A2B, time.Duration(i)*msec, 1000*i, 1000)
	}
	f.Ack(tracegen.A2B, 60*msec)
	// It is MPTCP by its DATA_ACKs alone: they end at byte 14 + 20 + 20 + 8, and
	// mappings do not.
	doc, _ := cutDocument(t, s.Network(), 62)
	assert.Assert(t, len(doc.Connections) == 1, "%d connections, want 1", len(doc.Connections))
	c := &doc.Connections[0]
	version, _ := c.Unavailable.Of("version")
	checksum, _ := c.Unavailable.Of("checksum")
	if c.Version != nil || c.Checksum != nil || version == "" || checksum == "" {
		t.Errorf("version %v, checksum %v; %q and %q", c.Version, c.Checksum, version, checksum)
	}
}
