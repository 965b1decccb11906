package diagnose

import (
	"math"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/symptoms"
)

// stopped judges times in which no subflow made progress.
func (j *judge) stopped(from conn.Side, t *symptoms.DataDir) {
	s := &t.Stops
	if s.Count == 0 {
		return
	}
	toEnd := s.Longest.To.Time >= j.m.Conn.Last()
	v := j.add(report.VerdictAllStopped, report.Major, "",
		lasted("longest", "", s.Longest.Duration()), counted("subflows", "", s.Subflows), when(toEnd, "to_end"),
		j.packet("last progress of any subflow, or since when data waits", s.Longest.From, -1), j.packet("next progress of any subflow, or last packet", s.Longest.To, -1),
		lasted("total", "no subflow made progress", s.Total), counted("times", "times", s.Count))
	if toEnd { // the rest of the data never came through
		v.Severity = report.Critical
	}
	for i := range t.Handovers {
		if h := &t.Handovers[i]; h.Stopped {
			enter(v, silence(h))
		}
	}
	costs(v, min(percent(s.Total, t.Data.Duration()), 100), s.Total)
}

// silence returns how a path died, and for how long.
func silence(h *symptoms.Handover) fact {
	f := ofSubflow(h.From, word("silent", "end"))
	switch {
	case h.Reset.Seen():
		f.text = "reset"
	case h.Back.Seen():
		back := lasted("", "", h.Back.Time-h.Gap.From.Time)
		f.text, f.Value, f.Unit = "back", back.Value, back.Unit
	}
	return f
}

// silentFrom returns the packet from which on a dead path is silent.
func (j *judge) silentFrom(h *symptoms.Handover) fact {
	switch h.Since {
	case symptoms.SinceSent:
		return j.packet("first data that was not acknowledged", h.Gap.From, h.From)
	case symptoms.SinceHole:
		return j.packet("first data behind what was lost", h.Gap.From, -1)
	}
	return j.packet("last progress", h.Gap.From, h.From)
}

// elsewhere returns which subflow went on when a path was silent, and after what time. If the receiver's capture shows
// the silence only by a hole, it has another packet of that subflow: the copy of what was lost.
func (j *judge) elsewhere(h *symptoms.Handover) []fact {
	other := counted("other", "", h.To)
	if h.Since == symptoms.SinceHole {
		return []fact{other, j.packet("copy of its data", h.Gap.To, h.To)}
	}
	return []fact{other, lasted("gap", "gap", h.Gap.Duration()), j.packet("first progress elsewhere", h.Gap.To, h.To)}
}

// handovers judges paths that died.
func (j *judge) handovers(from conn.Side, t *symptoms.DataDir) {
	for i := range t.Handovers {
		h := &t.Handovers[i]
		if r := j.removal(h); r != nil {
			j.removed(h, r)
			continue
		}
		changed := j.concerning(h.From, from, report.VerdictChecksum) // there is at most one
		switch {
		case h.Idle || h.Stopped || j.concerning(h.From, from, report.VerdictBlackHole) != nil || slices.Contains(j.moved, h.From) && !h.Back.Seen() || j.lossy(h, from):
		case !h.Back.Seen() && !h.Reset.Seen() && j.early(h.From, h.Gap.From.Time, "silent", j.silentFrom(h)):
		case h.Reset.Seen() && changed != nil: // the host reset the subflow because its payload was changed: that verdict says so
			enter(changed, j.elsewhere(h)...)
		default:
			j.died(h, from)
		}
	}
}

// withdrawn judges subflows that a FIN ended when their address was withdrawn, although data followed on others.
// Nothing waited for them, so that they are no handovers.
func (j *judge) withdrawn(from conn.Side, t *symptoms.DataDir) {
	for id, m := range j.subflows() {
		path := m.Path(from)
		h := &symptoms.Handover{From: id, Gap: symptoms.PacketRange{From: path.LastData}, Idle: true}
		if !path.LastData.Seen() || !m.HasFIN() || j.concerning(id, from, report.VerdictPathRemoved, report.VerdictPathDied) != nil {
			continue
		}
		if r := j.removal(h); r != nil && t.Data.To.Time > r.At.Time+shortRun {
			j.removed(h, r)
		}
	}
}

// removed enters the verdict on a path whose address was withdrawn.
func (j *judge) removed(h *symptoms.Handover, r *symptoms.Removal) {
	how := silence(h)
	if j.m.Subs[h.From].HasFIN() && !h.Reset.Seen() {
		how.text = "closed"
	}
	v := j.add(report.VerdictPathRemoved, report.Minor, "", word("by", side(r.From)), counted("id", "", int64(r.ID)), how, j.packet("REMOVE_ADDR", r.At, -1), j.silentFrom(h))
	if !h.Idle { // else nothing waited
		enter(v, j.elsewhere(h)...)
	}
	v.Subflow = subflowID(h.From)
	if s := j.m.Subs[h.From].Sub; s.Joined && s.AddressID[r.From] < 0 {
		v.Certainty = report.Likely
	}
	took(v, h.Blocked)
}

// died enters the verdict on a path that died.
func (j *judge) died(h *symptoms.Handover, from conn.Side) {
	v := j.add(report.VerdictPathDied, report.Critical, "", silence(h), j.silentFrom(h))
	if r := &j.m.Subs[h.From].Reset; r.Seen() && (!h.Back.Seen() || r.Time < h.Back.Time) {
		enter(v, append(reset(r), word("advice", "reset"))...)
	}
	enter(v, append(j.elsewhere(h), j.packet("progress again", h.Back, h.From), only(h.Blocked > 0, lasted("waited", "delivery waited", h.Blocked)))...)
	if h.Rated {
		enter(v, number("before", "all paths, in the second before", float64(h.Before)*8/1e6, "Mbit/s"), number("after", "all paths, in the second after", float64(h.After)*8/1e6, "Mbit/s"))
	}
	if l, snd := &j.m.Subs[h.From].Path(from).Losses, &j.m.Subs[h.From].Sub.Senders[from]; j.at(from) && l.TooLarge >= blackHoleLeast && snd.Largest < l.LeastTooLarge {
		enter(v, number("large", "payload of segments of which none was acknowledged", float64(l.LeastTooLarge), "bytes"))
	}
	j.failback(v, h, from)
	if last := j.m.Subs[h.From].Path(from).Progress; h.Since == symptoms.SinceSent && last.Seen() && !h.Back.Seen() && h.Gap.From.Time-last.Time >= natTimeout { // nothing was outstanding
		enter(v, lasted("idle", "time without progress before", h.Gap.From.Time-last.Time))
	}
	v.Subflow = subflowID(h.From)
	cost := h.Blocked
	if x := j.atSender(from); x != nil { // what it would have carried counts, too
		cost = max(cost, int64(j.atMost(h.From, from, x, pathsTime(x)+x.Down.MS)*1e6))
	}
	took(v, cost)
}

// failbackLeast is how long a path that came back is watched before it is said not to carry its share again, ns.
const failbackLeast = 3e9

// failback enters how a path that died and came back took up its share again.
func (j *judge) failback(v *report.Verdict, h *symptoms.Handover, from conn.Side) {
	if !h.Back.Seen() || h.Share == 0 {
		return
	}
	again := "after"
	switch {
	case !h.FailedBack && j.m.Symptoms.Dir(from).Data.To.Time-h.Back.Time < failbackLeast:
		again = ""
	case !h.FailedBack:
		again = "never"
	case h.Failback < cell:
		again = "soon"
	}
	enter(v, word("share_again", again), j.packet("last data on it without an answer before it came back", h.LastLost, h.From),
		only(h.FailedBack, lasted("failback", "carried its share again after", h.Failback)))
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

// blackHoleLeast is how many segments must be too large for a path: one may be lost by chance.
const blackHoleLeast = 2

// blackHoles judges paths that carry small segments and no large ones (RFC 2923, Section 2.1). That small
// ones do get through later shows a SACK, or the answer to a keep-alive of a peer that sends no data, whose packets all
// answer.
func (j *judge) blackHoles(from conn.Side) {
	for i, s := range j.subflows() {
		snd, peer, l := &s.Sub.Senders[from], &s.Sub.Senders[from.Other()], &s.Path(from).Losses
		answered := peer.Bytes == 0 && snd.Probing.Latest > l.TooLargeAt.Time && peer.Last() > snd.Probing.Latest
		if !j.at(from) || l.TooLarge < blackHoleLeast || snd.Largest >= l.LeastTooLarge || peer.Last() <= l.TooLargeAt.Time || !l.SmallerPassed && !answered {
			continue
		}
		v := j.add(report.VerdictBlackHole, report.Major, "",
			j.packet("first of the large segments, sent for the third time", l.TooLargeAt, i), number("", "different large segments without an ACK then", float64(l.TooLarge), "segments"),
			number("large", "payload of the least of them", float64(l.LeastTooLarge), "bytes"), number("small", "largest payload that was acknowledged", float64(snd.Largest), "bytes"))
		v.Subflow, v.CostUnknown = subflowID(i), "what the path would have carried is not known"
	}
}

// goneLeast is how many keep-alives in a row must get no answer: one may be lost by chance.
const goneLeast = 2

// gone judges idle paths that do not answer keep-alives any more. Nothing waits for them.
func (j *judge) gone() {
	for i, s := range j.subflows() {
		for _, from := range sides {
			p := &s.Sub.Senders[from].Probing
			if p.Unanswered < goneLeast || s.Sub.Senders[from.Other()].Last() >= p.Since.Time || j.concerning(i, from, report.VerdictPathDied) != nil {
				continue
			}
			j.add(report.VerdictGone, report.Minor, "", lasted("since", "", p.Since.Time-j.start), word("by", side(from)),
				j.packet("first keep-alive without an answer", p.Since, i), counted("unanswered", "keep-alives without an answer", p.Unanswered)).Subflow = subflowID(i)
		}
	}
}

// rebindings judges subflows that went on from another port or address: a translator (NAT) on the
// way forgot the mapping and made a new one, which the peer does not know.
func (j *judge) rebindings() {
	for i, s := range j.subflows() {
		if !s.Sub.NoSYN {
			continue
		}
		for k, old := range j.subflows()[:i] {
			if moved, ok := continues(old, s); ok && (s.Sub.Senders[moved].Bytes > 0 || s.Reset.Seen()) && j.unknown(s, moved) {
				j.rebound(k, i, moved)
				break
			}
		}
	}
}

// continues reports whether a subflow is an earlier one under another address or port of one
// side, which it returns: the sequence numbers go on where the other one ended.
func continues(old, s *metrics.Sub) (moved conn.Side, ok bool) {
	for _, side := range sides {
		same := old.Sub.Ends[side.Other()] == s.Sub.Ends[side.Other()]
		if same && old.Sub.Ends[side] != s.Sub.Ends[side] && s.Sub.Start > old.Sub.Senders[side].Last() {
			return side, goesOn(old, s, side)
		}
	}
	return 0, false
}

// goesOn reports whether the sequence numbers of a side on s go on where old ended. Mappings tell
// the initial sequence number, which is then the same. Else the first packet of s is the next one of
// old, or repeats what was not acknowledged there, or the last byte as a keep-alive does.
func goesOn(old, s *metrics.Sub, side conn.Side) bool {
	before, now := &old.Sub.Senders[side], &s.Sub.Senders[side]
	isn, _ := before.ISN()
	start, told := now.ISN()
	if told {
		return start == isn
	}
	at := int64(int32(start + 1 - isn - seq.Wire(before.SndUna()))) // from SND.UNA on
	return at >= -1 && at <= int64(before.SndNxt()-before.SndUna())
}

// unknown reports whether the peer of the side that moved does not know the subflow: it reset it
// or never answered.
func (j *judge) unknown(s *metrics.Sub, moved conn.Side) bool {
	if s.Reset.Seen() {
		return s.Reset.From != moved
	}
	return s.Sub.Senders[moved.Other()].Packets == 0 && !j.early(s.Sub.ID, s.Sub.Start, "rebound")
}

// rebound enters the verdict on subflow old, which goes on as subflow now.
func (j *judge) rebound(old, now int, moved conn.Side) {
	s, form := j.m.Subs[now], ""
	if s.Reset.Seen() {
		form = "reset"
	}
	end := func(sub int) *report.Endpoint {
		return report.Either(directionOf(moved), &j.c.Subflows[sub].A, &j.c.Subflows[sub].B)
	}
	x, y := end(now), end(old)
	last := j.m.Subs[old].Sub.Last()
	if last > s.Sub.Start { // the peer goes on, as long as it waits for an answer
		last = j.m.Subs[old].Sub.Senders[moved].Last()
	}
	silence := s.Sub.Start - last
	v := j.add(report.VerdictRebinding, report.Critical, form, word("by", side(moved)), word("peer", side(moved.Other())), counted("port", "", x.Port), counted("old_port", "", y.Port),
		lasted("silence", "time without a packet", silence), only(silence < symptoms.DeadAfter, word("advice", "moved")), j.packet("RST in answer", s.Reset.PacketRef, now))
	if x.Addr != y.Addr {
		enter(v, word("address", x.Addr), word("old_address", y.Addr))
	}
	v.Subflow = subflowID(old)
	j.moved = append(j.moved, old, now)
}
