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
	quietSome          = 10.0      // the same, where it explains an idle path
	queueRatio         = 2.0       // mean round trip of a path whose queue is kept full to its least one
	noticeable         = 10e6      // ns: a shorter total time explains nothing
	briefly            = 1e6       // ns: if the longest time is shorter, the times explain nothing, unless their sum is large
)

// flow judges the flow of the data that side from sends.
func (j *judge) flow(from conn.Side) {
	d, t := j.dir(from), j.m.Symptoms.Dir(from)
	n := len(j.out)
	if j.timed() {
		j.search(from, report.VerdictBlackHole)
		j.search(from, report.VerdictAllStopped)
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
		j.search(from, report.VerdictCopies)
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
			j.search(from, report.VerdictWindowClosed, report.VerdictShrunk)
		}
		j.search(from, report.VerdictStalled, report.VerdictApplication)
	}
	if j.m.Vantage != conn.Unknown { // a sender's capture shows gaps where the scheduler spread the data
		j.blocked(from, d, t)
	}
	j.fell(from, t)
	j.unequal(from)
	j.idle(from)
}

// room is the time in which the receive window had no room, ns, its part of the time of the direction, percent, and what tells
// it: the account of the time (state), the one that is inferred at the receiver (inferred), or else the windows that packets show.
type room struct {
	NS    int64
	Share float64
	How   string
}

func (j *judge) withoutRoom(from conn.Side) (r room) {
	t, d := j.m.Symptoms.Dir(from), j.dir(from).TimeAccount
	r = room{NS: t.NoRoom.Total, Share: percent(t.NoRoom.Total, t.Data.Duration())}
	for _, x := range []*report.TimeAccount{d, j.atSender(from)} { // away from the sender all are lower bounds
		if x != nil && (x.SeenAt == report.SeenAtSender || x.Rwnd.MS*1e6 > float64(r.NS)) {
			if r = (room{int64(x.Rwnd.MS * 1e6), x.Rwnd.Percent, "state"}); x != d {
				r.How = "inferred"
			}
		}
	}
	return r
}

// takenBack reports whether the window had no room mostly because a part of it was taken back.
func takenBack(t *symptoms.DataDir) bool {
	return t.Shut().Shrinks.Total >= noticeable && 2*t.Shut().Shrinks.Total > t.NoRoom.Total
}

// nothingSent returns the account of a direction by which the application had nothing to send for much of the time; nil if it does
// not say so.
func (j *judge) nothingSent(from conn.Side) *report.TimeAccount {
	if x := j.atSender(from); x != nil && pausesTell(x) && x.DurationMS >= appLeast && x.Application.Percent+x.Idle.Percent >= appMuch {
		return x
	}
	return nil
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
