package diagnose

import (
	"fmt"
	"math"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// advise enters what decides between the things to do about a verdict, where that depends on more than
// its form.
func (j *judge) advise(v *report.Verdict) {
	switch v.Code {
	case report.VerdictWindowClosed:
		j.widen(v)
	case report.VerdictHoLBlocked, report.VerdictUnequalPaths:
		v.Parameters = slices.DeleteFunc(v.Parameters, func(p report.Parameter) bool {
			return slices.Contains([]string{"advice", "cause", "carried", "srtt", "rtt"}, p.Name)
		})
		j.spare(v)
	case report.VerdictPathIdle, report.VerdictPathUnused: // where the scheduler is not the reason, the path may stay idle
		if why := parameter(v, "why"); why != nil && slices.Contains([]string{"backup", "window", "application"}, why.Text) {
			enter(v, word("advice", why.Text))
		}
	case report.VerdictJoinRefused, report.VerdictJoinAborted:
		j.allow(v)
	}
}

// spareShare is the largest percentage of the data that a path may have carried to be
// recommended as a backup: if it carries more, the loss of throughput is too high a price
// for less delay.
const spareShare = 25.0

// spare says whether the path may become a backup: if it carried little.
func (j *judge) spare(v *report.Verdict) {
	d := j.subDir(*v.Subflow, from(v))
	if d.SRTT != nil && d.RTT != nil && d.SRTT.Avg >= queueRatio*d.RTT.Min {
		enter(v, value("srtt", d.SRTT.Avg, "ms"), value("rtt", d.RTT.Min, "ms"))
	}
	advice := "spare"
	if died := j.concerning(*v.Subflow, from(v), report.VerdictPathDied, report.VerdictBlackHole); died != nil && v.Code == report.VerdictHoLBlocked {
		enter(v, word("advice", "cause"), word("cause", string(died.Code)))
		return
	}
	if d.Share != nil {
		enter(v, value("carried", *d.Share, "percent"))
		if *d.Share > spareShare {
			advice = "keep"
		}
	}
	enter(v, word("advice", advice))
}

// allow says what a host that reset a join must allow: by what it had received before, else by the reason in its reset. An
// initiator that resets after the SYN/ACK did not accept that.
func (j *judge) allow(v *report.Verdict) {
	s, reason := j.m.Subs[*v.Subflow], figure(v, "reason")
	declined := s.Reset.From == s.Sub.Initiator && s.Handshake.ThirdPackets == 0 && reason < 2
	switch {
	case s.Sub.HMAC == conn.HMACInvalid:
		enter(v, word("advice", "keys"))
	case declined && j.at(s.Sub.Initiator): // the SYN/ACK that came is seen
	case declined:
		enter(v, word("advice", "answer"), word("responder", side(s.Sub.Initiator.Other())))
	case parameter(v, "reason") == nil:
	case reason == 2 || reason == 3:
		enter(v, word("advice", "limits"), counted("tried", "", len(j.m.Subs)))
	case reason == 6:
		enter(v, word("advice", "middlebox"))
	default:
		enter(v, word("advice", "token"))
	}
}

// widen says what to do about a window that had no room. While a window limits the rates, these
// do not show how large it has to be: their sum times the round trip is at most that window
// (Little's law). So the number is a lower bound, and doubling finds the true one.
func (j *judge) widen(v *report.Verdict) {
	sender := from(v)
	t, offered := j.m.Symptoms.Dir(sender), figure(v, "largest")
	if parameter(v, "largest") != nil {
		enter(v, number("", "largest window offered", offered, "bytes"))
	}
	n := j.need(sender)
	switch {
	case takenBack(t):
		enter(v, word("advice", "shrunk"))
		return
	case unread(t):
		enter(v, word("advice", "unread"))
		return
	case n == nil:
		return
	}
	enter(v, number("need", "delivered rate times the longest of the least round trips", n.bytes, "bytes"), value("rate", n.rate, "Mbit/s"), value("rtt", n.rtt, "ms"), counted("paths", "", n.paths))
	if i := j.waitsMostFor(sender); i >= 0 {
		share := j.subDir(i, sender).Share
		enter(v, word("waited_for", fmt.Sprintf("subflow %d (%s)", i, j.c.Subflows[i].Path)), when(share != nil && *share <= spareShare, "may_spare"))
	}
	switch {
	case offered > 0 && n.queued && n.bytes <= offered:
		enter(v, word("advice", "queues"))
	case offered > 0 && 2*n.bytes <= offered:
		enter(v, word("advice", "waits"))
	case offered == 0:
		enter(v, word("advice", "ask"))
	default: // twice as much, because the overhead of each packet counts in tcp_rmem, too
		ask := max(2*offered, n.bytes)
		enter(v, word("advice", "double"), value("ask", ask, "bytes"), value("rmem", math.Ceil(2*ask/1e5)*1e5, "bytes"))
	}
}

// whyFull says why the receive window for the data of a sender had no room.
func (j *judge) whyFull(sender conn.Side, d *report.ConnDir, t *symptoms.DataDir) string {
	switch {
	case takenBack(t):
		return "shrunk"
	case unread(t):
		return "unread"
	}
	if n := j.need(sender); n != nil && d.RwndBytes != nil && d.RwndBytes.Max >= plenty*n.bytes {
		return "plenty"
	}
	return "small"
}

// A receive window of plenty times the bytes that the paths hold without queues does not limit by
// its size: one round trip is for the data, one more for a segment that is lost and sent again (RFC
// 6675), and both count twice, because Linux counts the overhead of packets, too.
const plenty = 4.0

// unread reports whether the window had no room mostly because the application left data
// unread: only that makes the window itself small. Data in flight, and data that waits for other
// data, uses the window up and leaves its size.
func unread(t *symptoms.DataDir) bool { return t.Unread > 0 && 2*t.Unread >= t.NoRoom.Total }

// window is a lower bound of the receive window that is needed.
type window struct {
	bytes  float64
	rate   float64 // Mbit/s
	rtt    float64 // ms
	paths  int
	queued bool // queues stand on all paths, so that they carry what they can
}

// need returns the window that holds what was delivered: the rate times the longest round trip
// without a queue. It returns nil if a figure is missing.
func (j *judge) need(sender conn.Side) *window {
	w := &window{queued: true}
	var paths []string
	for i := range j.subflows() {
		d, s := j.subDir(i, sender), &j.c.Subflows[i]
		if d.Volume() == 0 || d.Share == nil || *d.Share < 1 {
			continue
		}
		rtt := leastRoundTrip(d, s)
		if rtt == 0 {
			return nil
		}
		if !slices.Contains(paths, s.Path) {
			paths = append(paths, s.Path)
		}
		w.rtt = max(w.rtt, rtt)
		w.queued = w.queued && d.SRTT != nil && d.SRTT.Avg >= queueRatio*rtt
	}
	w.paths = len(paths)
	rate, known := j.m.Symptoms.Dir(sender).DeliveredRate()
	if w.rate = rate; !known || w.paths == 0 {
		return nil
	}
	w.bytes = rate * 1e6 / 8 * w.rtt / 1e3
	return w
}

// leastRoundTrip returns the least round trip of a subflow, of its data or of its handshake, ms; 0
// if there is none.
func leastRoundTrip(d *report.SubDir, s *report.Subflow) (rtt float64) {
	if d.RTT != nil {
		rtt = d.RTT.Min
	}
	if h := s.HandshakeRTT; h != nil && (rtt == 0 || *h < rtt) {
		rtt = *h
	}
	return rtt
}
