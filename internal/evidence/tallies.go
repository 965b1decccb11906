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

// buffers counts how full the buffers of a socket of Multipath TCP are.
type buffers struct {
	send      stats.Dist // memory in use / its limit, over rows with memory in use
	receive   stats.Dist // unread bytes / limit
	few       int64      // rows with little of the limit unread
	full      int64      // rows with at least half of the limit unread
	fullLeast float64    // least unread bytes of these rows
	fullFirst sample
	sendFirst sample // the first row with memory in use
	sendLimit [2]float64
	readLimit [2]float64
	readFirst sample // the first row with a limit for received data
	readLast  int64
	ended     int64   // rows in CLOSE-WAIT with more than little unread
	endedMost float64 // most unread bytes of these rows
	endedAt   sample  // the row with them
}

// add takes a row.
func (t *buffers) add(r *hosts.Row) {
	if w, limit := r.Value(hosts.MemW), r.Value(hosts.MemTB); w > 0 && limit > 0 {
		if t.send.N() == 0 {
			t.sendFirst, t.sendLimit = sampleOf(r), [2]float64{limit, limit}
		}
		t.send.Add(w / limit)
		t.sendLimit = [2]float64{min(t.sendLimit[0], limit), max(t.sendLimit[1], limit)}
	}
	limit := r.Value(hosts.MemRB)
	if limit == 0 {
		return
	}
	if t.receive.N() == 0 {
		t.readFirst, t.readLimit = sampleOf(r), [2]float64{limit, limit}
	}
	t.receive.Add(float64(r.RecvQ) / limit)
	t.readLast = r.Stamp
	if float64(r.RecvQ) <= fewUnread*limit {
		t.few++
	}
	// A socket gets to CLOSE-WAIT when all data has come in order: nothing that waits is out of order.
	if q := float64(r.RecvQ); r.State == "CLOSE-WAIT" && q > fewUnread*limit {
		t.ended++
		if q > t.endedMost {
			t.endedMost, t.endedAt = q, sampleOf(r)
		}
	}
	t.readLimit = [2]float64{min(t.readLimit[0], limit), max(t.readLimit[1], limit)}
	if q := float64(r.RecvQ); q >= limit/2 {
		if t.full == 0 {
			t.fullFirst, t.fullLeast = sampleOf(r), q
		}
		t.full++
		t.fullLeast = min(t.fullLeast, q)
	}
}

// median returns the median of a distribution.
func median(d *stats.Dist) float64 { return d.Quantiles(0.5)[0] }
