package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/connlines"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
	"mpanalyze/internal/tracegen"
)

// TestLinesAreThoseOfTheReport: the list of connections is the same from the whole report
// and from one with only what lines need, also if packets are missing, cut or out of order.
// Beside the figures of directions, events and verdicts, the two reports are equal, so any
// other field may become a column.
func TestLinesAreThoseOfTheReport(t *testing.T) {
	t.Parallel()
	list := func(file []byte, detail report.Detail) (string, *report.Document) {
		doc, err := engine.Analyze(context.Background(), engine.Options{
			Paths: []string{"-"}, Stdin: bytes.NewReader(file), Connection: engine.AllConnections, Detail: detail,
		})
		if doc == nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		assert.NilError(t, connlines.TSV(&text, doc))
		return text.String(), doc
	}
	others := cmp.Options{
		cmpopts.IgnoreFields(report.Connection{}, "A2B", "B2A", "Events", "EventsOmitted", "Verdicts"),
		cmpopts.IgnoreFields(report.Subflow{}, "A2B", "B2A"), cmpopts.IgnoreFields(report.TCP{}, "A2B", "B2A", "Verdicts"),
		cmpopts.EquateEmpty(),
	}
	same := func(name string, file []byte) {
		got, short := list(file, report.Lines)
		want, whole := list(file, report.Full)
		assert.Check(t, got == want, "%s:\n%s\nof the whole report:\n%s", name, got, want)
		if d := cmp.Diff(whole.Connections, short.Connections, others) + cmp.Diff(whole.TCP, short.TCP, others); d != "" {
			t.Errorf("%s (-whole +line):\n%s", name, d)
		}
	}
	for name, file := range rareLines(t) {
		same(name, file)
	}
	r := rand.New(rand.NewPCG(1, 3))
	for _, name := range testrun.Few(append([]string{"v1/f-handover/client.pcap.zst", "v1/p-abort/server.pcap.zst"}, realCaptures...)) {
		m := load(t, name, 4000)
		same(name, m.file)
		for _, often := range []int{100, 5} {
			same(fmt.Sprintf("%s, one in %d disturbed", name, often), disturbed(r, m, often))
		}
	}
	for i := range testrun.Cases(20) {
		var file bytes.Buffer
		n := storm(r, 60, 1+i%3, time.Minute)
		n.Run()
		assert.NilError(t, n.Write(&file, tracegen.Middle, tracegen.Format{}))
		same(fmt.Sprintf("storm %d", i), file.Bytes())
	}
}

// rareLines returns captures of a connection, taken at each host and at a router. It has a backup
// subflow, a subflow over IPv6, a join that the peer refuses, and a join that nobody answers.
func rareLines(t *testing.T) map[string][]byte {
	t.Helper()
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 2})
	path := func(i byte, a, b string) tracegen.Path {
		return tracegen.Path{
			A: netip.AddrPortFrom(netip.MustParseAddr(a), 1000+uint16(i)), B: netip.AddrPortFrom(netip.MustParseAddr(b), 443),
			Nonce: [2]uint32{uint32(i), 9}, ID: [2]uint8{i, 0},
		}
	}
	first := s.Subflow(path(0, "192.0.2.1", "198.51.100.1"))
	first.Open(0)
	first.Data(tracegen.A2B, 100*time.Millisecond, 0, 1000)
	backup := path(1, "192.0.2.2", "198.51.100.1")
	backup.Backup = true
	s.Subflow(backup).Open(200 * time.Millisecond)
	six := s.Subflow(path(2, "2001:db8::1", "2001:db8::2"))
	six.Open(300 * time.Millisecond)
	six.Data(tracegen.A2B, 400*time.Millisecond, 1000, 1000)
	refused := s.Subflow(path(3, "192.0.2.3", "198.51.100.1"))
	refused.SYN(500 * time.Millisecond)
	refused.RST(tracegen.B2A, 520*time.Millisecond)
	s.Subflow(path(4, "192.0.2.4", "198.51.100.1")).SYN(600 * time.Millisecond)
	s.Close(700*time.Millisecond, 2000, 0)
	out := map[string][]byte{}
	for name, view := range map[string]tracegen.View{"a": tracegen.HostA, "b": tracegen.HostB, "middle": tracegen.Middle} {
		file := viewed(t, s.Network(), view, tracegen.Format{})
		out["rare subflows, seen at "+name] = file
	}
	return out
}
