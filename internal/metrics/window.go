package metrics

import (
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

	edge      seq.DSN // right edge: the largest DATA_ACK + window so far
	limitedAt int64   // since when nothing is left; 0 = something is
}

// window takes a packet of the receiver with a DATA_ACK.
func (d *Dir) window(p *conn.Packet, now int64) {
	w := &d.Window
	me, peer := &p.Sub.Half[p.From&1], &p.Sub.Half[p.From.Other()]
	shift, ok := me.WScale()
	if _, both := peer.WScale(); !both {
		shift = 0 // scaling needs both (RFC 7323, Section 2.2)
	}
	if _, fromSYN := me.ISN(); !fromSYN || (!ok && me.SYNs == 0) {
		return
	}
	if s := d.m.Subs[p.Sub.ID]; shift == 0 && (s.OffersCut(conn.A) != "" || s.OffersCut(conn.B) != "") {
		return
	}
	w.Known = true
	size := int64(p.Seg.Window) << shift
	w.edge = max(w.edge, p.AckAt+seq.DSN(size))
	free := int64(w.edge - d.space.Next())
	if d.m.series {
		d.m.emit(SeriesRwnd, nil, d.from, now, float64(size))
		d.m.emit(SeriesRwndFree, nil, d.from, now, float64(free))
	}
	w.limit(free, now)
	delta := d.awnd(p, size, now)
	if d.elsewhere {
		return
	}
	if d.windows.add(float64(size), float64(free), delta, 1) {
		d.enterWindows()
	}
}

func (d *Dir) enterWindows() {
	d.windows.enter(stats.Unweighted, &d.Window.Rwnd, &d.Window.Free, &d.Awnd.Delta)
}

// used takes data that the sender has sent: between two DATA_ACKs it may use
// the window up.
func (d *Dir) used(now int64) {
	if d.Window.Known {
		d.Window.limit(int64(d.Window.edge-d.space.Next()), now)
	}
}

// limit follows the time in which the window is used up.
func (w *Window) limit(free, now int64) {
	switch {
	case free <= 0 && w.limitedAt == 0:
		w.limitedAt = now
	case free > 0 && w.limitedAt != 0:
		w.Limited += now - w.limitedAt
		w.limitedAt = 0
	}
}
