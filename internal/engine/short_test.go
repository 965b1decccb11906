package engine_test

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// shortRecord bounds the size of a short record, in bytes.
const shortRecord = 400

// TestShortRecords plays attempts that failed. It checks which of them have short records,
// and which verdict these keep.
func TestShortRecords(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name  string
		plain bool // no option of Multipath TCP
		play  func(s *tracegen.Session, f *tracegen.Subflow)
		short bool
		list  string // of the document
		code  string // of the first verdict
	}{
		{"a SYN without an answer", true, func(s *tracegen.Session, f *tracegen.Subflow) { f.SYN(0).Lose() }, true, "tcp", "mptcp_not_requested"},
		{"one that asks for MPTCP", false, func(s *tracegen.Session, f *tracegen.Subflow) {
			f.SYN(0).Lose().Again(1000 * ms).Lose().Again(4000 * ms).Lose()
		}, true, "tcp", "unanswered"},
		{"refused", false, func(s *tracegen.Session, f *tracegen.Subflow) { f.RST(tracegen.B2A, f.SYN(0).ArrivesAt()) }, true, "tcp", "refused"},
		{"open and silent", true, func(s *tracegen.Session, f *tracegen.Subflow) {
			f.Open(0)
			f.RST(tracegen.A2B, 30*ms)
		}, true, "tcp", "mptcp_not_requested"},
		{"a join whose option was removed", true, func(s *tracegen.Session, f *tracegen.Subflow) {
			f.SYN(0)
			f.SYNACK(10 * ms)
			f.RST(tracegen.A2B, 20*ms).Edit(func(p *tracegen.Packet) { p.Options = (&mptcp.TCPRST{Reason: 1}).Append(p.Options) })
		}, false, "tcp", "mptcp_not_requested"},
		{"with data", true, func(s *tracegen.Session, f *tracegen.Subflow) {
			f.Open(0)
			f.Data(tracegen.A2B, 30*ms, 0, 100)
		}, false, "tcp", "mptcp_not_requested"},
		{"half open", false, func(s *tracegen.Session, f *tracegen.Subflow) { f.SYN(0); f.SYNACK(10 * ms) }, true, "connections", "single_path"},
		{"a handshake of MPTCP", false, func(s *tracegen.Session, f *tracegen.Subflow) { f.Open(0) }, false, "connections", "single_path"},
		{"a join to nothing", false, func(s *tracegen.Session, f *tracegen.Subflow) {
			s.Subflow(shortPath(1)).SYN(0).Lose().Again(4000 * ms).Lose()
		}, true, "connections", "join_unanswered"},
		{"a refused join", false, func(s *tracegen.Session, f *tracegen.Subflow) {
			j := s.Subflow(shortPath(1))
			j.RST(tracegen.B2A, j.SYN(0).ArrivesAt(), &mptcp.TCPRST{Reason: 6})
		}, true, "connections", "join_refused"},
		{"7 packets of one end without a handshake", false, func(s *tracegen.Session, f *tracegen.Subflow) { fragment(f, 7) }, true, "connections", ""},
		{"8 of them", false, func(s *tracegen.Session, f *tracegen.Subflow) { fragment(f, 8) }, false, "connections", ""},
		{"an acknowledgment of them", false, func(s *tracegen.Session, f *tracegen.Subflow) {
			fragment(f, 2)
			f.Ack(tracegen.B2A, 50*ms)
		}, false, "connections", "late_start"},
		{"one of them again", false, func(s *tracegen.Session, f *tracegen.Subflow) {
			fragment(f, 2)
			f.Data(tracegen.A2B, 50*ms, 0, 100)
		}, false, "connections", ""},
		{"a reset behind them", false, func(s *tracegen.Session, f *tracegen.Subflow) {
			fragment(f, 2)
			f.RST(tracegen.A2B, 50*ms)
		}, false, "connections", "reset"},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, Plain: c.plain})
		c.play(s, s.Subflow(shortPath(0)))
		file := viewed(t, s.Network(), tracegen.HostA, nanoseconds)
		records := recordsOf(t, file, report.WithData)[c.list]
		if len(records) != 1 {
			t.Errorf("%s: %d records in %s, want 1", c.name, len(records), c.list)
			continue
		}
		var got struct {
			Short    bool
			Verdicts []struct{ Code string }
		}
		assert.NilError(t, json.Unmarshal(records[0], &got))
		if got.Short != c.short || got.Short && len(records[0]) > shortRecord {
			t.Errorf("%s: short %v, %d bytes: %s", c.name, got.Short, len(records[0]), records[0])
		}
		if code := append(got.Verdicts, struct{ Code string }{})[0].Code; code != c.code {
			t.Errorf("%s: verdict %q, want %q", c.name, code, c.code)
		}
		for _, record := range recordsOf(t, file, report.Full)[c.list] {
			assert.Check(t, !strings.Contains(string(record), `"short"`), "%s: short where all are asked for in full", c.name)
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
	file := viewed(t, s.Network(), tracegen.HostA, nanoseconds)
	var got report.ShortConnection
	assert.NilError(t, json.Unmarshal(recordsOf(t, file, report.WithData)["connections"][0], &got))
	if report.Known(got.PacketsA2B) != 3 || report.Known(got.BytesA2B) != 300 || got.DurationS != 0.002 || got.State != report.ConnOpen {
		t.Errorf("%+v, want 3 packets of 300 bytes within 2 ms", got)
	}
	if got.Why == nil || *got.Why != report.OnlyFew || got.Checksum == nil || !*got.Checksum {
		t.Errorf("why %v, checksum %v", got.Why, got.Checksum)
	}
}

// TestPlainTCPAsAsked: with Summary the records of plain TCP are short and have their bytes, with NoTCP
// there are none. So it is with two captures.
func TestPlainTCPAsAsked(t *testing.T) {
	both := wholly(session("v1/j-plain-server/client.pcap.zst"))
	both.Receiver, both.Swap = []string{session("v1/j-plain-server/server.pcap.zst")}, true
	for name, o := range map[string]engine.Options{"one capture": wholly(both.Paths...), "two": both} {
		in := func(detail report.Detail) report.List[report.TCP] {
			o.Detail = detail
			return analyzed(t, o).TCP
		}
		full, short, none := in(report.WithData), in(report.Summary), in(report.NoTCP)
		if len(full) == 0 || len(short) != len(full) || len(none) != 0 {
			t.Fatalf("%s: %d records, %d in a summary, %d of none", name, len(full), len(short), len(none))
		}
		for i := range short {
			if n := report.Known(full[i].A2B.BytesUnique); !short[i].Short || full[i].Short || n == 0 || report.Known(short[i].A2B.Bytes) != report.Known(full[i].A2B.Bytes) {
				t.Errorf("%s: short %v, %d bytes of %d", name, short[i].Short, report.Known(short[i].A2B.Bytes), n)
			}
		}
	}
}

// TestShortSummaryCounts: the summary counts retransmitted bytes of a connection with a
// short record.
func TestShortSummaryCounts(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, Plain: true})
	f := s.Subflow(shortPath(0))
	f.Open(0)
	f.Data(tracegen.A2B, 30*time.Millisecond, 0, 700).Lose().Again(300 * time.Millisecond)
	o := piped(viewed(t, s.Network(), tracegen.HostA, tracegen.Format{}))
	o.Detail = report.Summary
	var text bytes.Buffer
	doc := analyzed(t, o)
	assert.NilError(t, plaintext.Summary(&text, doc, plaintext.Options{}))
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
	refused := viewed(t, s.Network(), tracegen.HostA, tracegen.Format{})
	for name, file := range map[string][]byte{"plain": load(t, "v1/j-plain-server/client.pcap.zst", 4000).file, "join": refused} {
		o := piped(file)
		o.Detail = report.Summary
		doc := analyzed(t, o)
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
		assert.Check(t, len(doc.TCP)+len(doc.Connections) != 0, "%s: no connection", name)
	}
}

// recordsOf returns the records of a report by their list, after validating the report
// against the schema.
func recordsOf(t *testing.T, file []byte, detail report.Detail) (out map[string][]json.RawMessage) {
	t.Helper()
	o := piped(file)
	o.Detail = detail
	_, text := analyzeBoth(t, o)
	assert.Check(t, schema(t).Validate(parsed(t, text)))
	var lists struct{ Connections, TCP []json.RawMessage }
	assert.NilError(t, json.Unmarshal(text, &lists))
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
