package differential

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tcptrace"
)

// fileWriter is a module that writes files.
type fileWriter interface {
	conn.Module
	Finish() error
}

// analyzeWith reports on every connection of a capture, while m writes its files.
func analyzeWith(t *testing.T, path string, m fileWriter) *report.Document {
	t.Helper()
	doc, err := engine.Analyze(context.Background(), engine.Options{Paths: []string{path}, Connection: engine.AllConnections, Modules: []conn.Module{m}})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Finish(); err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestStatistics compares the files in mptcptrace's form with the report, also for version 1,
// which mptcptrace does not understand.
func TestStatistics(t *testing.T) {
	for _, name := range []string{"v1/f-handover/client.pcap.zst", "v1/b-lte-cubic/server.pcap.zst", "v0/upload/client.pcap.zst"} {
		path, dir := filepath.Join(bundled, name), t.TempDir()
		m, err := tcptrace.NewStatistics(dir, "a;b.pcap")
		if err != nil {
			t.Fatal(err)
		}
		doc := analyzeWith(t, path, m)
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
	rows := statistics(t, filepath.Join(dir, fmt.Sprintf("stats_%d.csv", c.ID+1)))
	if got := numbers(t, rows, "sfCount"); got != [2]int64{int64(len(c.Subflows)), 0} {
		t.Errorf("connection %d: sfCount %v, want %d", c.ID, got, len(c.Subflows))
	}
	for i := range c.Subflows {
		s := &c.Subflows[i]
		if got := numbers(t, rows, fmt.Sprintf("sf_%d_port", i)); got != [2]int64{int64(s.A.Port), int64(s.B.Port)} {
			t.Errorf("connection %d, subflow %d: ports %v", c.ID, i, got)
		}
	}
	// From the initial number to the DATA_ACK there is one number more than
	// bytes, and another one for an acknowledged DATA_FIN.
	acked := numbers(t, rows, "seqAcked")
	for k, d := range []*report.ConnDir{c.A2B, c.B2A} {
		if more := acked[k] - *d.Bytes; more < 1 || more > 2 {
			t.Errorf("connection %d: seqAcked %d of %d bytes", c.ID, acked[k], *d.Bytes)
		}
		if c.Version != nil && *c.Version == 0 { // in version 1 packets share mappings, which thus count again and again
			compareSeries(t, dir, c, k, d)
		}
	}
}

// compareSeries compares the files of values over time with the report: what the DATA_ACKs cover
// is all data and its DATA_FIN, each mapping has a delay by both times, and subflows carry what
// they carry in the report.
func compareSeries(t *testing.T, dir string, c *report.Connection, k int, d *report.ConnDir) {
	t.Helper()
	if *d.Bytes == 0 {
		return
	}
	file := func(what string) string {
		return filepath.Join(dir, fmt.Sprintf("%s_%s_%d.csv", []string{"c2s", "s2c"}[k], what, c.ID+1))
	}
	sum := 0.0
	for _, n := range column(t, file("acksize"), 1) {
		sum += n
	}
	if sum != float64(*d.Bytes) && sum != float64(*d.Bytes+1) {
		t.Errorf("connection %d, %s: %v bytes are acknowledged, want %d", c.ID, file("acksize"), sum, *d.Bytes)
	}
	if a, b := len(column(t, file("rtt_ack_ts"), 1)), len(column(t, file("rtt_seq_ts"), 1)); a == 0 || a != b {
		t.Errorf("connection %d: %d and %d delays", c.ID, a, b)
	}
	for i, carried := range column(t, file("sf"), 1+k) {
		s := &c.Subflows[i]
		want := *[]*report.SubDir{s.A2B, s.B2A}[k].Bytes
		// Retransmissions repeat their mapping; each end sends a DATA_FIN, perhaps on all subflows and again.
		if most := float64(want) + 10; carried < float64(want) || carried > most {
			t.Errorf("connection %d, subflow %d: mappings of %v bytes, payload of %d", c.ID, i, carried, want)
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

// statistics reads a file of rows: file;connection;name;c2s;s2c.
func statistics(t *testing.T, name string) map[string][2]string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][2]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), ";")
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
