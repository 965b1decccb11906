package traceevents

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"mpanalyze/internal/report"
)

// Document writes the tracks, handovers, events and verdicts of a report, and finishes the file.
func (w *Writer) Document(s report.Source) error {
	for i := range s.NumConnections() {
		c, err := s.ConnectionAt(i)
		if err != nil {
			w.Abandon()
			return err
		}
		w.connection(c)
	}
	w.out.WriteString("\n]}\n")
	if err := cmp.Or(w.failed, w.out.Flush()); err != nil {
		w.Abandon()
		return err
	}
	return w.file.Commit()
}

// connection writes what the report says of a connection.
func (w *Writer) connection(c *report.Connection) {
	pid := processOf(c.ID)
	title := fmt.Sprintf("connection %d", c.ID)
	if len(c.Subflows) > 0 {
		title += fmt.Sprintf(": %s to %s", ends(&c.Subflows[0].A), ends(&c.Subflows[0].B))
	}
	w.write(named("process_name", pid, 0, title), named("thread_name", pid, trackOfConnection, "connection"))
	for i := range c.Subflows {
		w.subflow(pid, &c.Subflows[i])
	}
	for i := range c.Events {
		w.instant(pid, &c.Events[i])
	}
	w.handovers(pid, report.A2B, c.A2B)
	w.handovers(pid, report.B2A, c.B2A)
	for _, v := range report.Known(c.Verdicts) {
		w.verdict(pid, c.DurationS, &v)
	}
}

func ends(e *report.Endpoint) string { return e.Addr + ":" + strconv.Itoa(e.Port) }

// named names a process or a track.
func named(what string, pid, tid int, name string) event {
	return event{Name: what, Phase: "M", PID: pid, TID: tid, Args: map[string]any{"name": name}}
}

// subflow names the tracks of a subflow, and writes a slice from its first packet to its last.
func (w *Writer) subflow(pid int, s *report.Subflow) {
	title := fmt.Sprintf("subflow %d %s", s.ID, s.Path)
	start, end := nanos(s.StartS), nanos(s.EndS)
	w.write(
		named("thread_name", pid, trackOf(s.ID, 0), title),
		named("thread_name", pid, trackOf(s.ID, 1), title+" a2b"),
		named("thread_name", pid, trackOf(s.ID, 2), title+" b2a"),
		event{
			Name: title, Phase: "X", Cat: "subflow", TS: micros(start), Dur: micros(max(end-start, 0)), PID: pid, TID: trackOf(s.ID, 0),
			Args: map[string]any{"state": s.State, "backup": s.Backup},
		},
	)
}

// instant writes an event of the connection or of a subflow.
func (w *Writer) instant(pid int, e *report.Event) {
	tid := trackOfConnection
	if e.Subflow != nil {
		tid = trackOf(*e.Subflow, 0)
	}
	out := event{Name: string(e.Kind), Phase: "i", Cat: "event", TS: micros(nanos(e.TS)), PID: pid, TID: tid, Scope: "t", Args: map[string]any{"detail": e.Detail}}
	if e.Packet != nil {
		out.Args["packet"] = *e.Packet
	}
	w.write(out)
}

// handovers writes the waits of a direction after a path died.
func (w *Writer) handovers(pid int, d report.Direction, c *report.ConnDir) {
	if c == nil {
		return
	}
	for _, h := range report.Known(c.Handovers) {
		start := nanos(h.TS)
		args := map[string]any{"direction": d, "gap_ms": h.GapMS, "blocked_ms": h.BlockedMS}
		name := fmt.Sprintf("handover from subflow %d to %d", h.From, h.To)
		w.overlapping(pid, "handover", name, start, start+int64(math.Round(h.GapMS*1e6)), args)
	}
}

// verdict writes a slice over the packets that prove a verdict, or over the whole connection where no
// packet has a time.
func (w *Writer) verdict(pid int, durationS float64, v *report.Verdict) {
	start, end, timed := 0.0, durationS, false
	for i := range v.Evidence {
		if t := v.Evidence[i].TS; t != nil {
			if !timed {
				start, end, timed = *t, *t, true
			}
			start, end = min(start, *t), max(end, *t)
		}
	}
	args := map[string]any{"severity": v.Severity, "text": v.Text, "remedy": v.Remedy}
	if v.Direction != nil {
		args["direction"] = *v.Direction
	}
	if v.Subflow != nil {
		args["subflow"] = *v.Subflow
	}
	w.overlapping(pid, "verdict", string(v.Code), nanos(start), nanos(end), args)
}

// overlapping writes a slice that may overlap others.
func (w *Writer) overlapping(pid int, cat, name string, start, end int64, args map[string]any) {
	w.ids++
	begin := event{Name: name, Phase: "b", Cat: cat, TS: micros(start), PID: pid, TID: trackOfConnection, ID: strconv.Itoa(w.ids), Args: args}
	finish := begin
	finish.Phase, finish.TS, finish.Args = "e", micros(max(start, end)), nil
	w.write(begin, finish)
}

// nanos turns seconds into nanoseconds.
func nanos(s float64) int64 { return int64(math.Round(s * 1e9)) }
