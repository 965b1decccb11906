package evidence

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/conn/conntest"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// sampled plays a session of 1.5 s in which a sends 1000 bytes each 10 ms from 100 ms on, acknowledged
// after 20 ms, to a capture at a, and joins samples of ss of a to it: one each 50 ms from 155 ms on, when
// 5 k + 1 segments are sent and 5 k - 1 acknowledged. The stamps are 250 ms late. The other socket with the same ends is an
// earlier one, whose counters do not fit.
func sampled(t *testing.T) (*Records, *report.Connection) {
	t.Helper()
	const ms = time.Millisecond
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	a, b := netip.MustParseAddrPort("10.2.1.1:40000"), netip.MustParseAddrPort("10.2.100.2:5001")
	f := s.Subflow(tracegen.Path{A: a, B: b, Delay: [2]time.Duration{10 * ms, 10 * ms}})
	f.Open(0)
	for i := range int64(140) {
		f.Data(tracegen.A2B, 100*ms+time.Duration(i)*10*ms, 1000*i, 1000)
	}
	var text strings.Builder
	row := func(at time.Duration, inode, sent, acked int64) {
		fmt.Fprintf(&text, "%d.%09d\n", tracegen.Start.Add(at).Unix(), tracegen.Start.Add(at).Nanosecond())
		fmt.Fprintf(&text, "ESTAB 0 4900 %s %s ino:%d sk:1 <->\n\t skmem:(r0,rb131072,t0,tb46080,f0,w7396,o0,bl0,d0) cubic rto:228 rtt:20.5/2.25 mss:1000 cwnd:18 ssthresh:9", a, b, inode)
		fmt.Fprintf(&text, " bytes_sent:%d bytes_retrans:700 bytes_acked:%d bytes_received:0 data_segs_out:%d pacing_rate 14000000bps delivery_rate 3000000bps", sent*1000, acked*1000+1, sent)
		fmt.Fprintf(&text, " busy:100ms rwnd_limited:24ms(0.3%%) sndbuf_limited:11ms(0.1%%) app_limited unacked:2 retrans:0/12 lost:2 notsent:1500 rcv_space:14480 rcv_ssthresh:64088 minrtt:19.75 snd_wnd:65536")
		fmt.Fprintf(&text, " tcp-ulp-mptcp flags:Mec token:0000(id:7)/%08x(id:3)\n", s.Token(tracegen.A2B))
		fmt.Fprintf(&text, "ESTAB 44 0 %s %s ino:%d sk:3 <->\n\t skmem:(r0,rb131073,t0,tb50176,f0,w12040,o0,bl0,d0) subflows:1 subflows_max:4 add_addr_accepted_max:3 remote_key token:%08x", a, b, inode, s.Token(tracegen.A2B))
		fmt.Fprintf(&text, " bytes_sent:%d bytes_retrans:701 bytes_acked:%d bytes_received:5 retransmits:6\n", sent*1000+1, acked*1000)
	}
	row(-60*time.Second, 9, 900, 900)
	for k := range int64(25) {
		row(155*ms+time.Duration(k)*50*ms+250*ms, 11, 5*(k+1)+1, 5*(k+1)-1)
	}
	x, err := Read([]hosts.Source{{Path: logFile(t, text.String())}}, nil)
	assert.NilError(t, err)
	conntest.Play(t, s, tracegen.HostA, x.Module(func(*conn.Subflow) string { return "p" }))
	c := &report.Connection{
		Start: report.Time(tracegen.Start.UnixNano()), TokenA: new(fmt.Sprintf("0x%08x", s.Token(tracegen.A2B))), Vantage: report.VantageA,
		Subflows: []report.Subflow{{A: report.Endpoint{Addr: "10.2.1.1", Port: 40000}, B: report.Endpoint{Addr: "10.2.100.2", Port: 5001}, A2B: &report.SubDir{}, B2A: &report.SubDir{}}},
		A2B:      &report.ConnDir{}, B2A: &report.ConnDir{},
	}
	return x, c
}

// values returns the numbers of a part of a report by their names there; the mean of a distribution.
func values(t *testing.T, part any) map[string]float64 {
	t.Helper()
	text, err := json.Marshal(part)
	assert.NilError(t, err)
	var all map[string]any
	assert.NilError(t, json.Unmarshal(text, &all))
	out := map[string]float64{}
	for name, v := range all {
		if stat, ok := v.(map[string]any); ok {
			v = stat["avg"]
		}
		if n, ok := v.(float64); ok {
			out[name] = n
		}
	}
	return out
}

// TestJoin: the rows of a session are those of its subflow, and each number of the last row has its
// place. A row lies in the middle of the 10 ms in which the packets had its counters, so that the clock
// is known to 5 ms.
func TestJoin(t *testing.T) {
	x, c := sampled(t)
	doc := &report.Document{}
	x.Finish(doc)
	x.Connection(c)
	k := c.Subflows[0].Kernel.A
	for what, pair := range map[string][2]map[string]float64{
		"clock": {{"offset_ms": -250, "uncertainty_ms": 5, "rows": 25}, values(t, doc.Hosts[0].Clock)},
		"subflow": {{
			"rows": 25, "first_s": 0.155, "last_s": 1.355, "cwnd_segments": 18, "ssthresh_segments": 9, "srtt_ms": 20.5, "rttvar_ms": 2.25, "rto_ms": 228,
			"pacing_mbps": 14, "delivery_mbps": 3, "not_sent_bytes": 1500, "send_queue_bytes": 4900, "receive_space_bytes": 14480, "receive_ssthresh_bytes": 64088,
			"receive_buffer_bytes": 131072, "send_window_bytes": 65536, "bytes_sent": 126_000, "bytes_acked": 124_001, "bytes_received": 0, "bytes_retransmitted": 700,
			"data_segments_sent": 126, "retransmitted_segments": 12, "min_rtt_ms": 19.75, "busy_ms": 100, "rwnd_limited_ms": 24, "sndbuf_limited_ms": 11,
			"lost_segments_max": 2, "backoff_max": 0, "application_limited_rows": 25, "address_id_local": 3, "address_id_remote": 7,
		}, values(t, k)},
		"connection": {{ // its socket has the row of the earlier subflow, too, 60 s before
			"rows": 26, "first_s": -60.25, "last_s": 1.355, "subflows_max": 4, "add_addr_accepted_max": 3, "bytes_sent": 126_001, "bytes_acked": 124_000, "bytes_received": 5,
			"bytes_retransmitted": 701, "retransmits": 6, "receive_queue_bytes": 44, "send_buffer_bytes": 50_176, "send_memory_bytes": 12_040, "receive_buffer_bytes": 131_073,
		}, values(t, c.Kernel.A)},
	} {
		assert.Check(t, is.DeepEqual(pair[1], pair[0], cmpopts.EquateApprox(0, 1e-9)), "%s", what)
	}
	g := k.Agreement
	for name, got := range map[string][2]int64{
		"bytes_sent": {g.BytesSent.Agree, g.BytesSent.Rows}, "bytes_acked": {g.BytesAcked.Agree, g.BytesAcked.Rows},
		"data_segments_sent": {g.DataSegmentsSent.Agree, g.DataSegmentsSent.Rows}, "cwnd": {g.Cwnd.Agree, g.Cwnd.Rows},
	} {
		if got != [2]int64{25, 25} {
			t.Errorf("%s: %d of %d rows agree, want 25 of 25", name, got[0], got[1])
		}
	}
	if side := doc.Hosts[0].Host; side == nil || *side != report.SideA || len(doc.Warnings) != 0 || c.Kernel.B != nil || c.Subflows[0].Kernel.B != nil || *c.Kernel.A.Token != *c.TokenA {
		t.Errorf("host %v, warnings %v", side, doc.Warnings)
	}
}

// TestJoinSeries: a series has a value of each row at its time, in the direction of the data that its
// host sends.
func TestJoinSeries(t *testing.T) {
	x, _ := sampled(t)
	x.Finish(&report.Document{})
	sink := &seen{values: map[string]float64{}, dirs: map[string]report.Direction{}, first: map[string]report.SeriesRow{}}
	assert.NilError(t, x.WriteSeries(Series{Sink: sink, Wanted: func(string) bool { return true }, Selected: func(id int) bool { return id == 0 }}))
	for name, want := range map[string]float64{
		"kernel_cwnd_segments": 18, "kernel_srtt_ms": 20.5, "kernel_pacing_mbps": 14, "kernel_not_sent_bytes": 1500, "kernel_unacked_segments": 2, "kernel_send_queue_bytes": 4900,
		"kernel_receive_queue_bytes": 44, "kernel_send_memory_bytes": 12_040,
	} {
		first := sink.first[name]
		sub, at := 0, 155*time.Millisecond
		if name == "kernel_receive_queue_bytes" || name == "kernel_send_memory_bytes" { // of the connection, whose first row is an earlier one
			sub, at = report.NoSubflow, -60_250*time.Millisecond
		}
		if first.SeriesLine == nil || first.Value != want || first.Subflow != sub || first.T != at.Nanoseconds() || first.Direction != report.A2B || first.Connection != 0 {
			t.Errorf("%s: %+v of %+v, want %g of subflow %d at %v", name, first, first.SeriesLine, want, sub, at)
		}
	}
}
