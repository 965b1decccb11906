package diagnose

import (
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// blockedMuch is the percentage of the time in which delivery waited for one path, from which on that is said.
const blockedMuch = 25.0

// Waits returns the verdicts on delivery that waited for one path, for the directions whose
// data arrives at this capture. If there are captures of both hosts, these verdicts replace
// the ones from the sender's capture: see [Document].
func (Judge) Waits(m *metrics.Connection, c *report.Connection) []report.Verdict {
	j := judge{m: m, start: m.Conn.Start, c: c}
	for _, from := range sides {
		n, d := len(j.out), j.dir(from)
		if !j.timed() || m.Role(from) == metrics.Sender || float64(report.Known(d.Bytes)) < fewBytes {
			continue
		}
		j.blocked(from, d, m.Symptoms.Dir(from))
		j.directed(n, from)
	}
	j.complete()
	return j.out
}

// blocked judges delivery that waited for paths: one verdict, on the path that it waited for most, which
// names the others.
func (j *judge) blocked(from conn.Side, d *report.ConnDir, t *symptoms.DataDir) {
	var all, named int64
	worst := -1
	var also []fact
	for i, s := range j.subflows() {
		n := s.Path(from).Blocked.Total
		share := min(percent(n, t.Data.Duration()), 100)
		if all += n; share < blockedMuch || n < noticeable {
			continue
		}
		also = append(also, ofSubflow(i, value("also", share, "percent")))
		if named += n; worst < 0 || n > j.m.Subs[worst].Path(from).Blocked.Total {
			worst = i
		}
	}
	if worst < 0 {
		return
	}
	also = slices.DeleteFunc(also, func(f fact) bool { return *f.Subflow == worst })
	c, part := &j.m.Subs[worst].Path(from).Blocked, percent(named, all)
	v := j.add(report.VerdictHoLBlocked, report.Minor, "", when(j.m.Role(from) == metrics.Sender, "at_sender"),
		number("blocked", "time in which delivery waited for it", min(percent(c.Total, t.Data.Duration()), 100), "percent"), counted("", "times", c.Count),
		j.packet("delivery stops, the longest time", c.Longest.From, worst), j.packet("delivery goes on", c.Longest.To, worst),
		lasted("longest", "longest wait", c.Longest.Duration()), number("part", "part of all such waits", part, "percent"))
	enter(v, also...)
	if h := d.HoLBlocking; h != nil { // a smaller wait than 1 ms is within the variation of the round trip
		enter(v, number("hol", "hol_blocking_ms avg", h.Avg, "ms"))
	}
	v.Subflow, v.Cost = subflowID(worst), addedDelay(d, part)
	j.weigh(v, from, d)
	v.CostUnknown = "that delivery waits costs throughput only while the receive window is full, which receive_window counts"
}

// waitsMostFor returns the subflow that delivery waited for most; negative if none is judged.
func (j *judge) waitsMostFor(from conn.Side) int {
	worst, most := -1, int64(0)
	for i, s := range j.subflows() {
		if n := s.Path(from).Blocked.Total; n > most && j.concerning(i, from, report.VerdictHoLBlocked) != nil {
			worst, most = i, n
		}
	}
	return worst
}

// addedDelay returns which percentage of the protocol delay, on average, was added by
// waiting for data of a subflow; nil if that was not measured. The delay that all subflows
// add is divided by the time in which each of them was waited for; this subflow has part
// percent of that time.
func addedDelay(d *report.ConnDir, part float64) *float64 {
	if d.HoLBlocking == nil || d.ProtocolDelay == nil || d.ProtocolDelay.Avg <= 0 {
		return nil
	}
	return new(min(100*d.HoLBlocking.Avg/d.ProtocolDelay.Avg, 100) * part / 100)
}

// weigh sets the severity of head-of-line blocking. It costs more than is usual for paths of different delay where it
// adds more than a round trip on average, or keeps the receive window full.
func (j *judge) weigh(v *report.Verdict, from conn.Side, d *report.ConnDir) {
	most, window := 0.0, 0.0
	for i := range j.c.Subflows[:min(len(j.c.Subflows), symptoms.MaxFollowed)] {
		if r := j.subDir(i, from).SRTT; r != nil {
			most = max(most, r.Avg)
		}
	}
	for i := range j.out {
		o := &j.out[i]
		if o.Code == report.VerdictWindowClosed && (o.Direction == nil || *o.Direction == directionOf(from)) && waitsFill(v, o) {
			window = *o.Cost
			enter(v, value("window", window, "percent"))
		}
	}
	v.Severity = warningIf(d.HoLBlocking != nil && d.HoLBlocking.Avg > most || window >= fullMuch)
}

// waitsFill reports whether data that waits for a path keeps the receive window full: for half of that time at least, and nothing in it
// is unread.
func waitsFill(waits, full *report.Verdict) bool {
	return full.Cost != nil && figure(full, "unread") == 0 && 2*figure(waits, "blocked") >= *full.Cost
}

// judgeBlockedAgain judges verdicts on blocked delivery by the figures of both captures, if
// the verdicts come from the receiver's capture. Which paths were waited for, and how long,
// does not change.
func judgeBlockedAgain(c *report.Connection) {
	if c.Verdicts == nil {
		return
	}
	j := judge{c: c, out: *c.Verdicts}
	for i := range j.out {
		v := &j.out[i]
		if v.Code != report.VerdictHoLBlocked || v.Direction == nil || v.Subflow == nil || parameter(v, "at_sender") != nil {
			continue
		}
		d := j.dir(from(v))
		switch h, was := d.HoLBlocking, named(v, "hol"); {
		case h != nil && was != nil:
			was.Value = &h.Avg
		case h != nil:
			enter(v, number("hol", "hol_blocking_ms avg", h.Avg, "ms"))
		case was != nil:
			was.Name = "" // the sentence does not have it
		}
		v.Cost = addedDelay(d, figure(v, "part"))
		j.weigh(v, from(v), d)
		j.advise(v)
	}
	*c.Verdicts = ranked(j.out)
}
