package differential

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tcptrace"
)

// TestStatistics holds the files in mptcptrace's form against the report.
func TestStatistics(t *testing.T) {
	for _, name := range []string{"v1/f-handover/client.pcap.zst", "v1/b-lte-cubic/server.pcap.zst", "v0/upload/client.pcap.zst"} {
		path, dir := filepath.Join(bundled, name), t.TempDir()
		m, err := tcptrace.NewStatistics(dir, "a;b.pcap")
		if err != nil {
			t.Fatal(err)
		}
		doc, err := engine.Analyze(context.Background(), engine.Options{Paths: []string{path}, Connection: engine.AllConnections, Modules: []conn.Module{m}})
		if err != nil || m.Err() != nil {
			t.Fatal(err, m.Err())
		}
		if err := m.Finish(); err != nil {
			t.Fatal(err)
		}
		for i := range doc.Connections {
			compareStatistics(t, dir, &doc.Connections[i])
		}
		if got := column(t, filepath.Join(dir, "file_stats.csv"), 1)[0]; got != float64(len(doc.Connections)) {
			t.Errorf("%s: nbConnections %v, want %d", name, got, len(doc.Connections))
		}
	}
}

func compareStatistics(t *testing.T, dir string, c *report.Connection) {
	t.Helper()
	rows := statistics(t, filepath.Join(dir, fmt.Sprintf("stats_%d.csv", c.ID)))
	want := map[string][2]int64{
		"sfCount":  {int64(len(c.Subflows)), int64(len(c.Subflows))},
		"seqAcked": {*c.A2B.Bytes, *c.B2A.Bytes},
	}
	var total, caused [2]int64
	for i := range c.Subflows {
		s := &c.Subflows[i]
		var again [2]int64
		for k, d := range []*report.SubDir{s.A2B, s.B2A} {
			again[k] = *d.ReinjectedBytes - *d.ReinjectedSameSubflowBytes
			total[k] += again[k]
		}
		want[fmt.Sprintf("reinject%d", i)] = again
		want[fmt.Sprintf("sf_%d_port", i)] = [2]int64{int64(s.A.Port), int64(s.B.Port)}
		by := numbers(t, rows, fmt.Sprintf("reinjectCausedBy_%d_%d", i, s.A.Port))
		caused[0], caused[1] = caused[0]+by[0], caused[1]+by[1]
	}
	want["bytesReinjected"] = total
	for key, w := range want {
		if got := numbers(t, rows, key); got != w {
			t.Errorf("connection %d, %s: %v, the report has %v", c.ID, key, got, w)
		}
	}
	if caused != total {
		t.Errorf("connection %d: causes of %v octets, want %v", c.ID, caused, total)
	}
	compareSequence(t, dir, c, total)
	compareSeries(t, dir, c)
}

// compareSeries holds the files of values over time against the report: what
// the DATA_ACKs cover is all data, each of it has a delay by both times, and
// subflows carry what they carry in the report.
func compareSeries(t *testing.T, dir string, c *report.Connection) {
	t.Helper()
	for k, d := range []*report.ConnDir{c.A2B, c.B2A} {
		if *d.Bytes == 0 {
			continue
		}
		file := func(what string) string {
			return filepath.Join(dir, fmt.Sprintf("%s_%s_%d.csv", []string{"c2s", "s2c"}[k], what, c.ID))
		}
		sum := 0.0
		for _, n := range column(t, file("acksize"), 1) {
			sum += n
		}
		if sum != float64(*d.Bytes) {
			t.Errorf("connection %d, %s: %v octets are acknowledged, want %d", c.ID, file("acksize"), sum, *d.Bytes)
		}
		if a, b := column(t, file("rtt_ack_ts"), 1), column(t, file("rtt_seq_ts"), 1); len(a) == 0 || !slices.Equal(a, b) {
			t.Errorf("connection %d: %d and %d delays", c.ID, len(a), len(b))
		}
		for i, n := range column(t, file("flight"), 1) {
			if n < 0 {
				t.Errorf("connection %d: row %d of %s is %v", c.ID, i, file("flight"), n)
			}
		}
		carried := [2]float64{}
		for i := range c.Subflows {
			carried[0] += float64(*c.Subflows[i].A2B.Bytes)
			carried[1] += float64(*c.Subflows[i].B2A.Bytes)
		}
		rate := 0.0
		for _, n := range column(t, file("sf"), 1+k) {
			rate += n
		}
		if want := carried[k] / c.DurationS; math.Abs(rate-want) > float64(len(c.Subflows))+want*1e-6 {
			t.Errorf("connection %d, %s: %v octets a second, want %v", c.ID, file("sf"), rate, want)
		}
	}
}

// column reads the numbers of one column.
func column(t *testing.T, file string, i int) (out []float64) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		v, err := strconv.ParseFloat(strings.Split(strings.TrimSpace(line), ",")[i], 64)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out = append(out, v)
	}
	return out
}

// compareSequence adds up a sequence file: the payload of all subflows, and
// what has an original subflow.
func compareSequence(t *testing.T, dir string, c *report.Connection, again [2]int64) {
	t.Helper()
	for k, side := range []string{"c2s", "s2c"} {
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%s_seq_%d.csv", side, c.ID)))
		if err != nil {
			t.Fatal(err)
		}
		var want, got [2]int64
		want[1] = again[k]
		for i := range c.Subflows {
			want[0] += []int64{*c.Subflows[i].A2B.Bytes, *c.Subflows[i].B2A.Bytes}[k]
		}
		for line := range strings.Lines(string(text)) {
			cells := strings.Split(strings.TrimSpace(line), ",")
			if len(cells) != 6 {
				t.Fatalf("%d cells in %q, want 6", len(cells), line)
			}
			if cells[3] != "1" {
				continue
			}
			from, _ := strconv.ParseUint(cells[1], 10, 32)
			to, _ := strconv.ParseUint(cells[4], 10, 32)
			n := int64(uint32(to - from))
			got[0] += n
			if cells[5] != "-1" {
				got[1] += n
			}
		}
		if got != want {
			t.Errorf("connection %d, %s: payload and reinjected payload %v, want %v", c.ID, side, got, want)
		}
	}
}

// statistics reads a file of rows: file;connection;name;c2s;s2c.
func statistics(t *testing.T, name string) map[string][2]string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][2]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), ";")
		if len(cells) != 5 || cells[0] != "a_b.pcap" {
			t.Fatalf("%q: want 5 cells that begin with a_b.pcap", line)
		}
		rows[cells[2]] = [2]string{cells[3], cells[4]}
	}
	return rows
}

func numbers(t *testing.T, rows map[string][2]string, key string) (out [2]int64) {
	t.Helper()
	for i, cell := range rows[key] {
		var err error
		if out[i], err = strconv.ParseInt(cell, 10, 64); err != nil {
			t.Errorf("%s is %q: %v", key, cell, err)
		}
	}
	return out
}
