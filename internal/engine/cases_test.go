package engine_test

import (
	"math"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

const cases = "../../testdata/cases/"

// The MP_CAPABLE of packet 4 has data and the flag A, but 22 bytes: its checksum is behind the
// option. It is malformed, and may be why b resets the connection. With 24 bytes it is whole.
func TestCapableWithoutChecksum(t *testing.T) {
	for name, want := range map[string]int64{"mp-capable-22-bytes": 4, "mp-capable-24-bytes": 0} {
		doc := analyzed(t, wholly(cases+name+".pcap.zst"))
		c := &doc.Connections[0]
		at := int64(0)
		for _, e := range c.Events {
			if e.Kind == report.EventMalformedOption {
				at = *e.Packet
			}
		}
		warned := int64(0)
		for _, w := range doc.Warnings {
			if w.Code == "malformed_option" && w.Count == 1 {
				warned = *w.Packet
			}
		}
		assert.Check(t, at == want && warned == want, "%s: malformed option in packet %d, warning of packet %d; want %d", name, at, warned, want)
		told := false
		for _, v := range *c.Verdicts {
			told = told || v.Code == report.VerdictMalformed
			assert.Check(t, v.Code != report.VerdictReset || strings.Contains(v.Text, "a possible cause is the malformed option"), "%s: %s", name, v.Text)
		}
		assert.Check(t, told == (want > 0), "%s: verdict malformed_options: %v", name, told)
	}
}

// one returns the only connection of a case and its verdicts.
func one(t *testing.T, name string) (c *report.Connection, verdicts map[report.VerdictCode]bool) {
	t.Helper()
	doc := analyzed(t, wholly(cases+name+".zst"))
	assert.Assert(t, len(doc.Connections) == 1, "%s: %d connections", name, len(doc.Connections))
	verdicts = map[report.VerdictCode]bool{}
	for _, v := range *doc.Connections[0].Verdicts {
		verdicts[v.Code] = true
	}
	return &doc.Connections[0], verdicts
}

// TestCapturedTwice: a sends ten packets of 1000 bytes, each once; the capture has every packet twice.
func TestCapturedTwice(t *testing.T) {
	for _, name := range []string{"twice-ttl.pcap", "twice-vlan.pcap", "twice-2-ms-later.pcap", "twice-lan-and-wan.pcapng"} {
		c, verdicts := one(t, name)
		s := c.Subflows[0].A2B
		if *s.Bytes != 10_000 || s.CapturedSegments != 10 || s.RetransmittedBytes != 0 || s.Drops.Count != 0 || verdicts[report.VerdictSetupSlow] {
			t.Errorf("%s: %d bytes in %d packets, %d retransmitted, %d dropped, verdicts %v", name, *s.Bytes, s.CapturedSegments, s.RetransmittedBytes, s.Drops.Count, verdicts)
		}
	}
}

// TestAcrossGap: each round trip and each DATA_ACK takes 20 ms. In the first capture 300 packets in
// 3.15 s are missing, of which 210 data packets of 1000 bytes.
func TestAcrossGap(t *testing.T) {
	for name, missing := range map[string]int64{"gap.pcap": 210_000, "gap-whole.pcap": 0} {
		c, verdicts := one(t, name)
		s, d := c.Subflows[0].A2B, c.A2B.ProtocolDelay
		if math.Abs(s.SRTT.Avg-20) > 0.1 || math.Abs(s.SRTT.Max-20) > 0.1 || math.Abs(d.Avg-20) > 0.1 || math.Abs(d.Max-20) > 0.1 {
			t.Errorf("%s: SRTT %v, protocol delay %v; want 20 ms", name, s.SRTT, d)
		}
		if verdicts[report.VerdictStalled] || verdicts[report.VerdictCaptureGap] != (missing > 0) || len(c.CaptureGaps) > 1 {
			t.Errorf("%s: verdicts %v, gaps %v", name, verdicts, c.CaptureGaps)
		}
		for _, g := range c.CaptureGaps {
			assert.Check(t, g.DurationS >= 3.15 && g.DurationS <= 3.2 && g.Missing[0].Bytes == missing, "%s: gap %+v", name, g)
		}
	}
}

// TestNothingOutstanding: all data is acknowledged, and after 4 or 60 s the DATA_FIN comes, or the peer
// resets the idle subflow. Nothing stalled, and no path died.
func TestNothingOutstanding(t *testing.T) {
	for _, name := range []string{"idle-then-data-fin.pcap", "idle-60-s-then-close.pcap", "idle-subflow-reset.pcap"} {
		c, verdicts := one(t, name)
		assert.Check(t, !verdicts[report.VerdictStalled] && !verdicts[report.VerdictPathDied], "%s: verdicts %v", name, verdicts)
		for _, h := range *c.A2B.Handovers {
			t.Errorf("%s: handover %+v", name, h)
		}
	}
}

// TestTimeZero: of the same session the first packet is stamped 0, which is a time, and 0.5 s. The SYN/ACK
// comes 20 ms later, the third packet at 20.1 ms; each DATA_ACK comes 20 ms after its data.
func TestTimeZero(t *testing.T) {
	for name, start := range map[string]report.Time{"time-0.pcap": 0, "time-0-later.pcap": 500e6} {
		c, _ := one(t, name)
		s := &c.Subflows[0]
		if c.Start != start || c.Vantage != report.VantageA || s.HandshakeRTT == nil || *s.HandshakeRTT != 20.1 {
			t.Errorf("%s: begins at %v, captured at %s, handshake %v; want %v, a and 20.1 ms", name, c.Start, c.Vantage, s.HandshakeRTT, start)
		}
		if srtt, d := s.A2B.SRTT, c.A2B.ProtocolDelay; srtt == nil || math.Abs(srtt.Avg-20) > 1e-6 || d == nil || math.Abs(d.Avg-20) > 1e-6 {
			t.Errorf("%s: SRTT %v, protocol delay %v; want 20 ms", name, srtt, d)
		}
	}
}

// TestDoubled: the emulated network duplicated two packets of subflow 1 of l-spurious, and none of
// subflow 0. The sender's capture shows that by DSACKs.
func TestDoubled(t *testing.T) {
	c := &analyzed(t, wholly(session("v1/l-spurious/server.pcap.zst"))).Connections[0]
	for i, want := range []int64{0, 2} {
		if n := c.Subflows[i].B2A.NetworkDuplicates; n == nil || *n != want {
			t.Errorf("subflow %d: %v segments doubled, want %d", i, n, want)
		}
	}
}

// TestWhyItHangs: b sends its DATA_FIN at 0.2002 s and six times more up to 12.8002 s, and a never
// acknowledges it. In the other capture 3 of 10 bytes have no mapping, and the DATA_ACK stands still
// behind them from 0.0502 s, when they were sent, to the end at 1.9302 s.
func TestWhyItHangs(t *testing.T) {
	for name, want := range map[string]struct {
		code  report.VerdictCode
		lasts string
	}{
		"data-fin-not-acknowledged.pcap": {report.VerdictFINUnacked, "for 12.6 s"}, "mapping-too-short.pcap": {report.VerdictUnmapped, "for 1.88 s"},
	} {
		c, _ := one(t, name)
		found := false
		for _, v := range *c.Verdicts {
			if v.Code == want.code {
				found = strings.Contains(v.Text, want.lasts) && v.Severity == report.Major
			}
		}
		if !found {
			t.Errorf("%s: no warning %s %s: %+v", name, want.code, want.lasts, *c.Verdicts)
		}
	}
}
