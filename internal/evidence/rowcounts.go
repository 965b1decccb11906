package evidence

import (
	"math"
	"strconv"
	"strings"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/stats"
)

// rowCount counts rows of a socket that have something in common: how many they are, and a value that each has.
type rowCount struct {
	n           int64
	least, most float64
	values      stats.Dist // of one socket only
	first       sample     // of the first of the rows
	last        int64      // stamp of the last one
}

// rowCounts has the counts by name; causes.json has facts that are made of them.
//
// Of a TCP socket they count the rows between which it "sent" data, with the congestion window: those "waiting" with
// data that is written to the subflow and not sent, those "at window", which use up the congestion window, those that are
// "paced": the delivery rate is near the pacing rate, and those with "room", in which nothing waits below the
// congestion window. The "quiet" ones lie between two of these, and nothing was sent since the row before.
//
// Of a socket of Multipath TCP they have which part of its buffers is in use, and their limits: "send" over rows with
// memory in use, and "receive", of unread bytes. There is "little" of the limit unread, or at least half of it, "full".
// Rows "ended" with more than little unread in CLOSE-WAIT: all data had come in order, so that nothing that waits is
// out of order.
type rowCounts map[string]*rowCount

// fewUnread is the part of a buffer up to which little is unread.
const fewUnread = 0.1

// nearRate is from which part of the pacing rate on a delivery rate is near it.
const nearRate = 0.7

// of returns a rowCount, an empty one if there is none.
func (x rowCounts) of(name string) *rowCount {
	if t := x[name]; t != nil {
		return t
	}
	return &rowCount{}
}

// add adds n rows of the same value, of which r is the last one.
func (x rowCounts) add(name string, r *hosts.Row, n int64, v float64) {
	if n == 0 {
		return
	}
	x.merge(name, &rowCount{n: n, least: v, most: v, first: sampleOf(r), last: r.Stamp})
}

// merge adds the rows of a later rowCount, or of one of another socket.
func (x rowCounts) merge(name string, o *rowCount) {
	t := x[name]
	if t == nil {
		x[name] = &rowCount{n: o.n, least: o.least, most: o.most, first: o.first, last: o.last}
		return
	}
	t.n, t.least, t.most, t.last = t.n+o.n, min(t.least, o.least), max(t.most, o.most), max(t.last, o.last)
}

// sent takes a row of a TCP socket; before is what the row before had sent. Rows that are "still" in which nothing is sent
// become quiet when more is sent.
func (x rowCounts) sent(r *hosts.Row, before float64) {
	x.add("lost", r, one(r.Value(hosts.BytesRetrans) > 0), 0)
	cwnd, unacked, waiting := r.Value(hosts.Cwnd), r.Value(hosts.UnackedSegments), r.Value(hosts.NotSent) > 0
	room := !waiting && unacked < cwnd-1
	if r.Value(hosts.BytesSent) <= before {
		x.add("still", r, 1, 0)
		x.add("still with room", r, one(room), 0)
		return
	}
	if x["sent"] != nil {
		x.add("quiet", r, x.of("still").n, 0)
		x.add("quiet with room", r, x.of("still with room").n, 0)
	}
	delete(x, "still")
	delete(x, "still with room")
	x.add("sent", r, 1, cwnd)
	x.add("room", r, one(room), 0)
	x.add("waiting", r, one(waiting), 0)
	x.add("at window", r, one(cwnd > 0 && unacked >= cwnd-1), 0)
	x.add("paced", r, one(r.Value(hosts.DeliveryRate) >= nearRate*r.Value(hosts.PacingRate) && r.Has(hosts.PacingRate)), 0)
}

// used takes a row of a socket of Multipath TCP.
func (x rowCounts) used(r *hosts.Row) {
	if w, limit := r.Value(hosts.MemW), r.Value(hosts.MemTB); w > 0 && limit > 0 {
		x.part("send", r, w, limit)
	}
	q, limit := r.Value(hosts.RecvQ), r.Value(hosts.MemRB)
	if limit == 0 {
		return
	}
	x.part("receive", r, q, limit)
	x.add("little", r, one(q <= fewUnread*limit), q)
	x.add("full", r, one(q >= limit/2), q)
	if q > fewUnread*limit && r.State == "CLOSE-WAIT" {
		if t := x["ended"]; t != nil && q > t.most { // the row with most is the one that is cited
			t.first = sampleOf(r)
		}
		x.add("ended", r, 1, q)
	}
}

// part takes which part of a limit is in use, and the limit.
func (x rowCounts) part(name string, r *hosts.Row, used, limit float64) {
	x.add(name, r, 1, used/limit)
	x[name].values.Add(used / limit)
	x.add(name+" limit", r, 1, limit)
}

// value returns a number of a rowCount, TALLY.n, TALLY.least, TALLY.most, TALLY.q0.5, which is a quantile, or TALLY.span,
// which is the time from its first row to its last one in ns. It is NaN if it is not known.
func (x rowCounts) value(text string) float64 {
	name, take, _ := strings.Cut(text, ".")
	switch t := x.of(name); take {
	case "n":
		return float64(t.n)
	case "least":
		return t.least
	case "most":
		return t.most
	case "span":
		if t.first.stamp == hosts.NoStamp || t.last == hosts.NoStamp {
			return math.NaN()
		}
		return float64(t.last - t.first.stamp)
	default:
		p, err := strconv.ParseFloat(strings.TrimPrefix(take, "q"), 64)
		if err != nil {
			return math.NaN()
		}
		return t.values.Quantiles(p)[0]
	}
}
