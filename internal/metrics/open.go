package metrics

import (
	"cmp"
	"math"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
	"mpanalyze/internal/subflow"
)

// The functions in this file report on a connection that is still open. They do not
// change what is measured.

// NoPayloadYet is why figures are absent before the place of the capture is known.
const NoPayloadYet = "no payload has passed yet"

// LookSoFar prepares a connection that is still open for a report on what has passed so
// far.
func (m *Connection) LookSoFar() {
	m.hidden = m.k.hidden
	m.cutOff()
}

// ReportSubflowSoFar does what [Connection.ReportSubflow] does for a connection that
// may still be open, but only for the figures that verdicts need. For distributions it
// fills in only averages and extremes.
func (m *Connection) ReportSubflowSoFar(s *Sub, from conn.Side, f fill.Fields, out *report.SubDir) {
	v := &view{Fields: f, m: m, sub: s, from: from, role: m.Role(from), cut: m.MapsCutSoFar(from)}
	new(countReport).reportSubflow(v, out)
	new(lossReport).reportSubflow(v, out)
	new(timeAccount).reportSubflow(v, out)
	v.share(out)
	d := s.Dir(from)
	if avg, ok := d.Rate().Avg(); ok {
		out.Throughput = v.Mem.Rates.Of(report.RateStat{Avg: avg})
	}
	if mean, _, n := d.InFlight().SoFar(); n > 0 {
		out.InFlightBytes = v.Mem.Stats.Of(report.Stat{Avg: mean})
	}
	if _, least, n := d.RTT.SoFar(); n > 0 {
		out.RTT = &report.SpreadStat{Stat: report.Stat{Min: least}}
		out.SRTT = &report.SRTTStat{SpreadStat: report.SpreadStat{Stat: report.Stat{Avg: d.meanSRTT()}}}
	}
	out.Unavailable = v.Take()
}

// ReportConnectionSoFar does the same for the data that side from sends on all
// subflows. named are these subflows in the report.
func (m *Connection) ReportConnectionSoFar(from conn.Side, named []report.Subflow, f fill.Fields, out *report.ConnDir) {
	v := &view{Fields: f, m: m, from: from, role: m.Role(from), cut: m.MapsCutSoFar(from), named: named}
	new(countReport).reportConnection(v, out)
	new(timeAccount).reportConnection(v, out)
	all := m.First(nil, from)
	v.benefit(out, all, v.paths(out, named, all))
	if x := v.dir().Delays(); m.DelayReason(from) == "" {
		if mean, _, n := x.HoLBlocking.SoFar(); n > 0 {
			out.HoLBlocking = v.Mem.Stats.Of(report.Stat{Avg: mean})
		}
	}
	out.Unavailable = v.Take()
}

// meanSRTT returns the mean of the smoothed round-trip times so far, ms.
func (t *RoundTrips) meanSRTT() float64 {
	if t.derived {
		mean, _, _ := t.SRTT.SoFar()
		return mean
	}
	var e subflow.Estimator
	sum, n := 0.0, 0.0
	for v := range t.RTT.ExactValues() {
		for range int64(v.Weight) {
			e.Add(int64(math.Round(v.Value * 1e6)))
			sum += e.SRTT / 1e6
			n++
		}
	}
	return sum / max(1, n)
}

// LossSoFar is what one direction of a subflow has lost so far, as the metric drops
// defines it.
type LossSoFar struct {
	Segments int64  // segments sent, including those that the host dropped before the capture point
	Lost     int64  // segments of these that were lost
	Why      string // why the numbers are not known; empty where they are
}

// LossSoFar returns how much of the data that side from sends was lost on a subflow.
func (m *Connection) LossSoFar(s *Sub, from conn.Side) LossSoFar {
	h := &s.Sub.Senders[from]
	if !m.fixed {
		return LossSoFar{Segments: h.Segments, Why: NoPayloadYet}
	}
	v := view{m: m, sub: s, from: from, role: m.Role(from)}
	lost, before, why := v.lost(h)
	return LossSoFar{Segments: h.Segments + before, Lost: lost, Why: why}
}

// AccountSoFar returns the account of the time of a subflow, for the data that side from sends, as far as
// it is settled: that takes some packets, or the end of the connection. known is false where there is none.
func (m *Connection) AccountSoFar(s *Sub, from conn.Side) (t report.TimeAccount, known bool) {
	v := view{m: m, sub: s, from: from, role: m.Role(from), cut: m.MapsCutSoFar(from)}
	x := v.dir().account()
	if v.noAccount() != "" || !x.rules.Has(s.Sub.ID) {
		return t, false
	}
	return statesOf(&x.subs.at(s.Sub.ID).Times, seenAt[v.role]), true
}

// SRTTSoFar returns the smoothed round-trip time of the data that side from sends on a
// subflow after its latest sample, ms, or why there is none.
func (m *Connection) SRTTSoFar(s *Sub, from conn.Side) (srtt float64, why string) {
	d := s.Dir(from)
	v := view{m: m, sub: s, from: from, role: m.Role(from)}
	switch {
	case m.Conn.ClockFault() != "":
		return 0, m.Conn.ClockFault()
	case d.HasSRTT():
		return d.est.SRTT / 1e6, ""
	case !m.fixed:
		return 0, NoPayloadYet
	case v.role == Sender:
		return 0, noSample
	}
	return 0, v.noEcho()
}

// WindowSoFar returns the latest receive window that the receiver of a direction
// offered, and its unused part, bytes. If they are not known, it returns why. After a
// fallback the unused part is not known.
func (d *DataDir) WindowSoFar() (size, free int64, why string) {
	if d.m == nil {
		return 0, 0, noWindow
	}
	w := d.Window()
	if why := cmp.Or(d.m.acksCut(d.from), d.m.mapsCut(d.from)); why != "" || !w.Known {
		return 0, 0, cmp.Or(why, noWindow)
	}
	if d.m.Conn.Fallback != "" {
		return 0, 0, "the connection fell back to TCP: no DATA_ACK tells of the window"
	}
	if d.edgeUnknown {
		return 0, 0, noScale
	}
	return w.latest, d.free(), ""
}

// MapsCutSoFar is [Connection.MapsCut] for a connection that is still open. Where one direction
// shows a fallback, it shows it late: the data before has a mapping later than it passed.
func (m *Connection) MapsCutSoFar(from conn.Side) string {
	if why := m.Lacks(from.Other()); why != "" && m.Conn.Fallback != "" {
		return why
	}
	if _, all := m.Conn.Unseen(from); all { // the report has no such direction, and of two captures the other one may show it
		return m.mapsCut(from)
	}
	return cmp.Or(m.LacksData(from), m.mapsCut(from))
}
