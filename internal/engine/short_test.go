package engine_test

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// shortRecord bounds the size of a short record, in bytes.
const shortRecord = 400

// TestShortRecords plays attempts that failed: how long their records are, and which verdict they keep. The
// package build tells in full which records are short.
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
		{"one that asks for MPTCP", false, func(s *tracegen.Session, f *tracegen.Subflow) {
			f.SYN(0).Lose().Again(1000 * ms).Lose().Again(4000 * ms).Lose()
		}, true, "tcp", "unanswered"},
		{"refused", false, func(s *tracegen.Session, f *tracegen.Subflow) { f.RST(tracegen.B2A, f.SYN(0).ArrivesAt()) }, true, "tcp", "refused"},
		{"with data", true, func(s *tracegen.Session, f *tracegen.Subflow) {
			f.Open(0)
			f.Data(tracegen.A2B, 30*ms, 0, 100)
		}, false, "tcp", "mptcp_not_requested"},
		{"a join to nothing", false, func(s *tracegen.Session, f *tracegen.Subflow) {
			s.Subflow(shortPath(1)).SYN(0).Lose().Again(4000 * ms).Lose()
		}, true, "connections", "join_unanswered"},
		{"a refused join", false, func(s *tracegen.Session, f *tracegen.Subflow) {
			j := s.Subflow(shortPath(1))
			j.RST(tracegen.B2A, j.SYN(0).ArrivesAt(), &mptcp.TCPRST{Reason: 6})
		}, true, "connections", "join_refused"},
		{"7 packets of one end without a handshake", false, func(s *tracegen.Session, f *tracegen.Subflow) { fragment(f, 7) }, true, "connections", ""},
		{"8 of them", false, func(s *tracegen.Session, f *tracegen.Subflow) { fragment(f, 8) }, false, "connections", ""},
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

// recordsOf returns the records of a report by their list, after validating the report
// against the schema.
func recordsOf(t *testing.T, file []byte, detail report.Detail) (out map[string][]json.RawMessage) {
	t.Helper()
	o := piped(file)
	o.Detail = detail
	_, text := analyzeBoth(t, o)
	assert.Check(t, schema(t).Validate(reporttest.JSON(t, text)))
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
