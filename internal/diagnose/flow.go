package diagnose

import (
	"fmt"
	"math"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/remedy"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
	"mpanalyze/internal/textwrap"
)

// Limits of the verdicts. Shares of time are parts of the time from the first to the last
// payload of the direction.
const (
	fullMuch, fullSome   = 10.0, 2.0 // percent of the time without room for a segment in the receive window
	blockedMuch          = 25.0      // percent of the time in which delivery waited for one path
	quietMuch            = 25.0      // percent of the time in which nothing was outstanding
	appMuch              = 40.0      // percent of the time in states application and idle
	appLeast             = 1500.0    // ms of a direction that is judged by them: in a shorter one the round trip after the last data is much
	quietSome            = 10.0      // the same, where it explains an idle path
	copiesMuch           = 25.0      // percent of the data that was sent on two subflows
	lossMuch             = report.LossMuch
	lossCosts            = report.LossCosts
	lossLeast            = report.LossLeast
	idleMuch             = 50.0 // percent of the cells in which a path was open
	idleLeast            = 10   // cells in which a path must have been open
	idleShare            = 10.0 // percent of the data: a path that carried more was not left idle
	rttRatio, speedRatio = report.RTTRatio, 5.0
	queueRatio           = 2.0  // mean round trip of a path whose queue is kept full to its least one
	stallLeast           = 1e9  // ns
	noticeable           = 10e6 // ns: a shorter total time explains nothing
	briefly              = 1e6  // ns: if the longest time is shorter, the times explain nothing, unless their sum is large
	benefitLeast         = 1.05
	besideLeast          = 10.0 // percent of the cells in which a path carried data, in which others did, too
)

// flow judges the flow of the data that side from sends.
func (j *judge) flow(from conn.Side) {
	d, t := j.dir(from), j.m.Symptoms.Dir(from)
	n := len(j.out)
	if j.timed() {
		j.blackHoles(from)
		j.stopped(from, t)
		j.handovers(from, t)
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
		j.copies(d)
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
			j.shrunk(from, t)
		}
		j.stall(t)
		j.application(from, d, t)
	}
	if j.m.Vantage != conn.Unknown { // a sender's capture shows gaps where the scheduler spread the data
		j.blocked(from, d, t)
	}
	j.fell(from, t)
	j.unequal(from)
	j.idle(from)
}

// timed reports whether the timestamps can be used to measure time. If not, figures of
// time and the verdicts that use them are absent.
func (j *judge) timed() bool { return j.m.Conn.ClockFault() == "" }

// dir returns the figures of the data that side from sends.
func (j *judge) dir(from conn.Side) *report.ConnDir { return j.c.Dir(directionOf(from)) }

// subDir returns the figures of the data that side from sends over a subflow.
func (j *judge) subDir(i int, from conn.Side) *report.SubDir { return subDirOf(j.c, i, from) }

// handovers judges paths that died.
func (j *judge) handovers(from conn.Side, t *symptoms.DataDir) {
	for _, h := range t.Handovers {
		how := silenceOf(&h)
		if r := j.removal(&h); r != nil {
			if j.closed(h.From) && !h.Reset.Seen() {
				how = "was closed"
			}
			text := fmt.Sprintf("%s withdrew address id %d of subflow %d (REMOVE_ADDR), which then %s", side(r.From), r.ID, h.From, how)
			proofs := []report.Proof{j.packet("REMOVE_ADDR", r.At, -1), j.silence(&h)}
			if !h.Idle { // else nothing waited
				text += fmt.Sprintf("; subflow %d continued after %s", h.To, durationText(h.Gap.Duration()))
				proofs = append(proofs, j.packet("first progress elsewhere", h.Gap.To, h.To))
			}
			v := j.add(report.VerdictPathRemoved, report.Minor, text, proofs...)
			v.Subflow = subflowID(h.From)
			if s := j.m.Subs[h.From].Sub; s.Joined && s.AddressID[r.From] < 0 {
				v.Certainty = report.Likely
			}
			took(v, h.Blocked)
			continue
		}
		changed := j.concerning(h.From, from, report.VerdictChecksum) // there is at most one
		switch {
		case h.Idle || h.Stopped || j.concerning(h.From, from, report.VerdictBlackHole) != nil || slices.Contains(j.moved, h.From) || j.lossy(&h, from):
		case !h.Back.Seen() && !h.Reset.Seen() && j.early(h.From, h.Gap.From.Time, pathText(h.From, &j.c.Subflows[h.From])+" makes no progress, with data outstanding", j.silence(&h)):
		case h.Reset.Seen() && changed != nil:
			// The host reset the subflow because its payload was changed: that verdict says so.
			j.continued(&h, changed)
		default:
			j.died(&h, from, how)
		}
	}
}

// continued says in the verdict on payload that was changed which subflow went on.
func (j *judge) continued(h *symptoms.Handover, v *report.Verdict) {
	v.Text += fmt.Sprintf("; subflow %d continued after %s", h.To, durationText(h.Gap.Duration()))
	v.Evidence = append(v.Evidence, j.packet("first progress elsewhere", h.Gap.To, h.To))
}

// closed reports whether a host ended a subflow with FIN.
func (j *judge) closed(sub int) bool {
	for side := range j.m.Subs[sub].Sub.Senders {
		if _, fin := j.m.Subs[sub].Sub.Senders[side].FIN(); fin {
			return true
		}
	}
	return false
}

// died enters the verdict on a path that died.
func (j *judge) died(h *symptoms.Handover, from conn.Side, how string) {
	text := pathText(h.From, &j.c.Subflows[h.From]) + " " + how
	proofs := []report.Proof{
		j.silence(h), j.packet("first progress elsewhere", h.Gap.To, h.To),
		j.packet("progress again", h.Back, h.From), number("gap", float64(h.Gap.Duration())/1e6, "ms"),
	}
	if h.Blocked > 0 {
		text += fmt.Sprintf(": delivery waited %s for its data", durationText(h.Blocked))
		proofs = append(proofs, number("delivery waited", float64(h.Blocked)/1e6, "ms"))
	}
	if h.Rated {
		before, after := float64(h.Before)*8/1e6, float64(h.After)*8/1e6 // of one second each
		text += fmt.Sprintf("; all paths together carried %.3g Mbit/s in the second before, %.3g Mbit/s in the second after", before, after)
		proofs = append(proofs, number("all paths, in the second before", before, "Mbit/s"), number("all paths, in the second after", after, "Mbit/s"))
	}
	text += fmt.Sprintf("; subflow %d continued after %s", h.To, durationText(h.Gap.Duration()))
	again, more := j.failback(h)
	text, proofs = text+again, append(proofs, more...)
	silence := j.silentBefore(h, from)
	if silence >= natTimeout {
		text += fmt.Sprintf("; nothing had passed on it for %s before, so that a translator or firewall may have forgotten it", durationText(silence))
		proofs = append(proofs, number("time without progress before", float64(silence)/1e6, "ms"))
	}
	v := j.add(report.VerdictPathDied, report.Critical, text, proofs...)
	v.Subflow = subflowID(h.From)
	cost := h.Blocked
	if x := senderAccount(j.dir(from)); x != nil { // what it would have carried counts, too
		cost = max(cost, int64(j.atMost(h.From, from)*(pathsTime(x)+x.Down.MS)*1e6))
	}
	took(v, cost)
	if silence >= natTimeout {
		v.Remedy = remedy.Of(report.VerdictRebinding, j.version()) + " If the path was down: " + j.advice(v)
	}
}

// byChance is the probability from which on chance explains that no segment got through.
const byChance = 1e-3

// lossy reports whether the silence of a path is no more than chance: it came back, and losses
// as frequent as those outside the silence leave so many segments in a row without an answer
// with that probability. The path answered, and did not die.
func (j *judge) lossy(h *symptoms.Handover, from conn.Side) bool {
	d, n := j.subDir(h.From, from), h.Unanswered
	if d.Drops == nil || n == 0 || h.Reset.Seen() || !h.Back.Seen() || d.Drops.Count <= n {
		return false
	}
	return math.Pow(float64(d.Drops.Count-n)/float64(max(1, d.Segments-n)), float64(n)) >= byChance
}

// natTimeout is the shortest silence after which a translator may have forgotten a connection, ns.
// Many keep the state of an idle one for minutes only, against RFC 5382, Section 5.
const natTimeout = 60e9

// silentBefore returns for how long the subflow made no progress before it died, with nothing
// outstanding; 0 where data was.
func (j *judge) silentBefore(h *symptoms.Handover, from conn.Side) int64 {
	if last := j.m.Subs[h.From].Path(from).Progress; h.Since == symptoms.SinceSent && last.Seen() && !h.Back.Seen() {
		return h.Gap.From.Time - last.Time
	}
	return 0
}

// silenceOf says how a path died, and for how long.
func silenceOf(h *symptoms.Handover) string {
	switch {
	case h.Reset.Seen():
		return "was reset"
	case h.Back.Seen():
		return fmt.Sprintf("made no progress for %s, with data outstanding", durationText(h.Back.Time-h.Gap.From.Time))
	}
	return "made no progress any more, with data outstanding"
}

// silence returns the packet from which on a dead path is silent.
func (j *judge) silence(h *symptoms.Handover) report.Proof {
	switch h.Since {
	case symptoms.SinceSent:
		return j.packet("first data that was not acknowledged", h.Gap.From, h.From)
	case symptoms.SinceHole:
		return j.packet("first data behind what was lost", h.Gap.From, -1)
	}
	return j.packet("last progress", h.Gap.From, h.From)
}

// removal returns the latest REMOVE_ADDR that removed the dead subflow of h, nil if there
// is none. It withdraws an address id of the subflow. It came while the subflow existed,
// and before its RST or soon after its last progress.
func (j *judge) removal(h *symptoms.Handover) (latest *symptoms.Removal) {
	s := j.m.Subs[h.From].Sub
	for i := range j.m.Symptoms.Removals {
		r := &j.m.Symptoms.Removals[i]
		id := s.AddressID[r.From]
		switch {
		case !s.Joined:
			id = 0
		case id < 0 && !j.withdraws(r): // the MP_JOIN with the id of the subflow was not captured
			id = int(r.ID)
		}
		before := r.At.Time < h.Gap.From.Time+shortRun
		if h.Reset.Seen() {
			before = r.At.Packet <= h.Reset.Packet
		}
		if id == int(r.ID) && before && r.At.Time > s.Start {
			latest = r
		}
	}
	return latest
}

// withdraws reports whether a REMOVE_ADDR is about a subflow whose address id is known.
func (j *judge) withdraws(r *symptoms.Removal) bool {
	return slices.ContainsFunc(j.subflows(), func(s *metrics.Sub) bool {
		return s.Sub.AddressID[r.From] == int(r.ID) && s.Sub.Start < r.At.Time
	})
}

// withoutRoom returns the time in which the receive window had no room, ns, its part of the time of the
// direction, percent, and the name of the state if the account of the time tells it.
func (j *judge) withoutRoom(from conn.Side) (ns int64, share float64, state string) {
	t := j.m.Symptoms.Dir(from)
	ns = t.NoRoom.Total
	if x := j.dir(from).TimeAccount; x != nil && (x.SeenAt == report.SeenAtSender || x.Rwnd.MS*1e6 > float64(ns)) { // elsewhere both are lower bounds
		return int64(x.Rwnd.MS * 1e6), x.Rwnd.Percent, ", state rwnd"
	}
	return ns, percent(ns, t.Data.Duration()), ""
}

// window judges a receive window that had no room for a segment: a sender waits for room
// for a segment, not for a window above 0 (rwnd_limited).
func (j *judge) window(from conn.Side, d *report.ConnDir, t *symptoms.DataDir) {
	ns, share, state := j.withoutRoom(from)
	if share < fullSome || ns < noticeable || share < fullMuch && t.NoRoom.Longest.Duration() < briefly {
		return
	}
	proofs := []report.Proof{
		number("time with less than a segment of the window left", share, "percent"),
		number("times", float64(t.NoRoom.Count), "count"),
		j.packet("no room for a segment, the longest time", t.NoRoom.Longest.From, -1), j.packet("room again", t.NoRoom.Longest.To, -1),
	}
	if unread(t) {
		proofs = append(proofs, number(proofUnread, float64(t.Unread)/1e6, "ms"))
	}
	if t.Shut().ZeroWindows > 0 {
		proofs = append(proofs, number("packets that advertise a window of 0", float64(t.Shut().ZeroWindows), "count"), j.packet("the first of them", t.Shut().FirstZeroWindow, -1),
			number("time with a window of 0", float64(t.Shut().Zero.Total)/1e6, "ms"))
	}
	largest := ""
	if d.RwndBytes != nil {
		largest = fmt.Sprintf(" (%s at most)", bytesText(d.RwndBytes.Max))
	}
	least := ""
	if j.m.Role(from) != metrics.Sender { // what is on its way uses the window, too
		least = "at least "
	}
	v := j.add(report.VerdictWindowClosed, warningIf(share >= fullMuch),
		fmt.Sprintf("the receive window of %s%s had no room for a segment for %s%.0f %% of the time (%s, %s at the longest%s): %s",
			side(from.Other()), largest, least, share, textwrap.Count(t.NoRoom.Count, "time"), durationText(t.NoRoom.Longest.Duration()), state, j.whyFull(from, d, t)), proofs...)
	costs(v, share, ns)
}

// stall judges a time in which no DATA_ACK came.
func (j *judge) stall(t *symptoms.DataDir) {
	n := t.Stall.Duration()
	if n < stallLeast || t.Stops.Longest.From.Time < t.Stall.To.Time && t.Stall.From.Time < t.Stops.Longest.To.Time {
		return
	}
	text := fmt.Sprintf("data was outstanding and no DATA_ACK advanced for %s", durationText(n))
	if t.Stall.To.Time >= j.m.Conn.Last() {
		text += ", to the end of the connection"
	}
	v := j.add(report.VerdictStalled, report.Major, text,
		j.packet("last advance, or first data after a pause", t.Stall.From, -1), j.packet("next advance, or last packet", t.Stall.To, -1),
		number("stalled", float64(n)/1e6, "ms"))
	costs(v, min(percent(n, t.Data.Duration()), 100), n)
}

// copies judges data that was sent on several subflows.
func (j *judge) copies(d *report.ConnDir) {
	n := report.Known(d.ReinjectedBytes) - report.Known(d.ReinjectedSameSubflowBytes)
	share := percent(n, report.Known(d.Bytes))
	if share < copiesMuch {
		return
	}
	v := j.add(report.VerdictCopies, report.Major,
		fmt.Sprintf("%.0f %% of the data was sent again on another subflow, as a redundant scheduler does: the copies take the place of other data", share),
		number("reinjected part of the data", share, "percent"), number("reinjected", float64(n), "bytes"))
	v.Cost = &share
	concernsBytes(v, n)
}
