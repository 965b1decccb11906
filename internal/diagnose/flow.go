package diagnose

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// Limits of the verdicts. Shares of time are parts of the time from the first to the last
// payload of the direction.
const (
	fullMuch, fullSome = 10.0, 2.0 // percent of the time without room for a segment in the receive window
	quietMuch          = 25.0      // percent of the time in which nothing was outstanding
	appMuch            = 40.0      // percent of the time in states application and idle
	appLeast           = 1500.0    // ms of a direction that is judged by them: in a shorter one the round trip after the last data is much
	askedMuch          = 75.0      // percent of that time, up to data of the peer: the application answers, and the peer's lets time pass
	quietSome          = 10.0      // the same, where it explains an idle path
	copiesMuch         = 25.0      // percent of the data that was sent on two subflows
	queueRatio         = 2.0       // mean round trip of a path whose queue is kept full to its least one
	stallLeast         = 1e9       // ns
	noticeable         = 10e6      // ns: a shorter total time explains nothing
	briefly            = 1e6       // ns: if the longest time is shorter, the times explain nothing, unless their sum is large
)

// flow judges the flow of the data that side from sends.
func (j *judge) flow(from conn.Side) {
	d, t := j.dir(from), j.m.Symptoms.Dir(from)
	n := len(j.out)
	if j.timed() {
		j.blackHoles(from)
		j.stopped(from, t)
		j.handovers(from, t)
		j.withdrawn(from, t)
	}
	if float64(report.Known(d.Bytes)) >= fewBytes {
		if j.timed() {
			j.times(from, d, t)
		}
		tests := j.lossTests(from)
		j.out = append(j.out, lossy(j.c, from, tests)...)
		if j.timed() && !j.misses(from) {
			j.limits(from, d.TimeAccount, tests)
		}
		j.copies(from, d)
	}
	j.directed(n, from)
}

// directed enters the direction of the verdicts from the n-th on.
func (j *judge) directed(n int, from conn.Side) {
	for i := n; i < len(j.out); i++ {
		j.out[i].Direction = direction(from)
	}
}

// times judges where the time of a direction went.
func (j *judge) times(from conn.Side, d *report.ConnDir, t *symptoms.DataDir) {
	if !j.misses(from) { // else DATA_ACKs that the capture does not show may tell otherwise
		if j.m.Dir(from).WindowsKnown() {
			j.window(from, d, t)
			j.shrunk(t)
		}
		j.stall(t)
		j.application(from, t)
	}
	if j.m.Vantage != conn.Unknown { // a sender's capture shows gaps where the scheduler spread the data
		j.blocked(from, d, t)
	}
	j.fell(from, t)
	j.unequal(from)
	j.idle(from)
}

// withoutRoom returns the time in which the receive window had no room, ns, its part of the time of the direction, percent, and what tells
// it: the account of the time (state), the one that is inferred at the receiver (inferred), or else the windows that packets show.
func (j *judge) withoutRoom(from conn.Side) (ns int64, share float64, how string) {
	t, d := j.m.Symptoms.Dir(from), j.dir(from).TimeAccount
	ns, share = t.NoRoom.Total, percent(t.NoRoom.Total, t.Data.Duration())
	for _, x := range []*report.TimeAccount{d, j.atSender(from)} { // away from the sender all are lower bounds
		if x != nil && (x.SeenAt == report.SeenAtSender || x.Rwnd.MS*1e6 > float64(ns)) {
			if ns, share, how = int64(x.Rwnd.MS*1e6), x.Rwnd.Percent, "state"; x != d {
				how = "inferred"
			}
		}
	}
	return ns, share, how
}

// window judges a receive window that had no room for a segment: a sender waits for room
// for a segment, not for a window above 0 (rwnd_limited).
func (j *judge) window(from conn.Side, d *report.ConnDir, t *symptoms.DataDir) {
	ns, share, how := j.withoutRoom(from)
	if share < fullSome || ns < noticeable || share < fullMuch && t.NoRoom.Longest.Duration() < briefly {
		return
	}
	without := percent(t.NoRoom.Total, t.Data.Duration())
	v := j.add(report.VerdictWindowClosed, warningIf(share >= fullMuch), "",
		only(how == "state" && without >= share+1, number("without", "time with less than a segment of the window left, whatever limited", without, "percent")),
		lasted("longest", "", t.NoRoom.Longest.Duration()), when(how != "", how), word("why", j.whyFull(from, d, t)),
		when(j.m.Role(from) != metrics.Sender, "at_least"), // what is on its way uses the window, too
		number("share", "time with less than a segment of the window left", share, "percent"), counted("times", "times", t.NoRoom.Count),
		j.packet("no room for a segment, the longest time", t.NoRoom.Longest.From, -1), j.packet("room again", t.NoRoom.Longest.To, -1),
		only(unread(t), lasted("unread", "time in which unread data made the window small", t.Unread)))
	if d.RwndBytes != nil {
		enter(v, value("largest", d.RwndBytes.Max, "bytes"))
	}
	if s := t.Shut(); s.ZeroWindows > 0 {
		enter(v, counted("", "packets that advertise a window of 0", s.ZeroWindows), j.packet("the first of them", s.FirstZeroWindow, -1), lasted("", "time with a window of 0", s.Zero.Total))
	}
	costs(v, share, ns)
}

// shrunk judges a receive window of which the receiver took back what it had offered.
func (j *judge) shrunk(t *symptoms.DataDir) {
	s := &t.Shut().Shrinks
	if s.Total < noticeable {
		return
	}
	share := min(percent(s.Total, t.Data.Duration()), 100)
	costs(j.add(report.VerdictShrunk, warningIf(share >= fullMuch), "", counted("times", "", s.Count), lasted("longest", "", s.Longest.Duration()),
		j.packet("window taken back, the longest time without room", s.Longest.From, -1), j.packet("end of that time", s.Longest.To, -1),
		number("most", "taken back by one packet at most", float64(s.Most), "bytes"), counted("", "packets that took window back", s.Packets),
		lasted("total", "time without room because of that", s.Total)), share, s.Total)
}

// takenBack reports whether the window had no room mostly because a part of it was taken back.
func takenBack(t *symptoms.DataDir) bool {
	return t.Shut().Shrinks.Total >= noticeable && 2*t.Shut().Shrinks.Total > t.NoRoom.Total
}

// stall judges a time in which no DATA_ACK came.
func (j *judge) stall(t *symptoms.DataDir) {
	n := t.Stall.Duration()
	if n < stallLeast || t.Stops.Longest.From.Time < t.Stall.To.Time && t.Stall.From.Time < t.Stops.Longest.To.Time {
		return
	}
	v := j.add(report.VerdictStalled, report.Major, "", when(t.Stall.To.Time >= j.m.Conn.Last(), "to_end"),
		j.packet("last advance, or first data after a pause", t.Stall.From, -1), j.packet("next advance, or last packet", t.Stall.To, -1), lasted("stalled", "stalled", n))
	costs(v, min(percent(n, t.Data.Duration()), 100), n)
}

// application judges a sender that had nothing to send: nothing was outstanding for much of the
// time, or the account says that of appMuch percent of it. Without DATA_ACKs the send buffer stays full, and nothing
// is known of the application.
func (j *judge) application(from conn.Side, t *symptoms.DataDir) {
	if j.has(report.VerdictStrippedData) && t.Stall.Duration() >= stallLeast {
		return
	}
	quiet := percent(t.AppLimited, t.Data.Duration())
	share, ns, form, inferred := quiet, t.AppLimited, "", false
	if x := j.nothingSent(from); quiet < quietMuch && x != nil {
		share, ns, form, inferred = x.Application.Percent+x.Idle.Percent, int64((x.Application.MS+x.Idle.MS)*1e6), "states", x.SeenAt != report.SeenAtSender
	}
	if share < quietMuch || ns < noticeable {
		return
	}
	asked := percent(t.Awaited, t.AppLimited)
	v := j.add(report.VerdictApplication, report.Minor, form, value("share", share, "percent"), when(inferred, "inferred"),
		only(asked >= askedMuch, value("asked", asked, "percent")), only(asked >= askedMuch, word("advice", "asked")), only(!inferred, number("", "time with nothing outstanding", quiet, "percent")),
		j.packet("first data", t.Data.From, -1), j.packet("last data", t.Data.To, -1))
	costs(v, share, ns)
}

// nothingSent returns the account of a direction by which the application had nothing to send for much of the time; nil if it does
// not say so.
func (j *judge) nothingSent(from conn.Side) *report.TimeAccount {
	if x := j.atSender(from); x != nil && pausesTell(x) && x.DurationMS >= appLeast && x.Application.Percent+x.Idle.Percent >= appMuch {
		return x
	}
	return nil
}

// copies judges data that was sent on several subflows. A redundant scheduler sends it where it is acknowledged: a copy of
// data that was never acknowledged on its first subflow takes the place of lost data.
func (j *judge) copies(from conn.Side, d *report.ConnDir) {
	n := report.Known(d.ReinjectedBytes) - report.Known(d.ReinjectedSameSubflowBytes)
	for _, s := range j.subflows() {
		n -= s.Sub.Senders[from].InFlight()
	}
	share := percent(n, report.Known(d.Bytes))
	if share < copiesMuch {
		return
	}
	v := j.add(report.VerdictCopies, report.Major, "", number("share", "reinjected part of the data", share, "percent"), number("", "reinjected", float64(n), "bytes"))
	v.Cost = &share
	concernsBytes(v, n)
}

// fallCosts is the part of the time of a direction from which on a fall of the rate is a
// warning, percent.
const fallCosts = 5.0

// fell judges paths whose rate fell: what the network gives them became less.
func (j *judge) fell(from conn.Side, t *symptoms.DataDir) {
	if j.m.Role(from) != metrics.Sender {
		return
	}
	falls := make([]symptoms.RateFalls, len(j.subflows()))
	for i, s := range j.subflows() {
		falls[i] = s.Path(from).Fallen()
	}
	for i := range falls {
		f := &falls[i]
		if f.Count == 0 {
			continue
		}
		l, cost := &f.Longest, min(percent(f.Total, t.Data.Duration()), 100)
		v := j.add(report.VerdictRateFell, warningIf(cost >= fallCosts), "", lasted("longest", "", l.Duration()), lasted("total", "", f.Total),
			j.packet("the rate is low from here", l.From, i), j.packet("the rate is low up to here", l.To, i),
			number("before", "delivered before", l.Before.Mbps(), "Mbit/s"), number("during", "delivered then", l.During.Mbps(), "Mbit/s"), lasted("rtt", "least round trip then", l.RTT), counted("times", "times", f.Count))
		enter(v, j.others(falls, i)...)
		v.Subflow = subflowID(i)
		costs(v, cost, f.Total)
	}
}

// others returns which other paths fell at the same time as path i, and which did not. Of a path that fell at several times, or too
// briefly to count, neither is said.
func (j *judge) others(falls []symptoms.RateFalls, i int) (out []fact) {
	for k := range falls {
		if k == i || j.m.Subs[k].Sub.State.String() == "opening" || j.c.Subflows[k].Path == j.c.Subflows[i].Path {
			continue
		}
		at := falls[i].Longest.PacketRange
		switch f := &falls[k]; {
		case overlap(f.Longest.PacketRange, at):
			out = append(out, ofSubflow(k, when(true, "same")))
		case f.Count <= 1 && !overlap(f.Brief, at):
			out = append(out, ofSubflow(k, when(true, "others")))
		}
	}
	return out
}

// overlap reports whether two times have a part in common.
func overlap(a, b symptoms.PacketRange) bool {
	return a.From.Time < b.To.Time && b.From.Time < a.To.Time
}
