package metrics

import (
	"slices"

	"mpanalyze/internal/seq"
)

// plainOrder puts the arrivals of a plain TCP connection in order. For Multipath TCP
// the data sequence space does this.
type plainOrder struct {
	begun   bool
	rcvNxt  int64  // everything below has arrived, or was acknowledged
	waiting []span // arrivals above rcvNxt, sorted by their start; bounded by maxWaiting
	lost    bool   // there were more than maxWaiting
}

// maxWaiting bounds the packets that wait for missing data.
const maxWaiting = 8192

func (o *plainOrder) renew() { *o = plainOrder{waiting: seq.Reuse(o.waiting)} }

// begin sets rcvNxt to the beginning of the first data.
func (o *plainOrder) begin(at int64) {
	if !o.begun {
		o.begun, o.rcvNxt = true, at
	}
}

// add takes a packet's data.
func (o *plainOrder) add(r span) {
	o.begin(r.start)
	if r.end <= o.rcvNxt {
		return
	}
	n := len(o.waiting)
	if n >= maxWaiting {
		o.lost = true
		return
	}
	if n > 0 && r.start < o.waiting[n-1].start {
		n, _ = slices.BinarySearchFunc(o.waiting, r.start, func(w span, p int64) int { return int(w.start - p) })
	}
	o.waiting = slices.Insert(o.waiting, n, r)
}

// acked says that the receiver has all data below p. Data that is missing there is
// missing only in the capture.
func (o *plainOrder) acked(p int64) {
	if o.begun && len(o.waiting) > 0 {
		o.rcvNxt = max(o.rcvNxt, p)
	}
}

// take calls f for each packet that is in order now, with the part of it that is new.
func (o *plainOrder) take(f func(span)) {
	n := 0
	for ; n < len(o.waiting) && o.waiting[n].start <= o.rcvNxt; n++ {
		if r := (span{max(o.rcvNxt, o.waiting[n].start), o.waiting[n].end}); r.end > o.rcvNxt {
			f(r)
			o.rcvNxt = r.end
		}
	}
	o.waiting = slices.Delete(o.waiting, 0, n)
}
