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
	if d.Drops != nil && d.Drops.PerS != nil {
		d.Drops = new(*d.Drops)
		d.Drops.PerS = nil
		d.Unavailable.Settle("drops.per_s", true, why)
	}
	if d.Bursts != nil && d.Bursts.DurationMS != nil {
		d.Bursts = new(*d.Bursts)
		d.Bursts.DurationMS = nil
		d.Unavailable.Settle("bursts.duration_ms", true, why)
	}
}

// connDirWithoutTimes does the same for a direction of a connection.
func connDirWithoutTimes(d *report.ConnDir, why string) {
	if d == nil {
		return
	}
	withoutTimed(d, &d.Unavailable, why)
	if d.OutOfOrder != nil && d.OutOfOrder.ExtentMS != nil {
		d.OutOfOrder = new(*d.OutOfOrder)
		d.OutOfOrder.ExtentMS = nil
		d.Unavailable.Settle("out_of_order.extent_ms", true, why)
	}
	switch worth := d.ReinjectionWorth; {
	case worth == nil:
	case worth.Evidence == report.Inferred: // inferred from times of sending and of acknowledgments
		d.ReinjectionWorth = nil
		d.Unavailable.Settle("reinjection_worth", true, why)
	case worth.Lead != nil:
		d.ReinjectionWorth = new(*d.ReinjectionWorth)
		d.ReinjectionWorth.Lead = nil
		d.Unavailable.Settle("reinjection_worth.lead_ms", true, why)
	}
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
