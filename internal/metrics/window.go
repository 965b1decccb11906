package metrics

import (
	"math"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
)

// Window follows the connection-level receive window of a direction (RFC
// 8684, Section 3.3.5): what its receiver offers.
type Window struct {
	Rwnd    stats.Dist // octets
	Free    stats.Dist // right edge less the highest DSN sent, octets
	Limited int64      // ns during which nothing of the window was left
	Known   bool       // a scale is known, so that windows can be read

	edge      seq.DSN // right edge: the largest DATA_ACK + window so far; unread before the first
	limitedAt int64   // since when nothing is left; 0 = something is
	calm      span    // of octets left: neither that nor the trace's fullAt changes within

	latest advert // what the latest DATA_ACK offered
	same   int64  // DATA_ACKs that offered the same again and are not entered yet
}

// unread is the right edge while no window was read: nothing reaches it.
const unread = math.MaxInt64 / 2

// roomy and usedUp are the spans of octets left in which nothing changes where
// a segment, of 65535 octets at most, fits in, and where none is left.
var (
	roomy  = span{1 << 16, math.MaxInt64}
	usedUp = span{-math.MaxInt64, math.MaxInt64 + 1}
)

// advert is all that a DATA_ACK says of the window, and the end of the data
// then. Most packets of a host that sends data repeat it.
type advert struct {
	size int64 // octets; -1 = a repetition is to be looked at
	ack  seq.DSN
	next seq.DSN
}

// free returns the octets of the window that are left.
func (d *Dir) free() int64 { return int64(d.Window.edge - d.space.Next()) }

// calm reports whether the use of the window stays what it is after a packet that
// brings segments of subflow s, or acknowledges them.
func (d *Dir) calm(s *SubDir) bool {
	w, free := &d.Window, d.free()
	return w.calm.holds(free) || w.calm.from > 0 && free >= s.half.Unit()
}

// window takes what a packet of the receiver offers, other than the one before.
func (d *Dir) window(p *conn.Packet, o advert, now int64) {
	w := &d.Window
	if w.same > 0 {
		d.enterSame()
	}
	if !w.Known {
		d.uncouple() // until now there was room without end
		w.Known, w.edge = true, 0
	}
	w.edge = max(w.edge, o.ack+seq.DSN(o.size))
	size, free := o.size, int64(w.edge-o.next)
	if d.m.series {
		d.out.emit(SeriesRwnd, now, float64(size))
		d.out.emit(SeriesRwndFree, now, float64(free))
	}
	delta := d.awnd(p, size, now)
	if d.Awnd.open.lasts || d.m.series {
		o.size = -1
	}
	w.latest = o
	if !d.elsewhere {
		w.Rwnd.Add(float64(size))
		w.Free.Add(float64(free))
		d.Awnd.Delta.Add(delta)
	}
}

// again counts a DATA_ACK that offers what the latest one did.
func (d *Dir) again(now int64) {
	d.Window.same++
	d.Awnd.last = now
}

// enterSame enters the DATA_ACKs that repeated the latest one. No rb2loc event
// lasted, and none could begin: the mean moves towards the window, so that the
// indicator does not fall while it is negative.
func (d *Dir) enterSame() {
	w, a := &d.Window, &d.Awnd
	size, free, n := w.latest.size, int64(w.edge-w.latest.next), w.same
	w.same = 0
	if !d.elsewhere {
		w.Rwnd.AddRepeated(float64(size), n)
		w.Free.AddRepeated(float64(free), n)
	}
	if a.least == a.most {
		a.n, a.sum = a.n+n, a.sum+n*size
		return
	}
	for range n {
		if delta := a.take(size); !d.elsewhere {
			a.Delta.Add(delta)
		}
	}
}

// limit follows the time in which the window is used up: by data, between two
// DATA_ACKs, or by what these take back.
func (d *Dir) limit(now int64) {
	w := &d.Window
	switch free := d.free(); {
	case free <= 0 && w.limitedAt == 0:
		w.limitedAt = now
	case free > 0 && w.limitedAt != 0:
		w.Limited += now - w.limitedAt
		w.limitedAt = 0
	}
	d.rest()
}

// rest sets the span in which there is nothing to do.
func (d *Dir) rest() {
	w := &d.Window
	switch full := d.trace.fullAt.Seen(); {
	case !full && w.limitedAt == 0:
		w.calm = roomy
	case full && w.limitedAt != 0:
		w.calm = usedUp
	default:
		w.calm = span{}
	}
}
