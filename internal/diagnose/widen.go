package diagnose

import (
	"fmt"
	"math"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// widen says what to do about a window that had no room. While a window limits the rates, these
// do not show how large it has to be: their sum times the round trip is at most that window
// (Little's law). So the number is a lower bound, and doubling finds the true one.
func (j *judge) widen(v *report.Verdict) (do, alone string) {
	sender := from(v)
	t, receiver := j.m.Symptoms.Dir(sender), j.host(sender.Other())
	offered := 0.0
	if r := j.dir(sender).RwndBytes; r != nil {
		offered = r.Max
		v.Evidence = append(v.Evidence, number("largest window offered", offered, "bytes"))
	}
	switch {
	case takenBack(t):
		return "", "See window_shrunk: the window that was offered before had room."
	case unread(t):
		return "", fmt.Sprintf("Let the application on %s read faster: data that it had not read left less than half of the window%s most of the time in which it had no room. A larger buffer fills, too.", receiver, upTo(offered))
	}
	n := j.need(sender)
	if n == nil {
		return "", ""
	}
	v.Evidence = append(v.Evidence, number("delivered rate times the longest of the least round trips", n.bytes, "bytes"))
	sum := fmt.Sprintf("%.3g Mbit/s, the most that was delivered, times %s, %s, are %s", n.rate, durationText(int64(n.rtt*1e6)), n.which(), bytesText(n.bytes))
	switch {
	case offered > 0 && n.queued && n.bytes <= offered:
		return "", fmt.Sprintf("Do not raise the buffer of %s first: its window was up to %s, more than is needed (%s), and queues stand on all paths. %s.",
			receiver, bytesText(offered), sum, j.shorten(v, n))
	case offered > 0 && 2*n.bytes <= offered:
		return "", fmt.Sprintf("Look for what data waits for first: the window of %s was up to %s, and %s. The rest of it held data in queues and data that waited for other data. %s.",
			receiver, bytesText(offered), sum, j.shorten(v, n))
	case offered == 0:
		return fmt.Sprintf("Give %s a receive window of %s or more, a lower bound: %s.", receiver, bytesText(n.bytes), sum), ""
	}
	return "", double(receiver, max(2*offered, n.bytes), offered, sum)
}

// whyFull says why the receive window for the data of a sender had no room.
func (j *judge) whyFull(sender conn.Side, d *report.ConnDir, t *symptoms.DataDir) string {
	switch {
	case takenBack(t):
		return side(sender.Other()) + " took back window that it had offered"
	case unread(t):
		return "the receiving application reads too slowly, and unread data makes the window small"
	}
	if n := j.need(sender); n != nil && d.RwndBytes != nil && d.RwndBytes.Max >= plenty*n.bytes {
		return "data in queues or behind losses fills it, or it was full before it had grown, for at its largest it has room for more than the paths hold"
	}
	return "the receive buffer is too small for the bandwidth and the delay of the paths together, or holds data that waits for a slower path"
}

// A receive window of plenty times the bytes that the paths hold without queues does not limit by
// its size: one round trip is for the data, one more for a segment that is lost and sent again (RFC
// 6675), and both count twice, because Linux counts the overhead of packets, too.
const plenty = 4.0

// double says to double a window that limits until it does not. It is ask bytes next, after it
// was offered bytes.
func double(receiver string, ask, offered float64, sum string) string {
	return fmt.Sprintf("Give %s a receive window of %s, and double it again as long as it limits: it offered %s at most, and a window that limits hides how much is needed. The lower bound: %s. "+
		"Autotuning doubles the window by itself, up to the third number of net.ipv4.tcp_rmem there: raise that to %.0f or more, because the overhead of each packet counts, too. "+
		"A program that sets SO_RCVBUF stops autotuning: it needs more there and in net.core.rmem_max.",
		receiver, bytesText(ask), bytesText(offered), sum, math.Ceil(2*ask/1e5)*1e5)
}

// shorten says how the data in the window gets less.
func (j *judge) shorten(v *report.Verdict, n *window) string {
	if n.paths == 1 {
		return "A larger window only makes the queue longer, or holds more data behind a loss"
	}
	return "It fills while data waits for the slowest path" + j.waitedFor(v) + ": make that path quicker or a backup"
}

// upTo says how large a window was, if that is known.
func upTo(offered float64) string {
	if offered == 0 {
		return ""
	}
	return fmt.Sprintf(" of %s", bytesText(offered))
}

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

// which says which round trip it is.
func (w *window) which() string {
	if w.paths == 1 {
		return "the least round trip"
	}
	return "the least round trip of the slowest path"
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
