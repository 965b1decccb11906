package evidence

import (
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/stats"
)

// sending counts what limits a TCP socket in the rows between which it sent data.
type sending struct {
	rows      int64
	written   int64    // rows with data that is written to the subflow and not sent
	atWindow  int64    // rows in which the congestion window is used up
	paced     int64    // rows in which the delivery rate is near the pacing rate
	room      int64    // rows with nothing waiting below the congestion window
	quiet     int64    // rows among these in which nothing was sent since the row before
	quietRoom int64    // those of them with nothing waiting below the congestion window
	waiting   [2]int64 // quiet and quietRoom since the last of these rows
	lost      bool     // a segment was retransmitted
	bbr       bool     // a congestion control paces
	cwnd      [2]float64
	first     sample // the first of these rows
	lastTime  int64
}

// fewUnread is the part of a buffer up to which little is unread.
const fewUnread = 0.1

// nearRate is from which part of the pacing rate on a delivery rate is near it.
const nearRate = 0.7

// add takes a row; sent is what the row before had sent.
func (t *sending) add(r *hosts.Row, sent float64) {
	t.lost = t.lost || r.Value(hosts.BytesRetrans) > 0
	cwnd := r.Value(hosts.Cwnd)
	room := int64(0)
	if r.Value(hosts.NotSent) == 0 && r.Value(hosts.UnackedSegments) < cwnd-1 {
		room = 1
	}
	if r.Value(hosts.BytesSent) <= sent {
		t.waiting[0]++
		t.waiting[1] += room
		return
	}
	if t.rows == 0 {
		t.first, t.cwnd, t.waiting = sampleOf(r), [2]float64{cwnd, cwnd}, [2]int64{}
	}
	t.rows++
	t.room += room
	t.quiet, t.quietRoom, t.waiting = t.quiet+t.waiting[0], t.quietRoom+t.waiting[1], [2]int64{}
	t.lastTime = r.Stamp
	t.cwnd = [2]float64{min(t.cwnd[0], cwnd), max(t.cwnd[1], cwnd)}
	if r.Value(hosts.NotSent) > 0 {
		t.written++
	}
	if cwnd > 0 && r.Value(hosts.UnackedSegments) >= cwnd-1 {
		t.atWindow++
	}
	if r.Value(hosts.DeliveryRate) >= nearRate*r.Value(hosts.PacingRate) && r.Has(hosts.PacingRate) {
		t.paced++
	}
}

// merge adds the rows of another socket.
func (t *sending) merge(o *sending) {
	switch {
	case t.rows == 0:
		t.first, t.lastTime, t.cwnd = o.first, o.lastTime, o.cwnd
	case o.rows > 0:
		t.lastTime = max(t.lastTime, o.lastTime)
		t.cwnd = [2]float64{min(t.cwnd[0], o.cwnd[0]), max(t.cwnd[1], o.cwnd[1])}
	}
	t.rows, t.written, t.atWindow, t.paced = t.rows+o.rows, t.written+o.written, t.atWindow+o.atWindow, t.paced+o.paced
	t.room, t.quiet, t.quietRoom = t.room+o.room, t.quiet+o.quiet, t.quietRoom+o.quietRoom
	t.lost = t.lost || o.lost
}

// usage is how far a limit was used.
type usage struct {
	parts stats.Dist // of the limit
	limit [2]float64 // least and most
	first sample     // the first row with it
	last  int64
}

// add takes a row.
func (t *usage) add(r *hosts.Row, used, limit float64) {
	if t.parts.N() == 0 {
		t.first, t.limit = sampleOf(r), [2]float64{limit, limit}
	}
	t.parts.Add(used / limit)
	t.limit = [2]float64{min(t.limit[0], limit), max(t.limit[1], limit)}
	t.last = r.Stamp
}

// buffers counts how full the buffers of a socket of Multipath TCP are.
type buffers struct {
	send      usage   // over rows with memory in use
	receive   usage   // unread bytes
	few       int64   // rows with little of the limit unread
	full      int64   // rows with at least half of the limit unread
	fullLeast float64 // least unread bytes of these rows
	fullFirst sample
	ended     int64   // rows in CLOSE-WAIT with more than little unread
	endedMost float64 // most unread bytes of these rows
	endedAt   sample  // the row with them
}

// add takes a row. A socket gets to CLOSE-WAIT when all data has come in order: nothing that waits is out of
// order.
func (t *buffers) add(r *hosts.Row) {
	if w, limit := r.Value(hosts.MemW), r.Value(hosts.MemTB); w > 0 && limit > 0 {
		t.send.add(r, w, limit)
	}
	q, limit := r.Value(hosts.RecvQ), r.Value(hosts.MemRB)
	if limit == 0 {
		return
	}
	t.receive.add(r, q, limit)
	switch {
	case q <= fewUnread*limit:
		t.few++
	case r.State == "CLOSE-WAIT":
		t.ended++
		if q > t.endedMost {
			t.endedMost, t.endedAt = q, sampleOf(r)
		}
	}
	if q >= limit/2 {
		if t.full == 0 {
			t.fullFirst, t.fullLeast = sampleOf(r), q
		}
		t.full++
		t.fullLeast = min(t.fullLeast, q)
	}
}

// median returns the median of a distribution.
func median(d *stats.Dist) float64 { return d.Quantiles(0.5)[0] }
