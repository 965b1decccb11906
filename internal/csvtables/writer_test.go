package csvtables_test

import (
	"encoding/csv"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
)

// read returns a CSV file of dir as a list of maps, and its header.
func read(t *testing.T, dir, name string) (rows []map[string]string, header []string) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, name))
	assert.NilError(t, err)
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll() // fails where rows differ in length
	assert.NilError(t, err, "%s", name)
	for _, r := range all[1:] {
		row := map[string]string{}
		for i, v := range r {
			row[all[0][i]] = v
		}
		assert.Assert(t, len(row) == len(r), "%s: a column name stands twice", name)
		rows = append(rows, row)
	}
	return rows, all[0]
}

// pick returns some columns of a row.
func pick(row map[string]string, names ...string) map[string]string {
	out := map[string]string{}
	for _, n := range names {
		v, ok := row[n]
		if !ok {
			v = "no such column"
		}
		out[n] = v
	}
	return out
}

func tables(t *testing.T, o csvtables.Options) (dir string, out *csvtables.Writer) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "a", "b")
	out, err := csvtables.New(dir, o)
	assert.NilError(t, err)
	return dir, out
}

func TestDocumentTables(t *testing.T) {
	dir, out := tables(t, csvtables.Options{})
	assert.NilError(t, out.Document(reporttest.Everything()))
	assert.NilError(t, out.Close())
	conns, _ := read(t, dir, "connections.csv")
	want := map[string]string{
		"connection": "0", "version": "1", "token_a": "0x01d58c2b", "token_b": "", "start": "2026-01-02T03:04:05.000000006Z",
		"duration_s": "12.3456", "subflows": "3", "events": "5", "a2b_bytes": "512", "b2a_bytes": "10000000", "b2a_goodput_mbps_avg": "6.4801",
		"b2a_goodput_mbps_max": "", "b2a_protocol_delay_ms_p95": "101.1", "b2a_out_of_order_ratio": "0.239", "b2a_paths": "1", "handshake": "true",
	}
	if diff := cmp.Diff(want, pick(conns[0], keys(want)...)); diff != "" {
		t.Errorf("connections.csv: %s", diff)
	}
	assert.Check(t, len(conns) == 2, "%d connections, want 2", len(conns))
	subs, _ := read(t, dir, "subflows.csv")
	if len(subs) != 2*(3+1) { // two directions of 3 subflows and of 1
		t.Fatalf("%d rows in subflows.csv", len(subs))
	}
	want = map[string]string{
		"connection": "0", "direction": "b2a", "subflow": "0", "path": "wifi", "a_addr": "10.0.1.1", "b_port": "80",
		"bytes": "7000000", "srtt_ms_avg": "20.4", "drops_count": "11", "drops_percent": "0.224", "drops_per_s": "", "share_percent": "70", "rtt_ms_avg": "", "unavailable": "",
	}
	if diff := cmp.Diff(want, pick(subs[1], keys(want)...)); diff != "" {
		t.Errorf("subflows.csv: %s", diff)
	}
	if got := subs[0]["unavailable"]; got != "drops: capture at the receiver; srtt_ms: capture at the receiver, no timestamps" {
		t.Errorf("reasons: %q", got)
	}
	plain, _ := read(t, dir, "tcp.csv")
	want = map[string]string{"connection": "0", "direction": "b2a", "path": `say "ssh", please`, "mptcp": "requested", "throughput_mbps_avg": "2.697557"}
	if diff := cmp.Diff(want, pick(plain[1], keys(want)...)); diff != "" {
		t.Errorf("tcp.csv: %s", diff)
	}
}

func keys(m map[string]string) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	return out
}

func TestStreamedRows(t *testing.T) {
	dir, out := tables(t, csvtables.Options{Series: true, Chunks: true})
	cell := report.Cell{Connection: 3, Direction: report.A2B, Subflow: 1, Path: `a "b", c`}
	whole := report.Cell{Connection: 3, Direction: report.B2A, Subflow: report.NoSubflow}
	for _, err := range []error{
		out.Series([]report.SeriesRow{
			{SeriesLine: &report.SeriesLine{Cell: &cell, Metric: "srtt"}, T: 1_000_000_001, Value: 20.123456},
			{SeriesLine: &report.SeriesLine{Cell: &whole, Metric: "goodput"}, T: -5, Value: -0.5},
		}),
		out.Chunks([]report.ChunkRow{{
			Cell: &cell, Packet: 9, DSN: 1, SSN: 1, Length: 1428, Kind: report.ChunkFirst,
			Sent: 0, Acked: 12, DataAcked: report.NoTime, Arrived: report.NoTime, Delivered: 99_000_000_000,
		}}),
		out.Mappings([]report.MappingRow{
			{Cell: &cell, Packet: 9, Packets: 12, T: 7, DSN: 1, WireDSN: math.MaxUint64, DSNBytes: 8, SSN: 1, Length: 100, DataFin: true, Checksum: 0, ChecksumOK: new(false)},
			{Cell: &cell, Checksum: -1},
		}),
		out.Event(&report.EventRow{Cell: whole, T: 1, Kind: report.EventFallback, Detail: "two\nlines"}),
		out.Event(&report.EventRow{Cell: cell, Packet: 7, T: 2, Kind: report.EventReset, Detail: "why", EventFacts: report.EventFacts{
			Address: new("10.0.0.1"), Port: new(5), AddressID: new(0), Echo: new(false), HMAC: new(report.HMACValid),
			ReasonCode: new(3), Reason: new("a, b"), Transient: new(true), Backup: new(true), Effective: new(false),
		}}),
		out.Close(),
	} {
		assert.NilError(t, err)
	}
	for name, want := range map[string]string{
		"series.csv": `connection,direction,subflow,path,metric,t_s,value
3,a2b,1,"a ""b"", c",srtt,1.000000001,20.123456
3,b2a,,,goodput,-0.000000005,-0.5
`,
		"chunks.csv": `connection,direction,subflow,path,packet,dsn,ssn,length,kind,sent_s,acked_s,data_acked_s,arrived_s,delivered_s
3,a2b,1,"a ""b"", c",9,1,1,1428,first,0.000000,0.000000012,,,99.000000
`,
		"mappings.csv": `connection,direction,subflow,path,packet,packets,t_s,dsn,wire_dsn,dsn_octets,ssn,length,data_fin,infinite,repeated,checksum,checksum_ok
3,a2b,1,"a ""b"", c",9,12,0.000000007,1,18446744073709551615,8,1,100,true,false,false,0,false
3,a2b,1,"a ""b"", c",0,0,0.000000,0,0,0,0,0,false,false,false,,
`,
		"events.csv": `connection,direction,subflow,path,packet,t_s,kind,detail,address,port,address_id,echo,hmac,reason_code,reason,transient,backup,effective
3,b2a,,,,0.000000001,fallback,"two
lines",,,,,,,,,,
3,a2b,1,"a ""b"", c",7,0.000000002,rst,why,10.0.0.1,5,0,false,valid,3,"a, b",true,true,false
`,
	} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		assert.NilError(t, err)
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		read(t, dir, name) // as many fields in each row as in the header
	}
}

// TestUnwantedTables: a table that is switched off is not there, and its rows
// go nowhere.
func TestUnwantedTables(t *testing.T) {
	dir, out := tables(t, csvtables.Options{})
	assert.Check(t, out.Series([]report.SeriesRow{{SeriesLine: &report.SeriesLine{Cell: &report.Cell{}}}}))
	assert.Check(t, out.Chunks([]report.ChunkRow{{}}))
	assert.Check(t, out.Close())
	for _, name := range []string{"series.csv", "chunks.csv"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
}

func TestTablesWhereNoneCanBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	assert.NilError(t, os.WriteFile(file, nil, 0o666))
	if _, err := csvtables.New(filepath.Join(file, "dir"), csvtables.Options{}); err == nil {
		t.Error("made a directory below a file")
	}
}

// TestWriteErrorEnds: a full disk reaches the caller through the rows.
func TestWriteErrorEnds(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	dir := t.TempDir()
	assert.NilError(t, os.Symlink("/dev/full", filepath.Join(dir, "series.csv")))
	out, err := csvtables.New(dir, csvtables.Options{Series: true})
	assert.NilError(t, err)
	rows := []report.SeriesRow{{SeriesLine: &report.SeriesLine{Cell: &report.Cell{}, Metric: "srtt"}}}
	for range 1 << 16 { // more than any buffer holds
		if err = out.Series(rows); err != nil {
			break
		}
	}
	if err == nil {
		t.Error("rows went into a full disk")
	}
	if err := out.Close(); err == nil || !strings.Contains(err.Error(), "series.csv") {
		t.Errorf("Close: %v", err)
	}
}

// rowCases are the rows that are written once or more per packet.
func rowCases(out *csvtables.Writer) map[string]func() error {
	cell := report.Cell{Connection: 12, Direction: report.B2A, Subflow: 1, Path: "10.0.1.1-10.1.0.1"}
	series := []report.SeriesRow{{SeriesLine: &report.SeriesLine{Cell: &cell, Line: 1, Metric: "srtt"}, T: 12_345_678_901, Value: 20.123456789}}
	chunks := []report.ChunkRow{{Cell: &cell, Packet: 1e6, DSN: 1e9, SSN: 5e8, Length: 1428, Kind: report.ChunkRetransmission, Sent: 12_345_678_901, Acked: 12_355_678_901, DataAcked: 12_365_678_901, Arrived: report.NoTime, Delivered: report.NoTime}}
	mappings := []report.MappingRow{{Cell: &cell, Packet: 1e6, Packets: 8, T: 12_345_678_901, DSN: 1e9, WireDSN: 1 << 63, DSNBytes: 8, SSN: 5e8, Length: 1428, Checksum: -1}}
	event := report.EventRow{Cell: cell, Packet: 7, T: 1, Kind: report.EventPrio, Detail: "backup, from b"}
	return map[string]func() error{
		"series":  func() error { return out.Series(series) },
		"chunk":   func() error { return out.Chunks(chunks) },
		"mapping": func() error { return out.Mappings(mappings) },
		"event":   func() error { return out.Event(&event) },
	}
}

func TestRowsDoNotAllocate(t *testing.T) {
	_, out := tables(t, csvtables.Options{Series: true, Chunks: true})
	defer out.Close()
	for name, write := range rowCases(out) {
		if n := testing.AllocsPerRun(5000, func() { // enough to flush the buffer several times
			assert.NilError(t, write())
		}); n != 0 {
			t.Errorf("%s: %v allocations per row", name, n)
		}
	}
}

// TestShortTables: a row of a short report has empty columns for the figures that were not
// computed.
func TestShortTables(t *testing.T) {
	n, dir := int64(7), t.TempDir()
	some := &report.SubDir{Bytes: &n, BytesUnique: &n}
	d := &report.Document{
		TCP:         []report.TCP{{Short: true, A2B: some, B2A: some}},
		Connections: []report.Connection{{Short: true, Subflows: []report.Subflow{{A2B: some, B2A: some}}}},
	}
	tables, err := csvtables.New(dir, csvtables.Options{})
	assert.NilError(t, err)
	assert.NilError(t, errors.Join(tables.Document(d), tables.Close()))
	for _, name := range []string{"tcp.csv", "subflows.csv"} {
		rows, _ := read(t, dir, name)
		assert.Assert(t, len(rows) == 2, "%s has %d rows, want one for each direction", name, len(rows))
		for column, want := range map[string]string{"bytes": "7", "bytes_unique": "7", "segments": "", "resets": "", "pure_acks": "", "rtt_ms_avg": "", "direction": "a2b"} {
			if got := rows[0][column]; got != want {
				t.Errorf("%s: %s is %q, want %q", name, column, got, want)
			}
		}
	}
}
