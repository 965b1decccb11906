package packets_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/packets"
	"mpanalyze/internal/report"
)

const sessions = "../../testdata/sessions"

// sums is what lines and report say of one direction of a subflow.
type sums struct {
	segments, bytes, samples int64
}

// TestAgainstReport adds up the lines of real sessions and compares the sums
// with the report: packets, payload at the data level, round-trip samples.
func TestAgainstReport(t *testing.T) {
	for _, name := range []string{"v1/f-handover/client.pcap.zst", "v1/k-short-bursts/client.pcap.zst", "v0/upload/client.pcap.zst"} {
		path := filepath.Join(sessions, name)
		var out bytes.Buffer
		lines := packets.New(&out, packets.Options{Connection: packets.AllConnections, JSON: true})
		doc, err := engine.Analyze(context.Background(), engine.Options{Paths: []string{path}, Connection: engine.AllConnections, Modules: []conn.Module{lines}})
		if err != nil || lines.Flush() != nil {
			t.Fatal(err, lines.Flush())
		}
		got, want := map[string]sums{}, map[string]sums{}
		var far []string // ends that are not where the capture was made
		for i := range doc.Connections {
			c := &doc.Connections[i]
			for j := range c.Subflows {
				s := &c.Subflows[j]
				want[key(c.ID, s.ID, s.A)] = expected(s.A2B)
				want[key(c.ID, s.ID, s.B)] = expected(s.B2A)
				far = append(far, key(c.ID, s.ID, s.B))
			}
		}
		for i, r := range decoded(t, out.String()) {
			if r.Packet != uint64(i+1) {
				t.Fatalf("%s: line %d is of packet %d", name, i+1, r.Packet)
			}
			if r.Kind == "mptcp" {
				count(got, &r)
			}
		}
		for _, end := range far { // the report has the whole round trip, a line what passes here
			a, b := want[end], got[end]
			a.samples, b.samples = 0, 0
			want[end], got[end] = a, b
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(sums{})); diff != "" {
			t.Errorf("%s: (-report +lines)\n%s", name, diff)
		}
	}
}

func key(id, sub int, end report.Endpoint) string {
	return fmt.Sprintf("%d %d %s:%d", id, sub, end.Addr, end.Port)
}

func expected(d *report.SubDir) sums {
	s := sums{segments: d.CapturedSegments, bytes: *d.Bytes}
	if d.RTT != nil {
		s.samples = d.RTT.Samples
	}
	return s
}

// count adds a line of Multipath TCP. A round-trip sample is of what the other end sent.
func count(got map[string]sums, r *packets.Record) {
	connection := fmt.Sprint(*r.Connection, " ", r.Subflow, " ")
	mine, theirs := got[connection+r.From], got[connection+r.To]
	if r.Length > 0 {
		mine.segments++
	}
	for _, d := range r.DSN {
		mine.bytes += d[1] - d[0]
	}
	if r.RTT != nil {
		theirs.samples++
	}
	got[connection+r.From], got[connection+r.To] = mine, theirs
}

// TestSYNsHaveTheirConnection: a SYN is written with the number that its
// connection gets from the answer.
func TestSYNsHaveTheirConnection(t *testing.T) {
	rows := strings.Split(written(t, filepath.Join(sessions, "v1/l-single-loss/client.pcap.zst"), packets.Options{}), "\n")
	if f := strings.Split(rows[1], "\t"); f[0] != "1" || f[3] != "mptcp" || f[4] != "0" || f[8] != "SYN" {
		t.Errorf("the first line is %q", rows[1])
	}
}
