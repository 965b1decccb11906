package report

import (
	"reflect"
	"slices"
	"strings"
)

// timedMetrics are the metrics that compare times though their unit is none of time:
// they go by rounds, by time weights, or by what happened first.
var timedMetrics = []string{
	"cwnd_estimate_bytes", "cwnd_estimate_mss", "cwnd_decisions", "retransmission_kinds",
	"hol_queue_bytes", "hol_queue_segments", "handovers", "rb2loc", "rec_path_list", "aggregation_benefit",
}

// timed returns the fields of a structure that are null where times cannot be
// compared, by their JSON names.
func timed(t reflect.Type) map[string]int {
	out := map[string]int{}
	for i := range t.NumField() {
		name := t.Field(i).Tag.Get("json")
		byUnit := strings.HasSuffix(name, "_ms") || strings.HasSuffix(name, "_mbps")
		if byUnit && t.Field(i).Type.Kind() == reflect.Pointer || slices.Contains(timedMetrics, name) {
			out[name] = i
		}
	}
	return out
}

var (
	timedSubDir  = timed(reflect.TypeFor[SubDir]())
	timedConnDir = timed(reflect.TypeFor[ConnDir]())
)

// withoutTimed makes the fields null that have a value, with the reason why.
func withoutTimed(of reflect.Value, fields map[string]int, w *Reasons, why string) {
	for name, i := range fields {
		if f := of.Field(i); !f.IsNil() {
			f.SetZero()
			w.settle(name, true, why)
		}
	}
}

// withoutTimes makes null what compares times. What is pointed to may be shared, so a
// part of it is taken out of a copy.
func (d *SubDir) withoutTimes(why string) {
	if d == nil {
		return
	}
	withoutTimed(reflect.ValueOf(d).Elem(), timedSubDir, &d.Unavailable, why)
	if d.Drops != nil && d.Drops.PerS != nil {
		d.Drops = new(*d.Drops)
		d.Drops.PerS = nil
		d.Unavailable.settle("drops.per_s", true, why)
	}
	if d.Bursts != nil && d.Bursts.DurationMS != nil {
		d.Bursts = new(*d.Bursts)
		d.Bursts.DurationMS = nil
		d.Unavailable.settle("bursts.duration_ms", true, why)
	}
}

// withoutTimes does so for a direction of a connection.
func (d *ConnDir) withoutTimes(why string) {
	if d == nil {
		return
	}
	withoutTimed(reflect.ValueOf(d).Elem(), timedConnDir, &d.Unavailable, why)
	if d.OutOfOrder != nil && d.OutOfOrder.ExtentMS != nil {
		d.OutOfOrder = new(*d.OutOfOrder)
		d.OutOfOrder.ExtentMS = nil
		d.Unavailable.settle("out_of_order.extent_ms", true, why)
	}
	switch worth := d.ReinjectionWorth; {
	case worth == nil:
	case worth.Evidence == Inferred: // from times of sending and acknowledgments
		d.ReinjectionWorth = nil
		d.Unavailable.settle("reinjection_worth", true, why)
	case worth.Lead != nil:
		d.ReinjectionWorth = new(*d.ReinjectionWorth)
		d.ReinjectionWorth.Lead = nil
		d.Unavailable.settle("reinjection_worth.lead_ms", true, why)
	}
}

// withoutTimes makes null what compares times of a connection whose times cannot be
// compared.
func (c *Connection) withoutTimes(why string) {
	if why == "" {
		return
	}
	c.A2B.withoutTimes(why)
	c.B2A.withoutTimes(why)
	for i := range c.Subflows {
		s := &c.Subflows[i]
		s.A2B.withoutTimes(why)
		s.B2A.withoutTimes(why)
		null(&s.HandshakeRTT, &s.Unavailable, "handshake_rtt_ms", why)
		null(&s.JoinDelay, &s.Unavailable, "join_delay_ms", why)
	}
}

// withoutTimes does so for a connection of plain TCP.
func (c *TCP) withoutTimes(why string) {
	if why == "" {
		return
	}
	c.A2B.withoutTimes(why)
	c.B2A.withoutTimes(why)
	null(&c.HandshakeRTT, &c.Unavailable, "handshake_rtt_ms", why)
}

// null makes a figure null that is not.
func null(f **float64, w *Reasons, name, why string) {
	if *f != nil {
		*f = nil
		w.settle(name, true, why)
	}
}
