package traceevents_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
	"mpanalyze/internal/traceevents"
)

// written are the states of one direction, a handover and two verdicts. State 6 is path, 2 recovery, 10
// idle, which has no slice. Times are in microseconds. Process 4 is connection 3, track 13 subflow 1: 10 and 3 of subflow 0;
// the directions follow. A verdict lasts from its first proof to its last, or as long as the connection.
const written = `{"displayTimeUnit":"ms","traceEvents":[
{"name":"path","ph":"X","cat":"time_account","ts":1000.500,"dur":1999.500,"pid":4,"tid":15},
{"name":"recovery","ph":"X","cat":"time_account","ts":3000.000,"dur":1000.000,"pid":4,"tid":15},
{"name":"path","ph":"X","cat":"time_account","ts":9000.000,"dur":0.001,"pid":4,"tid":15},
{"name":"process_name","ph":"M","pid":4,"tid":0,"args":{"name":"connection 3: 10.0.0.1:7 to 10.0.0.2:8"}},
{"name":"thread_name","ph":"M","pid":4,"tid":1,"args":{"name":"connection"}},
{"name":"thread_name","ph":"M","pid":4,"tid":13,"args":{"name":"subflow 1 LTE"}},
{"name":"thread_name","ph":"M","pid":4,"tid":14,"args":{"name":"subflow 1 LTE a2b"}},
{"name":"thread_name","ph":"M","pid":4,"tid":15,"args":{"name":"subflow 1 LTE b2a"}},
{"name":"subflow 1 LTE","ph":"X","cat":"subflow","ts":1000.000,"dur":3999000.000,"pid":4,"tid":13,"args":{"backup":true,"state":"closed"}},
{"name":"fin","ph":"i","cat":"event","ts":2000000.000,"pid":4,"tid":13,"s":"t","args":{"detail":"of a"}},
{"name":"handover from subflow 1 to 0","ph":"b","cat":"handover","ts":250000.000,"pid":4,"tid":1,"id":"1","args":{"blocked_ms":0.5,"direction":"b2a","gap_ms":1.5}},
{"name":"handover from subflow 1 to 0","ph":"e","cat":"handover","ts":251500.000,"pid":4,"tid":1,"id":"1"},
{"name":"single_path","ph":"b","cat":"verdict","ts":0.000,"pid":4,"tid":1,"id":"2","args":{"remedy":"","severity":"note","text":"one"}},
{"name":"single_path","ph":"e","cat":"verdict","ts":5000000.000,"pid":4,"tid":1,"id":"2"},
{"name":"path_died","ph":"b","cat":"verdict","ts":1000000.000,"pid":4,"tid":1,"id":"3","args":{"remedy":"","severity":"warning","text":"two"}},
{"name":"path_died","ph":"e","cat":"verdict","ts":2000000.000,"pid":4,"tid":1,"id":"3"}
]}
`

func TestWriter(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trace.json")
	w, err := traceevents.New(name)
	assert.NilError(t, err)
	cell := &report.Cell{Connection: 3, Direction: report.B2A, Subflow: 1, Path: "LTE"}
	line := &report.SeriesLine{Cell: cell, Line: 7, Metric: traceevents.Metric}
	other := &report.SeriesLine{Cell: cell, Line: 8, Metric: "srtt"}
	row := func(at int64, state float64) report.SeriesRow {
		return report.SeriesRow{SeriesLine: line, T: at, Value: state}
	}
	for _, rows := range [][]report.SeriesRow{
		{row(1_000_500, 6), {SeriesLine: other, T: 1_500_000, Value: 2}, row(3_000_000, 2)},
		{row(4_000_000, 10), row(9_000_000, 6), row(9_000_001, 6)},
	} {
		assert.NilError(t, w.Series(rows))
	}
	c := report.Connection{
		ID: 3, DurationS: 5, A2B: &report.ConnDir{}, B2A: &report.ConnDir{Handovers: &report.List[report.Handover]{{From: 1, To: 0, TS: 0.25, GapMS: 1.5, BlockedMS: 0.5}}},
		Subflows: []report.Subflow{{ID: 1, Path: "LTE", StartS: 0.001, EndS: 4, Backup: true, State: report.SubflowClosed, A: report.Endpoint{Addr: "10.0.0.1", Port: 7}, B: report.Endpoint{Addr: "10.0.0.2", Port: 8}}},
		Events:   []report.Event{{Kind: report.EventFin, TS: 2, Subflow: new(1), Detail: "of a"}},
		Verdicts: &report.List[report.Verdict]{
			{Code: report.VerdictSinglePath, Severity: report.Minor, Text: "one"},
			{Code: report.VerdictPathDied, Severity: report.Major, Text: "two", Evidence: []report.Proof{{TS: new(2.0)}, {}, {TS: new(1.0)}}},
		},
	}
	assert.NilError(t, w.Document(&report.Document{Connections: []report.Connection{c}}))
	text, err := os.ReadFile(name)
	assert.NilError(t, err)
	assert.Check(t, is.DeepEqual(strings.Split(string(text), "\n"), strings.Split(written, "\n")))
}

// TestAbandon: without a report there is no file.
func TestAbandon(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trace.json")
	w, err := traceevents.New(name)
	assert.NilError(t, err)
	w.Abandon()
	if _, err := os.Stat(name); !os.IsNotExist(err) {
		t.Errorf("the file is there: %v", err)
	}
}
