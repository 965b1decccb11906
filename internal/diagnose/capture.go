package diagnose

import (
	"cmp"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// gapMuch is how many percent of the data must be missing from the capture for a warning.
const gapMuch = 1.0

// gaps judges a capture that lacks packets of the connection. Everything else that is said is
// of the packets that are there, so this comes first.
func (j *judge) gaps() {
	list, omitted, missing := j.m.Conn.Gaps()
	if len(list) == 0 {
		return
	}
	longest := slices.MaxFunc(list, func(a, b conn.Gap) int { return cmp.Compare(a.Duration(), b.Duration()) })
	captured := int64(0)
	for _, s := range j.m.Subs {
		captured += s.Sub.Senders[conn.A].Bytes + s.Sub.Senders[conn.B].Bytes
	}
	share := percent(missing, missing+captured)
	v := j.add(report.VerdictCaptureGap, warningIf(share >= gapMuch), "",
		counted("places", "", int64(len(list))+omitted), value("share", share, "percent"), counted("before", "", int64(longest.Before.Packet)), counted("after", "", int64(longest.After.Packet)),
		number("missing", "data not captured", float64(missing), "bytes"), lasted("longest", "longest gap", longest.Duration()),
		j.packet("packet before it", longest.Before, -1), j.packet("packet after it", longest.After, -1))
	concernsBytes(v, missing)
}

// lateStart judges a capture that begins in the middle of the connection: it has no packet of any
// handshake of it. A few packets of one end are only a fragment; the report says so.
func (j *judge) lateStart() {
	if j.c.Handshake || j.m.Conn.Fallback != "" {
		return
	}
	var a, b int64 // packets of each end
	for _, s := range j.m.Subs {
		a, b = a+s.Sub.Senders[conn.A].Packets, b+s.Sub.Senders[conn.B].Packets
		if !s.Sub.NoSYN || !s.Handshake.Uncaptured() {
			return
		}
	}
	if min(a, b) == 0 {
		return
	}
	form := ""
	if j.m.Vantage == conn.Unknown {
		form = "nowhere"
	}
	j.add(report.VerdictLateStart, report.Minor, form, when(j.c.Version == nil, "no_version"))
}

// cutMuch is a percentage of the packets: if the capture cut the options of so many, the
// figures are wrong enough for a warning.
const cutMuch = 1.0

// cut judges a capture whose snapshot length cut TCP options: there the absence of an option
// proves nothing.
func (j *judge) cut() {
	var n, shown int64
	var first fact
	note := func(k fact, count int64) {
		if n += count; first.What == "" || k.Packet != nil && *k.Packet < *first.Packet {
			first = k
		}
	}
	for _, s := range j.subflows() {
		for side := range s.Sub.Senders {
			t := s.OptionUse(conn.Side(side))
			if shown += t.Packets; t.Cut > 0 {
				note(j.packet("the first of them", t.FirstCut, s.Sub.ID), t.Cut)
			}
		}
		if s.Handshake.SYNACKCut {
			note(j.packet("the first of them", s.Handshake.SYNACK, s.Sub.ID), 1)
		}
		if s.Handshake.SYNCut {
			note(j.packet("the first of them", s.Handshake.SYN, s.Sub.ID), 1)
		}
	}
	if n == 0 {
		return
	}
	form := ""
	if j.c == nil {
		form = "plain"
	}
	j.add(report.VerdictOptionsCut, warningIf(percent(n, n+shown) >= cutMuch), form, counted("packets", "packets", n), first)
}

// unseenMuch is how many percent of the data must be missing for the figures to suffer.
const unseenMuch = 1.0

// uncaptured judges data that the receiver acknowledged and that passed on no
// subflow of the capture, as where one of a host's interfaces was captured. What
// is said of paths is of those that the capture shows. Where joins were taken for plain TCP, the
// data that is missing passed on them.
func (j *judge) uncaptured() {
	if j.m.Conn.JoinsBeyond {
		return
	}
	for _, from := range sides {
		n, known := j.uncapturedBytes(from), j.m.Conn.Spaces[from].AppBytes()
		share := percent(n, n+known)
		if known == 0 && !j.c.Handshake || share < unseenMuch || n < fewSegment || j.c.Fallback != nil || j.m.MapsCut(from) != "" {
			continue
		}
		v := j.add(report.VerdictUncaptured, report.Major, "", number("share", "share of the data", share, "percent"), number("", "data not captured", float64(n), "bytes"),
			j.packet("first DATA_ACK of such data", j.m.Symptoms.Dir(from).FirstUncaptured, -1))
		v.Direction = direction(from)
		concernsBytes(v, n)
	}
}

// misses reports whether a path of the data that side from sends is not in the
// capture.
func (j *judge) misses(from conn.Side) bool {
	return slices.ContainsFunc(j.out, func(v report.Verdict) bool {
		return v.Code == report.VerdictUncaptured && *v.Direction == directionOf(from)
	})
}

// fewSegment is a number of bytes below the payload of a usual segment.
const fewSegment = 1000

// uncapturedBytes returns how many bytes that side from sends were DATA_ACKed but not
// captured. It leaves out bytes of the captured subflows: the capture missed their packets, or
// their mapping.
func (j *judge) uncapturedBytes(from conn.Side) int64 {
	n := j.m.Conn.Spaces[from].AckedMissingBytes()
	for _, s := range j.m.Subs {
		missed, _ := s.Sub.Senders[from].NotCaptured()
		n -= max(missed, int64(s.Sub.Senders[from].SndUna())-1-s.Sub.Spaces[from].MappedUnique())
	}
	return n
}

// oneDirection judges a capture that lacks the packets of one end, on all subflows or on some.
func (j *judge) oneDirection() {
	for _, unseen := range sides {
		if _, all := j.m.Conn.Unseen(unseen); all {
			j.onlyOneEnd(unseen, j.m.Subs...)
			continue
		} else if j.c == nil { // plain TCP has one subflow
			continue
		}
		for i, s := range j.subflows() {
			if s.Sub.Unseen(unseen) {
				j.onlyOneEnd(unseen, s).Subflow = subflowID(i)
			}
		}
	}
}

func (j *judge) onlyOneEnd(unseen conn.Side, subflows ...*metrics.Sub) *report.Verdict {
	me, peer, packets, acked := side(unseen.Other()), side(unseen), int64(0), int64(0)
	for _, s := range subflows {
		packets += s.Sub.Senders[unseen.Other()].Packets
		acked += max(0, int64(s.Sub.Senders[unseen].SndUna())-1)
	}
	return j.add(report.VerdictOneDirection, report.Major, "", word("by", me), word("peer", peer),
		counted("", "packets of "+me, packets), counted("", "sequence numbers of "+peer+" that it acknowledged", acked))
}

// dropUnproven drops the verdicts that claim something of packets that the capture lacks.
func (j *judge) dropUnproven() {
	noA, _ := j.m.Conn.Unseen(conn.A)
	noB, _ := j.m.Conn.Unseen(conn.B)
	if !noA && !noB {
		return
	}
	j.out = slices.DeleteFunc(j.out, func(v report.Verdict) bool {
		switch k := kindOf(&v); {
		case k.Proof == "one end":
			return false
		case v.Subflow == nil || k.Proof != "subflow":
			return true
		}
		senders := &j.m.Subs[*v.Subflow].Sub.Senders
		return noA && senders[conn.A].Packets == 0 || noB && senders[conn.B].Packets == 0
	})
}

// open reports whether more of the connection may come.
func (j *judge) open() bool {
	return j.c.State == report.ConnOpen || j.c.State == report.ConnSYNReceived
}

// early reports whether what should follow a time, an answer or a repetition, may have come where the
// capture does not show it: in a gap, which has a verdict of its own, or after its end. Then a note says
// what is missing, by its form, in place of the verdict on that. After the end of a connection nothing comes. sub is
// negative where it concerns no subflow.
func (j *judge) early(sub int, since int64, form string, facts ...fact) bool {
	gaps, _, _ := j.m.Conn.Gaps()
	for i := range gaps {
		if g := &gaps[i]; g.After.Time > since && g.Before.Time-since < report.AnswerTime {
			return true
		}
	}
	shown := j.m.Conn.Until - since
	if shown >= report.AnswerTime || j.c != nil && !j.open() {
		return false
	}
	v := j.add(report.VerdictEndsEarly, report.Minor, form, append(facts, lasted("", "time from then to the end of the capture", shown))...)
	v.Subflow = subflowID(sub)
	return true
}

// The warnings of captures that hold packets twice, with the severity of the verdict that follows:
// copies that are counted once change no figure.
var twiceWarnings = map[string]report.Severity{
	"copies_on_one_interface": report.Minor, "packets_repeated": report.Major, "captured_at_two_places": report.Major,
}

// amender is a report whose connections can be changed.
type amender interface {
	Amend(conn func(*report.Connection), tcp func(*report.TCP))
}

// warned changes the verdicts of a report by its warnings. Where the capture as a whole has one direction
// of its connections, a SYN without an answer proves nothing, and the verdicts that it got none, or may still
// get one, are dropped. Those on packets that the captures hold twice are added.
func warned(d amender, warnings []report.Warning) {
	also := twice(warnings)
	unproven := slices.ContainsFunc(warnings, func(w report.Warning) bool { return w.Code == conn.OneDirection })
	if !unproven && len(also) == 0 {
		return
	}
	amend := func(all report.List[report.Verdict], asked bool) report.List[report.Verdict] {
		if unproven {
			all = slices.DeleteFunc(slices.Clone(all), func(v report.Verdict) bool {
				return v.Code == report.VerdictUnanswered || v.Code == report.VerdictJoinUnanswered || v.Code == report.VerdictEndsEarly
			})
		}
		if len(also) == 0 || !asked {
			return all
		}
		return ranked(append(all, also...))
	}
	d.Amend(func(c *report.Connection) {
		if c.Verdicts != nil {
			*c.Verdicts = amend(*c.Verdicts, true)
		}
	}, func(t *report.TCP) { t.Verdicts = amend(t.Verdicts, t.MPTCP != nil) })
}

// twice returns the verdicts on packets that the captures of a report hold twice: one for each
// warning that says so. Connections share their lists, to which each may append.
func twice(warnings []report.Warning) []report.Verdict {
	j := judge{}
	for i := range warnings {
		w := &warnings[i]
		severity, ok := twiceWarnings[w.Code]
		if !ok {
			continue
		}
		v := j.add(report.VerdictTwice, severity, w.Code, word("message", w.Message), counted("", "such packets in the capture", w.Count))
		if w.Code == "packets_repeated" {
			v.Certainty = report.Likely
		}
		if w.File != nil {
			enter(v, word("file", *w.File))
		}
		if w.Packet != nil {
			enter(v, fact{Proof: report.Proof{What: "first of them", Packet: new(*w.Packet)}})
		}
		v.Parameters, v.Evidence = slices.Clip(v.Parameters), slices.Clip(v.Evidence)
	}
	return j.out
}
