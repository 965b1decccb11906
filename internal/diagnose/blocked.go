package diagnose

import (
	"fmt"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// Names of the figures in a verdict on blocked delivery. The verdict is judged again by
// these figures if there is a second capture.
const (
	proofBlocked = "time in which delivery waited for it"
	proofLongest = "longest wait"
	proofPart    = "part of all such waits"
	proofUnread  = "time in which unread data made the window small"
	proofHoL     = "hol_blocking_ms avg"
)

// fromACKs explains the times in a capture at the sender.
const fromACKs = "; this is the time between ACKs at the sender, not the wait at the receiver"

// Waits returns the verdicts on delivery that waited for one path, for the directions whose
// data arrives at this capture. If there are captures of both hosts, these verdicts replace
// the ones from the sender's capture: see [Document].
func (o Options) Waits(m *metrics.Connection, c *report.Connection) []report.Verdict {
	j := judge{kernel: o.Kernel, m: m, start: m.Conn.Start, c: c}
	for _, from := range [2]conn.Side{conn.A, conn.B} {
		n, d := len(j.out), j.dir(from)
		if !j.timed() || m.Role(from) == metrics.Sender || float64(report.Known(d.Bytes)) < fewBytes {
			continue
		}
		j.blocked(from, d, m.Symptoms.Dir(from))
		j.directed(n, from)
	}
	j.remedies()
	return j.out
}

// blocked judges delivery that waited for one path.
func (j *judge) blocked(from conn.Side, d *report.ConnDir, t *symptoms.DataDir) {
	var all int64
	for _, s := range j.subflows() {
		all += s.Path(from).Blocked.Total
	}
	_, noRoom, _ := j.withoutRoom(from)
	for i, s := range j.subflows() {
		c := s.Path(from)
		share := percent(c.Blocked.Total, t.Data.Duration())
		if share < blockedMuch || c.Blocked.Total < noticeable {
			continue
		}
		seen := ""
		if j.m.Role(from) == metrics.Sender {
			seen = fromACKs
		}
		part := percent(c.Blocked.Total, all)
		v := j.add(report.VerdictHoLBlocked, warningIf(j.severe(from, d, noRoom)),
			j.blockedText(i, share, c.Blocked.Longest.Duration(), d.HoLBlocking)+seen,
			number(proofBlocked, share, "percent"), number("times", float64(c.Blocked.Count), "count"),
			j.packet("delivery stops, the longest time", c.Blocked.Longest.From, i), j.packet("delivery goes on", c.Blocked.Longest.To, i),
			number(proofLongest, float64(c.Blocked.Longest.Duration())/1e6, "ms"), number(proofPart, part, "percent"))
		if h := d.HoLBlocking; h != nil {
			v.Evidence = append(v.Evidence, number(proofHoL, h.Avg, "ms"))
		}
		v.Subflow, v.Cost = subflowID(i), addedDelay(d, part)
		v.CostUnknown = "that delivery waits costs throughput only while the receive window is full, which receive_window counts"
	}
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

// blockedText says for what share of the time delivery waited for a subflow, how long the
// longest wait was, ns, and how much the waits for all paths add to the delay.
func (j *judge) blockedText(sub int, share float64, longest int64, hol *report.Stat) string {
	text := fmt.Sprintf("data that had arrived waited %.0f %% of the time for data on subflow %d (%s), up to %s with no delivery at all",
		share, sub, j.c.Subflows[sub].Path, durationText(longest))
	if hol != nil && hol.Avg >= 1 { // a smaller wait is within the variation of the round trip
		text += fmt.Sprintf("; the waits for all paths added %.0f ms to the delay on average (head-of-line blocking)", hol.Avg)
	}
	return text
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

// severe reports whether head-of-line blocking costs more than is usual for paths of
// different delay: it adds more than a round trip on average, or the receive window is full
// because of it, for noRoom percent of the time.
func (j *judge) severe(from conn.Side, d *report.ConnDir, noRoom float64) bool {
	most := 0.0
	for i := range j.c.Subflows[:min(len(j.c.Subflows), maxSubflows)] {
		if r := j.subDir(i, from).SRTT; r != nil {
			most = max(most, r.Avg)
		}
	}
	return d.HoLBlocking != nil && d.HoLBlocking.Avg > most || noRoom >= fullMuch
}

// judgeBlockedAgain judges verdicts on blocked delivery by the figures of both captures, if
// the verdicts come from the receiver's capture. Which paths were waited for, and how long,
// does not change.
func (o Options) judgeBlockedAgain(c *report.Connection) {
	if c.Verdicts == nil {
		return
	}
	j := judge{kernel: o.Kernel, c: c, out: *c.Verdicts}
	for i := range j.out {
		v := &j.out[i]
		if v.Code != report.VerdictHoLBlocked || v.Direction == nil || v.Subflow == nil || strings.HasSuffix(v.Text, fromACKs) {
			continue
		}
		d := j.dir(from(v))
		v.Text = j.blockedText(*v.Subflow, figure(v, proofBlocked), int64(figure(v, proofLongest)*1e6), d.HoLBlocking)
		v.Severity = warningIf(j.severe(from(v), d, j.noRoom(v)))
		v.Cost = addedDelay(d, figure(v, proofPart))
		v.Remedy = j.advice(v)
	}
	*c.Verdicts = ranked(j.out)
}

// noRoom returns for how many percent of the time the receive window had no room, from the
// verdict about that in the direction of v; 0 if there is no such verdict.
func (j *judge) noRoom(v *report.Verdict) float64 {
	for i := range j.out {
		if o := &j.out[i]; o.Code == report.VerdictWindowClosed && o.Cost != nil && from(o) == from(v) {
			return *o.Cost
		}
	}
	return 0
}

// figure returns a number of a verdict's evidence by its name; 0 if there is none.
func figure(v *report.Verdict, what string) float64 {
	for i := range v.Evidence {
		if e := &v.Evidence[i]; e.What == what && e.Value != nil {
			return *e.Value
		}
	}
	return 0
}
