package build

import (
	"sync"

	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// timed has the names of the figures that are null where times cannot be compared.
var timed = sync.OnceValue(func() (names []string) {
	for _, m := range metrics.Table() {
		if m.Form != "" && m.DependsOnTimes() {
			names = append(names, m.JSON)
		}
	}
	return names
})

// withoutTimed sets those that have a value to null, with the reason.
func withoutTimed(of report.Figures, w *report.Reasons, why string) {
	for _, name := range timed() {
		if f := of.Figure(name); f.IsValid() && !f.IsNil() {
			f.SetZero()
			w.Settle(name, true, why)
		}
	}
}

// subDirWithoutTimes sets figures that compare times to null. Values behind pointers
// may be shared, so it changes copies of them.
func subDirWithoutTimes(d *report.SubDir, why string) {
	if d == nil {
		return
	}
	withoutTimed(d, &d.Unavailable, why)
	withoutPart(&d.Drops, func(x *report.Drops) **float64 { return &x.PerS }, &d.Unavailable, "drops.per_s", why)
	withoutPart(&d.Bursts, func(x *report.Bursts) **report.Stat { return &x.DurationMS }, &d.Unavailable, "bursts.duration_ms", why)
}

// withoutPart sets a part of a figure that has a value to null, in a copy of the figure.
func withoutPart[T, V any](figure **T, part func(*T) **V, w *report.Reasons, name, why string) {
	if *figure == nil || *part(*figure) == nil {
		return
	}
	*figure = new(**figure)
	*part(*figure) = nil
	w.Settle(name, true, why)
}

// connDirWithoutTimes does the same for a direction of a connection.
func connDirWithoutTimes(d *report.ConnDir, why string) {
	if d == nil {
		return
	}
	withoutTimed(d, &d.Unavailable, why)
	withoutPart(&d.OutOfOrder, func(x *report.OutOfOrder) **report.Stat { return &x.ExtentMS }, &d.Unavailable, "out_of_order.extent_ms", why)
	if d.ReinjectionWorth != nil && d.ReinjectionWorth.Evidence == report.Inferred { // inferred from times of sending and of acknowledgments
		d.ReinjectionWorth = nil
		d.Unavailable.Settle("reinjection_worth", true, why)
	}
	withoutPart(&d.ReinjectionWorth, func(x *report.ReinjectionWorth) **report.Stat { return &x.Lead }, &d.Unavailable, "reinjection_worth.lead_ms", why)
}

// connWithoutTimes sets figures that compare times to null, for a connection whose
// times cannot be compared.
func connWithoutTimes(c *report.Connection, why string) {
	if why == "" {
		return
	}
	connDirWithoutTimes(c.A2B, why)
	connDirWithoutTimes(c.B2A, why)
	for i := range c.Subflows {
		s := &c.Subflows[i]
		subDirWithoutTimes(s.A2B, why)
		subDirWithoutTimes(s.B2A, why)
		null(&s.HandshakeRTT, &s.Unavailable, "handshake_rtt_ms", why)
		null(&s.JoinDelay, &s.Unavailable, "join_delay_ms", why)
	}
}

// tcpWithoutTimes does the same for a connection of plain TCP.
func tcpWithoutTimes(c *report.TCP, why string) {
	if why == "" {
		return
	}
	subDirWithoutTimes(c.A2B, why)
	subDirWithoutTimes(c.B2A, why)
	null(&c.HandshakeRTT, &c.Unavailable, "handshake_rtt_ms", why)
}

// null sets a figure to null, with a reason, unless it is null already.
func null(f **float64, w *report.Reasons, name, why string) {
	if *f != nil {
		*f = nil
		w.Settle(name, true, why)
	}
}
