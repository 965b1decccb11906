package packets_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
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
		lines := packets.New(&out, packets.Options{Connection: packets.AllConnections})
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
		rows := strings.Split(strings.TrimSpace(out.String()), "\n")
		for i, row := range rows[1:] {
			f := strings.Split(row, "\t")
			if f[0] != strconv.Itoa(i+1) {
				t.Fatalf("%s: line %d is of packet %s", name, i+1, f[0])
			}
			if f[3] == "mptcp" {
				count(got, f)
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

// count adds a line of Multipath TCP. A round-trip sample is of what the other
// end sent.
func count(got map[string]sums, f []string) {
	from, to := f[4]+" "+f[5]+" "+f[6], f[4]+" "+f[5]+" "+f[7]
	mine, theirs := got[from], got[to]
	if f[12] != "0" {
		mine.segments++
	}
	for r := range strings.SplitSeq(f[14], ",") {
		if a, b, ok := strings.Cut(r, ":"); ok {
			low, _ := strconv.ParseInt(a, 10, 64)
			high, _ := strconv.ParseInt(b, 10, 64)
			mine.bytes += high - low
		}
	}
	if f[18] != "-" {
		theirs.samples++
	}
	got[from], got[to] = mine, theirs
}

// TestSYNsHaveTheirConnection: a SYN is written with the number that its
// connection gets from the answer.
func TestSYNsHaveTheirConnection(t *testing.T) {
	var out bytes.Buffer
	lines := packets.New(&out, packets.Options{})
	o := engine.Options{Paths: []string{filepath.Join(sessions, "v1/l-single-loss/client.pcap.zst")}, Modules: []conn.Module{lines}}
	if _, err := engine.Track(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if err := lines.Flush(); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(out.String(), "\n")
	if f := strings.Split(rows[1], "\t"); f[0] != "1" || f[3] != "mptcp" || f[4] != "0" || f[8] != "SYN" {
		t.Errorf("the first line is %q", rows[1])
	}
}
