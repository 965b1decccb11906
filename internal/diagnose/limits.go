package diagnose

import (
	"cmp"
	"math"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// Limits of the verdicts on what limited a direction most. Shares are percent of its time by its account.
const (
	mainLimit     = 40.0 // states of which a direction has this much are always named
	senderMuch    = 25.0 // state window, from which on the sender limits
	answersMost   = 50.0 // percent of the bursts of data that follow an ACK at once: below, the application or pacing says when data leaves
	cleanMost     = 10.0 // states recovery and path, each: below, pauses tell who holds back at the receiver, too
	standRatio    = 1.5  // mean round trip of a path / its least: above, its queue is never empty for long
	steadyMost    = 0.9  // mean rate / the most over a second or longer: a path that carries this is as full at all times
	ackWaitLeast  = 20.0 // ms: ACKs that wait less are those of an uplink that works
	networkMuch   = 50.0 // states in which a path limits: so many of them, and another path can help
	networkSome   = 10.0 // the same away from the sender, where most of the time is undetermined, and of state path, so that a queue stands
	mostSawtooth  = 2.0  // mean flight / the flight that losses allow: above, losses do not hold the window
	renoSawtooth  = 1.22 // mean flight of Reno, segments, times the root of the part of segments that losses hit (Mathis et al., 1997)
	cubicSawtooth = 1.17 // the same of CUBIC with its constants, by the three-quarter power of round trip, s, and distance of losses (RFC 9438, Section 5.1)
	lossesCost    = 10.0 // percent of the time that losses cost, from which on that is a warning
	shareMuch     = 10.0 // percent of the data: a path that carried less says nothing of the others
)

// limits judges what limited a direction by the account of its time.
func (j *judge) limits(from conn.Side, x *report.TimeAccount, tests map[int]*lossTest) {
	if x == nil || j.has(report.VerdictStrippedData) { // without DATA_ACKs the send buffer stays full
		return
	}
	back := j.acksWait(from)
	full, queues := x.Path, j.queuesStand(from, x)
	if full.Percent >= mainLimit && !back {
		j.pathFull(from, full.Percent)
	}
	if x = j.atSender(from); x == nil {
		return
	}
	answers, known := j.m.Dir(from).Answers()
	held := !known || answers >= answersMost
	// A sender limits itself where what is outstanding does not grow although the paths and the receive window have room.
	if w := x.Window; limitsItself(w.Percent, held) && !queues && pausesTell(x) && w.Percent > full.Percent && w.MS*1e6 >= noticeable {
		v := j.add(report.VerdictSenderLimited, report.Major, "", value("share", w.Percent, "percent"), when(x.SeenAt != report.SeenAtSender, "inferred"), when(!held, "paced"))
		v.Certainty = report.Likely
		costs(v, w.Percent, int64(w.MS*1e6))
	}
	lossy := false
	for i := range j.subflows() {
		lossy = j.lossLimited(i, from, x, tests[i]) || lossy
	}
	if held && !lossy && full.Percent < mainLimit && x.SeenAt == report.SeenAtSender { // elsewhere a window that a buffer holds looks as one that grows
		j.slowStart(from, x)
	}
}

// limitsItself reports whether state window is so long, percent, that the sender limits itself. held says that data follows ACKs at
// once. Where it does not, the application or pacing may decide when data leaves; then only a main limit is named.
func limitsItself(window float64, held bool) bool {
	return window >= mainLimit || held && window >= senderMuch
}

// queuesStand reports whether a queue stood on each path that carried much of the data. The mean round trip
// alone does not show it: bursts and delayed ACKs make that of a small flight long. So the rate has to stand, too.
func (j *judge) queuesStand(from conn.Side, x *report.TimeAccount) bool {
	if x.Path.Percent < networkSome {
		return false
	}
	n := 0
	for i := range j.subflows() {
		d := j.subDir(i, from)
		if d.Share == nil || *d.Share < shareMuch {
			continue
		}
		if least := leastRoundTrip(d, &j.c.Subflows[i]); d.SRTT == nil || least == 0 || d.SRTT.Avg < standRatio*least {
			return false
		}
		n++
	}
	return n > 0
}

// acksWait judges paths whose ACKs wait on their way back for most of what makes the round trip longer: what limits is the queue
// of the other direction, as that of a narrow or busy uplink behind a wide downlink. It reports whether one did that carried much.
func (j *judge) acksWait(from conn.Side) (found bool) {
	for i := range j.subflows() {
		d := j.subDir(i, from)
		waits, known := j.m.Dir(from).AckDelay(i)
		least := leastRoundTrip(d, &j.c.Subflows[i])
		if !known || waits < ackWaitLeast || least == 0 || d.SRTT == nil || d.SRTT.Avg < standRatio*least || 2*waits < d.SRTT.Avg-least || d.Share == nil || *d.Share < report.FewShare {
			continue
		}
		v := j.add(report.VerdictAcksWait, report.Major, "", number("waits", "ACKs waited on average", waits, "ms"),
			number("srtt", "mean round trip", d.SRTT.Avg, "ms"), number("least", "least round trip", least, "ms"))
		v.Subflow, v.CostUnknown, found = subflowID(i), "how fast the path is without it is not known", true
	}
	return found
}

// pathFull says that the paths carried what they could: nothing else limited.
func (j *judge) pathFull(from conn.Side, share float64) {
	v := j.add(report.VerdictPathFull, report.Fine, "", value("share", share, "percent"))
	for i, s := range j.subflows() {
		if mbps, known := s.Path(from).DeliveredRate(); known && mbps > 0 {
			enter(v, ofSubflow(i, value("rate", mbps, "Mbit/s")))
		}
	}
	v.CostUnknown = "what a wider path saves depends on its rate"
}

// lossLimited judges a path whose losses hold its congestion window below what the path carries:
// the window was used up, no queue stood, and the mean flight is what such losses leave of it.
func (j *judge) lossLimited(i int, from conn.Side, x *report.TimeAccount, t *lossTest) bool {
	d, s := j.subDir(i, from), &j.c.Subflows[i]
	a, inferred := d.TimeAccount, report.TimeAccount{}
	if x.SeenAt != report.SeenAtSender {
		inferred, _ = j.m.Dir(from).Inferred(i)
		a = &inferred
	}
	if a == nil || d.Drops == nil || d.Drops.Count == 0 || d.SRTT == nil || d.Segments == 0 || a.CongestionWindow.MS < mainLimit/100*x.DurationMS {
		return false
	}
	flight := float64(d.Segments) * d.SRTT.Avg / max(1, a.DurationMS)    // mean over time, by Little's law
	hits := float64(max(1, len(j.m.Subs[i].Path(from).Losses.Rounds()))) // the losses of one round trip reduce the window once (RFC 5681)
	apart := float64(d.Segments) / hits                                  // segments from loss to loss
	allowed := max(renoSawtooth*math.Sqrt(apart), cubicSawtooth*math.Pow(d.SRTT.Avg/1e3*apart, 0.75))
	least := leastRoundTrip(d, s)
	mostRTT := queueRatio
	if t != nil && t.cause == report.CauseQueue {
		mostRTT = standRatio // it overflows although it is empty at times
	}
	if flight > mostSawtooth*allowed || least == 0 || d.SRTT.Avg >= mostRTT*least {
		return false
	}
	v := j.add(report.VerdictLossLimited, report.Minor, "", value("share", 100*a.CongestionWindow.MS/x.DurationMS, "percent"),
		value("srtt", d.SRTT.Avg, "ms"), value("least", least, "ms"), value("hits", hits, "count"))
	v.Subflow, v.Certainty = subflowID(i), report.Likely
	cmp.Or(t, untested()).enter(v, d.Drops, from)
	enter(v, counted("drops", "", d.Drops.Count), number("flight", "mean flight", flight, "segments"), number("", "flight that such losses allow", allowed, "segments"))
	if saved := j.atMost(i, from, x, pathsTime(x)); saved > 0 {
		v.Severity = warningIf(100*saved >= lossesCost*x.DurationMS)
		costs(v, 100*saved/x.DurationMS, int64(saved*1e6))
	}
	return true
}

// pathsTime returns the time in which the paths limited, ms.
func pathsTime(x *report.TimeAccount) float64 {
	return x.Path.MS + x.Recovery.MS + x.CongestionWindow.MS + x.SlowStart.MS
}

// atMost returns how much of the time in which the paths limit is saved if a path carries in all of it what
// it was seen to carry, ms; 0 where that is not known. Its rate without pauses counts: what the application does not
// send cannot come sooner. A path that carried nothing counts as the mean of the others.
func (j *judge) atMost(i int, from conn.Side, x *report.TimeAccount, limits float64) float64 {
	busy := max(limits, x.DurationMS-x.Application.MS-x.Idle.MS)
	sum, own, used := 0.0, 0.0, 0.0
	for k := range j.subflows() {
		d := j.subDir(k, from)
		if d.Throughput == nil {
			continue
		}
		mbps := d.Throughput.Avg * x.DurationMS / max(1, busy)
		sum += mbps
		used++
		if k == i {
			own = mbps
		}
	}
	most := j.m.Dir(from).Carries(i)
	if own == 0 && used > 0 {
		most = sum / used
	}
	if most <= own {
		return 0
	}
	return limits * (most - own) / (sum - own + most)
}

// slowStart judges a congestion window that had not grown yet. Where something was lost, state
// congestion_window does not tell that it still grew.
func (j *judge) slowStart(from conn.Side, x *report.TimeAccount) {
	lost := slices.ContainsFunc(j.c.Subflows, func(s report.Subflow) bool {
		d := s.Dir(directionOf(from))
		return d != nil && d.Drops != nil && d.Drops.Count > 0
	})
	form, share, growing := "", x.SlowStart.Percent, x.SlowStart.Percent+x.CongestionWindow.Percent
	switch {
	case share >= mainLimit:
	case growing >= mainLimit && !lost && x.Path.Percent < networkSome:
		form, share = "growing", growing
	default:
		return
	}
	j.add(report.VerdictSlowStart, report.Minor, form, value("share", share, "percent")).CostUnknown = "it depends on the window to begin with"
}
