package traceevents

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"

	"mpanalyze/internal/output"
	"mpanalyze/internal/report"
)

// Metric is the series whose rows a [Writer] takes.
const Metric = "time_account"

// The tracks of a connection. Those of a subflow follow: itself, then its directions.
const (
	trackOfConnection = 1
	firstOfSubflows   = 10
	tracksPerSubflow  = 3
)

// Writer writes a file of trace events. It takes the rows of [Metric] while the captures are
// read, and keeps one state for each direction of an open subflow.
type Writer struct {
	report.NopRows
	file   *output.File
	out    *bufio.Writer
	states map[uint64]state // by the number of the line
	begun  bool             // an event is written
	ids    int              // of slices that overlap
	failed error            // why an event has no JSON
}

// state is the state of a direction since a moment.
type state struct {
	since int64
	index int
}

// New creates the file. It appears when [Writer.Document] has finished it.
func New(name string) (*Writer, error) {
	f, err := output.Create(name)
	if err != nil {
		return nil, err
	}
	w := &Writer{file: f, out: bufio.NewWriter(f), states: map[uint64]state{}}
	w.out.WriteString(`{"displayTimeUnit":"ms","traceEvents":[`) // errors are kept until Flush
	return w, nil
}

// Abandon leaves what was there before.
func (w *Writer) Abandon() { w.file.Abandon() }

// event is one trace event. Times are microseconds.
type event struct {
	Name  string         `json:"name"`
	Phase string         `json:"ph"`
	Cat   string         `json:"cat,omitempty"`
	TS    json.Number    `json:"ts,omitempty"`
	Dur   json.Number    `json:"dur,omitempty"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	ID    string         `json:"id,omitempty"`
	Scope string         `json:"s,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// write writes events, each on a line of its own. Errors are kept until [Writer.Document].
func (w *Writer) write(events ...event) {
	for i := range events {
		text, err := json.Marshal(&events[i])
		w.failed = cmp.Or(w.failed, err)
		if w.begun {
			w.out.WriteByte(',')
		}
		w.begun = true
		w.out.WriteByte('\n')
		w.out.Write(text)
	}
}

// micros writes nanoseconds as microseconds.
func micros(ns int64) json.Number {
	sign := ""
	if ns < 0 {
		sign, ns = "-", -ns
	}
	return json.Number(fmt.Sprintf("%s%d.%03d", sign, ns/1000, ns%1000))
}

// processOf is the number of the process that stands for a connection. Perfetto keeps 0 for
// itself.
func processOf(connection int) int { return connection + 1 }

// trackOf is the number of a subflow's track: 0 for itself, 1 and 2 for its directions.
func trackOf(subflow, which int) int { return firstOfSubflows + tracksPerSubflow*subflow + which }

// Series writes a slice for each state that has ended. A row that repeats a state is the last of
// its series.
func (w *Writer) Series(rows []report.SeriesRow) error {
	for i := range rows {
		r := &rows[i]
		if r.Metric != Metric || r.Subflow == report.NoSubflow {
			continue
		}
		before, known := w.states[r.Line]
		w.states[r.Line] = state{r.T, int(r.Value)}
		if !known {
			continue
		}
		if before.index == int(r.Value) {
			delete(w.states, r.Line)
		}
		w.slice(r.Cell, before, r.T)
	}
	return nil
}

// slice writes the slice of a state. States in which nothing is known or nothing happens have
// none.
func (w *Writer) slice(at *report.Cell, of state, end int64) {
	all := new(report.TimeAccount).States()
	if of.index < 0 || of.index >= len(all) || end <= of.since {
		return
	}
	name := all[of.index].Name
	if name == "undetermined" || name == "idle" {
		return
	}
	which := 1
	if at.Direction == report.B2A {
		which = 2
	}
	w.write(event{
		Name: name, Phase: "X", Cat: Metric, TS: micros(of.since), Dur: micros(end - of.since),
		PID: processOf(at.Connection), TID: trackOf(at.Subflow, which),
	})
}
