package engine_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// secondPathRows are two samples of the sockets of the second path and of the connection. What tells that the
// rows are of this connection is as in the records of the case; each other number is another one, and in the second
// sample greater by 2.
func secondPathRows() (text string) {
	for i, sample := range []string{
		"1795627224.400167337 bytes_sent:52337 bytes_retrans:0 bytes_acked:41237 data_segs_out:41",
		"1795627225.588115446 bytes_sent:90102 bytes_retrans:5420 bytes_acked:79262 data_segs_out:71",
	} {
		stamp, counters, _ := strings.Cut(sample, " ")
		n := func(v int) int { return v + 2*i }
		text += stamp + fmt.Sprintf("\nESTAB 0 %d 10.2.100.2:5001 10.2.2.1:39985 ino:345212 sk:1408 <->\n"+
			"\t skmem:(r0,rb%d,t0,tb46080,f0,w0,o0,bl0,d0) ts sack cubic wscale:10,10 rto:%d rtt:%d/%d mss:1448 cwnd:%d ssthresh:%d"+
			" %s bytes_received:%d pacing_rate %d000000bps delivery_rate %d000000bps"+
			" app_limited busy:%dms rwnd_limited:%dms(1.0%%) sndbuf_limited:%dms(2.0%%) retrans:0/%d lost:%d backoff:%d rcv_space:%d rcv_ssthresh:%d notsent:%d minrtt:%d snd_wnd:%d"+
			" tcp-ulp-mptcp flags:Jec token:0000(id:2)/b278fd91(id:5) seq:45d5bbf4949a8d6c sfseq:0 ssnoff:7c6579b6 maplen:0\n"+
			"ESTAB %d 0 10.2.100.2:5001 10.2.1.1:48792 ino:345212 sk:40f <->\n"+
			"\t skmem:(r0,rb%d,t0,tb%d,f0,w%d,o0,bl0,d0) subflows:1 subflows_max:%d add_addr_accepted_max:%d remote_key token:b278fd91"+
			" write_seq:a4ddfa7d00000%03x snd_una:a4ddfa7d00000000 rcv_nxt:45d5bbf4949a8d6c bytes_sent:%d bytes_received:%d bytes_acked:%d bytes_retrans:%d retransmits:%d\n",
			n(10), n(20), n(300), n(40), n(50), n(60), n(70), counters, n(110), n(130), n(140),
			n(1500), n(160), n(170), n(180), n(190), n(1), n(200), n(210), n(220), n(30), n(240),
			n(250), n(260), n(270), n(280), n(5), n(7), n(0x290), n(300), n(310), n(320), n(330), n(340))
	}
	return text
}

// twoRows is the stat of a number and of the number that is greater by 2.
func twoRows(v float64) *report.KernelStat {
	return &report.KernelStat{Avg: v + 1, Min: v, Max: v + 2, P50: v + 1, P95: v + 1.9, Stddev: 1, Samples: 2, Evidence: report.FromKernel}
}

// TestRecordFields: each number of a row goes into the field of that meaning. ss prints the remote token and
// address id before the local ones.
func TestRecordFields(t *testing.T) {
	doc := withRecords(t, hosts.Source{End: report.SideB, Path: ssFile(t, secondPathRows())})
	c := &doc.Connections[0]
	at := func(stamp int64) *float64 {
		return new(float64(stamp-int64(c.Start))/1e9 + *doc.Hosts[0].Clock.OffsetMS/1e3)
	}
	nearly := cmpopts.EquateApprox(0, 1e-9)
	notThere := cmpopts.IgnoreFields(report.SubflowKernel{}, "Agreement", "Unavailable", "FirstS", "LastS")
	want := &report.SubflowKernel{
		Rows: 2, CongestionControl: []string{"cubic"}, SendQueue: twoRows(10), ReceiveBuffer: twoRows(20), RTO: twoRows(300), SRTT: twoRows(40), RTTVar: twoRows(50), Cwnd: twoRows(60), Ssthresh: twoRows(70),
		BytesSent: new(int64(90102)), BytesRetransmitted: new(int64(5420)), BytesAcked: new(int64(79262)), BytesReceived: new(int64(112)), DataSegmentsSent: new(int64(71)), Pacing: twoRows(130), Delivery: twoRows(140),
		Busy: new(1502.0), RwndLimited: new(162.0), SndbufLimited: new(172.0), RetransmittedSegments: new(int64(182)), LostMax: 192, BackoffMax: 3, ReceiveSpace: twoRows(200), ReceiveSsthresh: twoRows(210), NotSent: twoRows(220), MinRTT: new(32.0), SendWindow: twoRows(240),
		ApplicationLimited: 2, AddressIDLocal: new(5), AddressIDRemote: new(2), StateLast: "ESTAB",
	}
	assert.Check(t, is.DeepEqual(c.Subflows[1].Kernel.B, want, notThere, nearly), "subflow")
	of := &report.ConnectionKernel{
		Token: new("0xb278fd91"), Rows: 2, ReceiveQueue: twoRows(250), ReceiveBuffer: twoRows(260), SendBuffer: twoRows(270), SendMemory: twoRows(280), SubflowsMax: 7, AddAddrAcceptedMax: 9, Unacknowledged: twoRows(0x290),
		BytesSent: new(int64(302)), BytesReceived: new(int64(312)), BytesAcked: new(int64(322)), BytesRetransmitted: new(int64(332)), Retransmits: new(int64(342)), FirstS: at(1795627224_400167337), LastS: at(1795627225_588115446),
	}
	assert.Check(t, is.DeepEqual(c.Kernel.B, of, cmpopts.IgnoreFields(report.ConnectionKernel{}, "Unavailable"), nearly), "connection")
}

// TestAgreementOfRows: rows with a round trip that is 5 ms longer, and with a window that is a segment, differ
// from the packets by that; equal counters agree.
func TestAgreementOfRows(t *testing.T) {
	text := recordsText(t)
	rtt := regexp.MustCompile(`( rtt:)([0-9.]+)/`)
	late := rtt.ReplaceAllStringFunc(text, func(s string) string {
		m := rtt.FindStringSubmatch(s)
		v, _ := strconv.ParseFloat(m[2], 64)
		return fmt.Sprintf("%s%v/", m[1], v+5)
	})
	small := regexp.MustCompile(` cwnd:\d+`).ReplaceAllString(late, " cwnd:1")
	of := func(text string) *report.Agreement {
		return withRecords(t, hosts.Source{End: report.SideB, Path: ssFile(t, text)}).Connections[0].Subflows[0].Kernel.B.Agreement
	}
	before, after := of(text), of(small)
	if a, b := before.SRTT, after.SRTT; a.Rows == 0 || b.Rows != a.Rows || b.Agree >= a.Agree || *b.KernelMinusPackets-*a.KernelMinusPackets < 4.99 || *b.KernelMinusPackets-*a.KernelMinusPackets > 5.01 {
		t.Errorf("round trips: %+v (%v), 5 ms longer %+v (%v)", a, *a.KernelMinusPackets, b, *b.KernelMinusPackets)
	}
	if a, b := before.Cwnd, after.Cwnd; a.Rows == 0 || a.Agree != a.Rows || b.Agree >= a.Agree || *b.Worst >= 0 {
		t.Errorf("window: %+v, of one segment %+v (%v)", a, b, *b.Worst)
	}
	for name, x := range map[string]report.Agreeing{"bytes sent": before.BytesSent, "bytes acknowledged": before.BytesAcked, "data segments": before.DataSegmentsSent} {
		assert.Check(t, x.Rows >= 20 && x.Agree >= x.Rows-1, "%s: %+v", name, x)
	}
}

// ssFile writes what ss printed into a file.
func ssFile(t *testing.T, text string) string {
	return save(t, filepath.Join(t.TempDir(), "ss.txt"), []byte(text))
}
