package metrics

import (
	"cmp"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// windowUnit derives rwnd, rwnd_free and rwnd_limited.
var windowUnit = &unit{
	key:    "window",
	series: []*Series{seriesRwnd, seriesRwndFree},
	family: catalogue.FamilyWindows,
	meter:  hasWindow,
	report: new(Window),
}

var (
	seriesRwnd     = &Series{name: "rwnd", holds: true, acks: true}
	seriesRwndFree = &Series{name: "rwnd_free", holds: true, maps: true, acks: true}
)

// Window follows the connection-level receive window of a direction (RFC
// 8684, Section 3.3.5): what its receiver offers.
type Window struct {
	nop
	d *DataDir

	Rwnd    stats.Dist // bytes
	Free    stats.Dist // right edge minus the highest DSN sent, bytes
	Limited int64      // time during which the window was used up, ns
	Known   bool       // a scale is known, so that windows can be read

	latest    int64 // the latest window, bytes; valid with Known
	limitedAt int64 // since when the window is used up; 0 = it is not
	delta     Awnd  // awnd_delta and its events
}

func (w *Window) renew(d *DataDir) {
	w.delta.renew(d)
	*w = Window{d: d, Rwnd: w.Rwnd.Renewed(), Free: w.Free.Renewed(), delta: w.delta}
}

// Window returns the receive window of the direction.
func (d *DataDir) Window() *Window { return cmp.Or(d.window, noDir.window) }

// dataAck takes a window that the receiver offers.
func (w *Window) dataAck(p *conn.Packet, window, now int64) {
	w.delta.dataAck(p, window, now)
	w.Known, w.latest = true, window
	w.Rwnd.Add(float64(window))
	free := w.d.free()
	if w.d.out != nil {
		w.d.out.step(seriesRwnd, now, float64(window))
		w.d.out.step(seriesRwndFree, now, float64(free))
	}
	w.Free.Add(float64(free))
	if free <= 0 || w.limitedAt != 0 {
		w.limit(now)
	}
}

// full takes data that uses up the window.
func (w *Window) full(now int64) { w.limit(now) }

// limit measures the time in which the window is used up. Data uses it up, or a
// DATA_ACK makes it smaller.
func (w *Window) limit(now int64) {
	switch full := w.d.free() <= 0 && w.d.m.Conn.Fallback == ""; {
	case full && w.limitedAt == 0:
		w.limitedAt = now
	case !full && w.limitedAt != 0:
		w.Limited += now - w.limitedAt
		w.limitedAt = 0
	}
}

func (w *Window) close(at int64) {
	w.delta.close(at)
	if w.limitedAt != 0 {
		w.Limited += at - w.limitedAt
	}
}

func (*Window) reportConnection(v *view, out *report.ConnDir) {
	w, why := v.dir().Window(), v.windowReason()
	if why == "" {
		v.distribution(out, "rwnd_bytes", &w.Rwnd, report.Observed, noWindow)
	} else {
		v.Set("rwnd_bytes", why)
	}
	if why = cmp.Or(why, v.cut); why != "" {
		v.SetAll(why, "rwnd_free_bytes", "rwnd_limited_ms")
		return
	}
	v.distribution(out, "rwnd_free_bytes", &w.Free, report.Observed, noWindow)
	v.number(out, "rwnd_limited_ms", ms(w.Limited))
}
