package metrics

import (
	"math"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/subflow"
)

// Window follows the connection-level receive window of a direction (RFC
// 8684, Section 3.3.5): what its receiver offers.
type Window struct {
	Rwnd    stats.Dist // octets
	Free    stats.Dist // right edge less the highest DSN sent, octets
	Limited int64      // ns during which nothing of the window was left
	Known   bool       // a scale is known, so that windows can be read

	size      int64   // of the latest window that was offered
	edge      seq.DSN // right edge: the largest DATA_ACK + window so far; unread before the first
	limitedAt int64   // since when nothing is left; 0 = something is
	calm      span    // of octets left: neither that nor the trace's fullAt changes within

	field  int32  // what [way.field] makes of the latest window; lookAgain where each is to be taken by itself
	latest advert // what the latest DATA_ACK offered
	alike  int64  // DATA_ACKs in a row that offered it, and before which no data passed: Free is to be entered as often
	same   int64  // those before them that offered the same window and are not entered yet; [Awnd] knows of the first
}

// unread is the right edge while no window was read: nothing reaches it.
const unread = math.MaxInt64 / 2

// roomy and usedUp are the spans of octets left in which nothing changes where
// a segment, of 65535 octets at most, fits in, and where none is left; endless
// is that of a connection that fell back, of which the window is not known.
var (
	roomy   = span{1 << 16, math.MaxInt64}
	usedUp  = span{-math.MaxInt64, math.MaxInt64 + 1}
	endless = span{-math.MaxInt64, math.MaxUint64}
)

// advert is all that a DATA_ACK says of the window, and the end of the data
// then. Most packets of a host that sends data repeat it.
type advert struct {
	field int32 // as [way.field] says; lookAgain = whatever comes, [way.dataAck] has a look at it
	ack   seq.DSN
	next  seq.DSN
}

// lookAgain is the field of no packet.
const lookAgain = math.MinInt32

// free returns the octets of the window that are left.
func (d *Dir) free() int64 { return int64(d.Window.edge - d.space.SndNxt()) }

// calm reports whether the use of the window stays what it is after a packet that
// brings segments of a subflow, or acknowledges them.
func (d *Dir) calm(half *subflow.Sender) bool {
	w, free := &d.Window, d.free()
	return w.calm.holds(free) || w.calm.from > 0 && free >= half.SegmentBytes()
}

// window takes what a packet of the receiver offers, size octets, other than the
// one before.
func (d *Dir) window(p *conn.Packet, o advert, size, now int64) {
	w := &d.Window
	d.enterSame()
	if !w.Known {
		d.uncouple() // until now there was room without end
		w.Known, w.edge = true, 0
	}
	w.edge = max(w.edge, o.ack+seq.DSN(size))
	delta := d.awnd(p, size, now)
	if d.Awnd.open.lasts || d.series && d.each() {
		o.field = lookAgain
	}
	w.field, w.latest, w.size, w.same, w.alike = o.field, o, size, 0, 1
	if !d.elsewhere {
		d.Awnd.Delta.Add(delta)
	}
	if d.series {
		d.out.step(SeriesRwnd, now, float64(size))
		d.out.step(SeriesRwndFree, now, float64(int64(w.edge-o.next)))
	}
}

// each reports whether a series has a value for each DATA_ACK, however alike
// they are.
func (d *Dir) each() bool {
	k := d.m.k
	return !k.cfg.Changes || k.wanted.has(SeriesAwndDelta) && d.Awnd.least != d.Awnd.most
}

// again counts a DATA_ACK that offers what the latest one did.
func (d *Dir) again(now int64) {
	d.Window.alike++
	d.Awnd.last = now
}

// behind counts a DATA_ACK that offers what the latest one did, and came after
// more data.
func (d *Dir) behind(next seq.DSN, now int64) {
	d.enterFree()
	d.Window.latest.next = next
	d.again(now)
	if d.series {
		d.out.step(SeriesRwndFree, now, float64(int64(d.Window.edge-next)))
	}
}

// enterFree enters what was left of the window at the latest DATA_ACKs, before
// more data takes of it.
func (d *Dir) enterFree() {
	w := &d.Window
	if !d.elsewhere {
		repeat(&w.Free, float64(int64(w.edge-w.latest.next)), w.alike)
	}
	w.same += w.alike
	w.alike = 0
}

// enterSame enters the DATA_ACKs that offered what the latest one did. No rb2loc
// event lasts if there are more than one, and none could begin: the mean moves
// towards the window, so that the indicator does not fall while it is negative.
func (d *Dir) enterSame() {
	w, a := &d.Window, &d.Awnd
	if w.same+w.alike == 0 {
		return
	}
	d.enterFree()
	n := w.same
	w.same = 0
	if !d.elsewhere {
		repeat(&w.Rwnd, float64(w.size), n)
	}
	n-- // all but the first
	if a.least == a.most {
		a.n, a.sum = a.n+n, a.sum+n*w.size
		return
	}
	for range n {
		if delta := a.take(w.size); !d.elsewhere {
			a.Delta.Add(delta)
		}
	}
}

// repeat takes the value v n times.
func repeat(x *stats.Dist, v float64, n int64) {
	if n == 1 {
		x.Add(v)
	} else {
		x.AddRepeated(v, n)
	}
}

// limit follows the time in which the window is used up: by data, between two
// DATA_ACKs, or by what these take back.
func (d *Dir) limit(now int64) {
	w := &d.Window
	free := d.free()
	if d.m.Conn.Fallback != "" {
		free = unread // no DATA_ACK says any more what is left
	}
	switch {
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
	w.latest.field = lookAgain
	switch full := d.trace.fullAt.Seen(); {
	case !full && w.limitedAt == 0 && d.m.Conn.Fallback != "":
		w.calm = endless
	case !full && w.limitedAt == 0:
		w.calm = roomy
	case full && w.limitedAt != 0:
		w.calm = usedUp
	default:
		w.calm = span{}
	}
}
