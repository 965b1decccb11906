package engine_test

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// shortRecord bounds the size of a short record, in bytes.
const shortRecord = 400

// TestShortRecords plays attempts that failed. It checks which of them have short records,
// and which verdict these keep.
func TestShortRecords(t *testing.T) {
	const ms = time.Millisecond
	bare := func(p *tracegen.Packet) { p.Options = withoutMPTCP(p.Options) }
	for _, c := range []struct {
		name  string
		play  func(s *tracegen.Session, f *tracegen.Subflow)
		short bool
		list  string // of the document
		code  string // of the first verdict
	}{
		{"a SYN without an answer", func(s *tracegen.Session, f *tracegen.Subflow) { f.SYN(0).Edit(bare).Lose() }, true, "tcp", "mptcp_not_requested"},
		{"one that asks for MPTCP", func(s *tracegen.Session, f *tracegen.Subflow) {
			f.SYN(0).Lose().Again(1000 * ms).Lose().Again(4000 * ms).Lose()
		}, true, "tcp", "unanswered"},
		{"refused", func(s *tracegen.Session, f *tracegen.Subflow) { f.RST(tracegen.B2A, f.SYN(0).ArrivesAt()) }, true, "tcp", "refused"},
		{"open and silent", func(s *tracegen.Session, f *tracegen.Subflow) {
			f.SYN(0).Edit(bare)
			f.SYNACK(10 * ms).Edit(bare)
			f.ThirdACK(20 * ms).Edit(bare)
			f.RST(tracegen.A2B, 30*ms)
		}, true, "tcp", "mptcp_not_requested"},
		{"a join whose option was removed", func(s *tracegen.Session, f *tracegen.Subflow) {
			f.SYN(0).Edit(bare)
			f.SYNACK(10 * ms).Edit(bare)
			f.RST(tracegen.A2B, 20*ms, &mptcp.TCPRST{Reason: 1})
		}, false, "tcp", "mptcp_not_requested"},
		{"with data", func(s *tracegen.Session, f *tracegen.Subflow) {
			f.SYN(0).Edit(bare)
			f.SYNACK(10 * ms).Edit(bare)
			f.ThirdACK(20 * ms).Edit(bare)
			f.Data(tracegen.A2B, 30*ms, 0, 100).Edit(bare)
		}, false, "tcp", "mptcp_not_requested"},
		{"half open", func(s *tracegen.Session, f *tracegen.Subflow) { f.SYN(0); f.SYNACK(10 * ms) }, true, "connections", "single_path"},
		{"a handshake of MPTCP", func(s *tracegen.Session, f *tracegen.Subflow) { f.Open(0) }, false, "connections", "single_path"},
		{"a join to nothing", func(s *tracegen.Session, f *tracegen.Subflow) {
			s.Subflow(shortPath(1)).SYN(0).Lose().Again(4000 * ms).Lose()
		}, true, "connections", "join_unanswered"},
		{"a refused join", func(s *tracegen.Session, f *tracegen.Subflow) {
			j := s.Subflow(shortPath(1))
			j.RST(tracegen.B2A, j.SYN(0).ArrivesAt(), &mptcp.TCPRST{Reason: 6})
		}, true, "connections", "join_refused"},
		{"7 packets of one end without a handshake", func(s *tracegen.Session, f *tracegen.Subflow) { fragment(f, 7) }, true, "connections", ""},
		{"8 of them", func(s *tracegen.Session, f *tracegen.Subflow) { fragment(f, 8) }, false, "connections", ""},
		{"an acknowledgment of them", func(s *tracegen.Session, f *tracegen.Subflow) {
			fragment(f, 2)
			f.Ack(tracegen.B2A, 50*ms)
		}, false, "connections", "late_start"},
		{"one of them again", func(s *tracegen.Session, f *tracegen.Subflow) {
			fragment(f, 2)
			f.Data(tracegen.A2B, 50*ms, 0, 100)
		}, false, "connections", ""},
		{"a reset behind them", func(s *tracegen.Session, f *tracegen.Subflow) {
			fragment(f, 2)
			f.RST(tracegen.A2B, 50*ms)
		}, false, "connections", "reset"},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1})
		c.play(s, s.Subflow(shortPath(0)))
		var file bytes.Buffer
		if err := s.Network().Write(&file, tracegen.HostA, tracegen.Format{Nanosecond: true}); err != nil {
			t.Fatal(err)
		}
		records := recordsOf(t, file.Bytes(), report.WithData)[c.list]
		if len(records) != 1 {
			t.Errorf("%s: %d records in %s, want 1", c.name, len(records), c.list)
			continue
		}
		var got struct {
			Short    bool
			Verdicts []struct{ Code string }
		}
		if err := json.Unmarshal(records[0], &got); err != nil {
			t.Fatal(err)
		}
		if got.Short != c.short || got.Short && len(records[0]) > shortRecord {
			t.Errorf("%s: short %v, %d bytes: %s", c.name, got.Short, len(records[0]), records[0])
		}
		if code := append(got.Verdicts, struct{ Code string }{})[0].Code; code != c.code {
			t.Errorf("%s: verdict %q, want %q", c.name, code, c.code)
		}
		for _, record := range recordsOf(t, file.Bytes(), report.Full)[c.list] {
			if strings.Contains(string(record), `"short"`) {
				t.Errorf("%s: short where all are asked for in full", c.name)
			}
		}
	}
}

// fragment plays packets of data on a subflow whose handshake was not captured.
func fragment(f *tracegen.Subflow, n int) {
	f.Assume()
	for i := range n {
		f.Data(tracegen.A2B, time.Duration(i)*time.Millisecond, int64(100*i), 100)
	}
}

// TestFragment: a short record has the packets and bytes of a connection without a
// handshake, and the reason why there are no more figures.
func TestFragment(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, Checksum: true})
	fragment(s.Subflow(shortPath(0)), 3)
	var file bytes.Buffer
	if err := s.Network().Write(&file, tracegen.HostA, tracegen.Format{Nanosecond: true}); err != nil {
		t.Fatal(err)
	}
	var got report.ShortConnection
	if err := json.Unmarshal(recordsOf(t, file.Bytes(), report.WithData)["connections"][0], &got); err != nil {
		t.Fatal(err)
	}
	if report.Known(got.PacketsA2B) != 3 || report.Known(got.BytesA2B) != 300 || got.DurationS != 0.002 || got.State != report.ConnOpen {
		t.Errorf("%+v, want 3 packets of 300 bytes within 2 ms", got)
	}
	if got.Why == nil || *got.Why != report.OnlyFew || got.Checksum == nil || !*got.Checksum {
		t.Errorf("why %v, checksum %v", got.Why, got.Checksum)
	}
}

// TestPlainTCPAsAsked: with Summary the records of plain TCP are short and have their
// bytes, with NoTCP there are none.
func TestPlainTCPAsAsked(t *testing.T) {
	file := load(t, "v1/j-plain-server/client.pcap.zst", 4000).file
	full := recordsOf(t, file, report.WithData)["tcp"]
	short := recordsOf(t, file, report.Summary)["tcp"]
	none := recordsOf(t, file, report.NoTCP)["tcp"]
	if len(full) == 0 || len(short) != len(full) || len(none) != 0 {
		t.Fatalf("%d records, %d in a summary, %d of none", len(full), len(short), len(none))
	}
	for i := range short {
		var x struct {
			A2B struct {
				Bytes int64 `json:"bytes_unique"`
			} `json:"a2b"`
		}
		var y report.ShortTCP
		if err := json.Unmarshal(full[i], &x); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(short[i], &y); err != nil {
			t.Fatal(err)
		}
		if !y.Short || report.Known(y.BytesA2B) != x.A2B.Bytes || x.A2B.Bytes == 0 {
			t.Errorf("short %v, %d bytes of %d: %s", y.Short, report.Known(y.BytesA2B), x.A2B.Bytes, short[i])
		}
	}
}

// TestPlainTCPOfBothAsAsked does so with two captures.
func TestPlainTCPOfBothAsAsked(t *testing.T) {
	var files [2]string
	for e, end := range []string{"client", "server"} {
		files[e] = save(t, filepath.Join(t.TempDir(), end+".pcap"), load(t, "v1/j-plain-server/"+end+".pcap.zst", 4000).file)
	}
	count := func(detail report.Detail) (all, short int) {
		o := engine.Options{Paths: files[:1], Receiver: files[1:], Swap: true, Connection: engine.AllConnections, Detail: detail}
		doc := analyzed(t, o)
		for i := range doc.TCP {
			if doc.TCP[i].Short && report.Known(doc.TCP[i].A2B.Bytes)+report.Known(doc.TCP[i].B2A.Bytes) > 0 {
				short++
			}
		}
		return len(doc.TCP), short
	}
	all, short := count(report.WithData)
	if all == 0 || short != 0 {
		t.Errorf("%d connections, %d in short, want all in full", all, short)
	}
	if n, short := count(report.Summary); n != all || short != all {
		t.Errorf("a summary: %d connections, %d in short, want %d", n, short, all)
	}
	if n, _ := count(report.NoTCP); n != 0 {
		t.Errorf("none: %d connections", n)
	}
}

// TestShortSummaryCounts: the summary counts retransmitted bytes of a connection with a
// short record.
func TestShortSummaryCounts(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	f, bare := s.Subflow(shortPath(0)), func(p *tracegen.Packet) { p.Options = withoutMPTCP(p.Options) }
	f.SYN(0).Edit(bare)
	f.SYNACK(10 * time.Millisecond).Edit(bare)
	f.ThirdACK(20 * time.Millisecond).Edit(bare)
	f.Data(tracegen.A2B, 30*time.Millisecond, 0, 700).Edit(bare).Lose().Again(300 * time.Millisecond).Edit(bare)
	var file, text bytes.Buffer
	if err := s.Network().Write(&file, tracegen.HostA, tracegen.Format{}); err != nil {
		t.Fatal(err)
	}
	doc := analyzed(t, engine.Options{Paths: []string{"-"}, Stdin: &file, Connection: engine.AllConnections, Detail: report.Summary})
	if err := plaintext.Summary(&text, doc, plaintext.Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "700 B  0 B    700 B") || len(doc.TCP) != 1 || doc.TCP[0].A2B.RetransmittedBytes != 700 {
		t.Errorf("want 700 B, and 700 B sent again:\n%s", &text)
	}
	doc.TCP[0].Shorten()
	if n := doc.TCP[0].A2B.RetransmittedBytes; n != 700 {
		t.Errorf("%d bytes sent again, want 700", n)
	}
}

// TestShortOfOneDirection: a short record has nothing of a direction that was not asked
// for, except why a subflow was reset.
func TestShortOfOneDirection(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	join := s.Subflow(shortPath(1))
	join.RST(tracegen.B2A, join.SYN(0).ArrivesAt(), &mptcp.TCPRST{Reason: 6})
	var refused bytes.Buffer
	if err := s.Network().Write(&refused, tracegen.HostA, tracegen.Format{}); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{"plain": load(t, "v1/j-plain-server/client.pcap.zst", 4000).file, "join": refused.Bytes()} {
		doc := analyzed(t, engine.Options{
			Paths: []string{"-"}, Stdin: bytes.NewReader(file), Connection: engine.AllConnections, Detail: report.Summary,
		})
		report.Only(doc, report.A2B)
		for i := range doc.TCP {
			if c := &doc.TCP[i]; !c.Short || c.A2B == nil || c.B2A != nil {
				t.Errorf("%s: short %v, a2b there %v, b2a there %v; want a2b alone", name, c.Short, c.A2B != nil, c.B2A != nil)
			}
		}
		for i := range doc.Connections {
			c := &doc.Connections[i]
			if x := &c.Subflows[0]; !c.Short || x.A2B == nil || x.B2A != nil || c.ResetReason() == nil || *c.ResetReason() != 6 {
				t.Errorf("%s: short %v, a2b there %v, b2a there %v, reason %v; want a2b alone and reason 6", name, c.Short, x.A2B != nil, x.B2A != nil, c.ResetReason())
			}
		}
		if len(doc.TCP)+len(doc.Connections) == 0 {
			t.Errorf("%s: no connection", name)
		}
	}
}

// recordsOf returns the records of a report by their list, after validating the report
// against the schema.
func recordsOf(t *testing.T, file []byte, detail report.Detail) (out map[string][]json.RawMessage) {
	t.Helper()
	doc := analyzed(t, engine.Options{
		Paths: []string{"-"}, Stdin: bytes.NewReader(file), Connection: engine.AllConnections,
		Interval: metrics.DefaultInterval, QoE: metrics.DefaultQoE, Detail: detail,
	})
	if err := reporttest.Check(doc); err != nil {
		t.Error(err)
	}
	var text bytes.Buffer
	if err := jsonreport.Write(&text, doc); err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema(t).Validate(parsed); err != nil {
		t.Error(err)
	}
	var lists struct{ Connections, TCP []json.RawMessage }
	if err := json.Unmarshal(text.Bytes(), &lists); err != nil {
		t.Fatal(err)
	}
	return map[string][]json.RawMessage{"connections": lists.Connections, "tcp": lists.TCP}
}

// shortPath is a path with the longest IPv6 addresses.
func shortPath(i byte) tracegen.Path {
	end := func(host byte, port uint16) netip.AddrPort {
		a := netip.MustParseAddr("2001:db8:1111:2222:3333:4444:5555:6600").As16()
		a[15] = host
		return netip.AddrPortFrom(netip.AddrFrom16(a), port)
	}
	return tracegen.Path{A: end(0xa0+i, 50000), B: end(0xb0, 65000), ISN: [2]seq.Wire{1000, 2000}, Nonce: [2]uint32{3, 4}, ID: [2]uint8{i, 0}}
}

// withoutMPTCP returns TCP options without those of Multipath TCP.
func withoutMPTCP(options []byte) (out []byte) {
	for len(options) > 0 {
		n := 1
		if options[0] > 1 {
			n = int(options[1])
		}
		if options[0] != mptcp.Kind {
			out = append(out, options[:n]...)
		}
		options = options[n:]
	}
	for len(out)%4 != 0 {
		out = append(out, 1)
	}
	return out
}
