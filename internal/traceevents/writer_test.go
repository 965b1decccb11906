package traceevents_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"mpanalyze/internal/report"
	"mpanalyze/internal/traceevents"
)

// traceEvent is what a reader takes of an event.
type traceEvent struct {
	Name string         `json:"name"`
	PH   string         `json:"ph"`
	Cat  string         `json:"cat"`
	TS   *float64       `json:"ts"`
	Dur  *float64       `json:"dur"`
	PID  int            `json:"pid"`
	TID  int            `json:"tid"`
	ID   string         `json:"id"`
	Args map[string]any `json:"args"`
}

// TestWriter writes the states of one direction, a handover and two verdicts. State 6 is path, 2
// recovery, 10 idle.
func TestWriter(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trace.json")
	w, err := traceevents.New(name)
	if err != nil {
		t.Fatal(err)
	}
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
		if err := w.Series(rows); err != nil {
			t.Fatal(err)
		}
	}
	c := report.Connection{
		ID: 3, DurationS: 5, A2B: &report.ConnDir{}, B2A: &report.ConnDir{Handovers: &report.List[report.Handover]{{From: 1, To: 0, TS: 0.25, GapMS: 1.5}}},
		Subflows: []report.Subflow{{ID: 1, Path: "LTE", StartS: 0.001, EndS: 4}},
		Events:   []report.Event{{Kind: report.EventFin, TS: 2, Subflow: new(1)}},
		Verdicts: &report.List[report.Verdict]{
			{Code: report.VerdictSinglePath},
			{Code: report.VerdictPathDied, Evidence: []report.Proof{{TS: new(2.0)}, {}, {TS: new(1.0)}}},
		},
	}
	if err := w.Document(&report.Document{Connections: []report.Connection{c}}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Events []traceEvent `json:"traceEvents"`
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	type slice struct{ from, to float64 } // microseconds
	got, begun, tracks := map[string]slice{}, map[string]traceEvent{}, map[int]string{}
	for _, e := range read.Events {
		if e.PID != 4 {
			t.Errorf("process %d: %+v", e.PID, e)
		}
		switch e.PH {
		case "M":
			tracks[e.TID], _ = e.Args["name"].(string)
		case "X":
			got[tracks[e.TID]+e.Name] = slice{*e.TS, *e.TS + *e.Dur}
			if e.Cat == traceevents.Metric {
				got[e.Name] = slice{*e.TS, *e.TS + *e.Dur}
				if e.TID != 15 { // 10 and 3 of subflow 0, then the third one
					t.Errorf("state on track %d", e.TID)
				}
			}
		case "i":
			got[e.Name] = slice{*e.TS, *e.TS}
		case "b":
			begun[e.Cat+e.ID] = e
		case "e":
			got[e.Name] = slice{*begun[e.Cat+e.ID].TS, *e.TS}
		}
	}
	for name, want := range map[string]slice{
		"recovery": {3000, 4000}, "path": {9000, 9000.001}, "fin": {2e6, 2e6}, "subflow 1 LTEsubflow 1 LTE": {1000, 4e6},
		"handover from subflow 1 to 0": {250_000, 251_500}, "single_path": {0, 5e6}, "path_died": {1e6, 2e6},
	} {
		if got[name] != want {
			t.Errorf("%s: %v, want %v", name, got[name], want)
		}
	}
	if _, found := got["idle"]; found {
		t.Error("idle time has a slice")
	}
	if tracks[15] != "subflow 1 LTE b2a" {
		t.Errorf("tracks %v", tracks)
	}
}

// TestAbandon: without a report there is no file.
func TestAbandon(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trace.json")
	w, err := traceevents.New(name)
	if err != nil {
		t.Fatal(err)
	}
	w.Abandon()
	if _, err := os.Stat(name); !os.IsNotExist(err) {
		t.Errorf("the file is there: %v", err)
	}
}
