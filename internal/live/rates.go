package live

import "mpanalyze/internal/conn"

// rates fills in the figures that depend on the length of the interval, in ns.
func (v *Interval) rates(length int64) {
	v.Amounts.rates(length)
	v.Rest.Amounts.rates(length)
	for i := range v.Shown {
		c := &v.Shown[i]
		for _, from := range sides {
			d := c.dir(from)
			if d.Bytes != nil {
				if d.Goodput = goodput(*d.Bytes, length); d.Goodput == nil {
					d.Unavailable.Set("goodput_mbps", corrected)
				}
			}
			d.Throughput = mbps(d.Payload, length)
			for i := range c.Subflows {
				s := c.Subflows[i].dir(from)
				s.Throughput = mbps(s.Payload, length)
			}
			c.waitsFor(from, ms(length))
		}
	}
}

func (a *Amounts) rates(length int64) {
	a.Goodput, a.Throughput = goodput(a.Bytes, length), mbps(a.Payload, length)
}

// corrected is the reason for a goodput that is null although its bytes are known.
const corrected = "later packets correct what was counted before"

// goodput returns the rate of application data; nil where bytes are taken back.
func goodput(bytes, ns int64) *float64 {
	if bytes < 0 {
		return nil
	}
	return mbps(bytes, ns)
}

func mbps(bytes, ns int64) *float64 { return new(float64(bytes) * 8e3 / float64(ns)) }

// amounts returns what passed in both directions together.
func (c *Connection) amounts() (n Amounts) {
	for _, from := range sides {
		d := c.dir(from)
		if d.Bytes != nil {
			n.Bytes += *d.Bytes
		}
		n.Payload += d.Payload
	}
	return n
}

// A wait is shown if it takes at least this part of the interval, or this time for stalledMS.
// The verdicts window_closed, hol_blocked, application_limited and stalled have the same limits.
const (
	windowMuch      = 0.10
	blockedMuch     = 0.25
	applicationMuch = 0.25
	stalledMS       = 1e3
)

// waitsFor finds what the data of side from waited for most in an interval. length is in ms.
// For a connection that is not open it finds nothing.
func (c *Connection) waitsFor(from conn.Side, length float64) {
	d := c.dir(from)
	if c.Ended || c.State != "open" {
		return
	}
	if d.DataAck != nil && *d.DataAck >= stalledMS {
		d.WaitsFor = new(WaitsForDataAck)
		return
	}
	most, blocked := 0.0, 0.0
	for i := range c.Subflows {
		if s := c.Subflows[i].dir(from); s.Blocked != nil {
			blocked = max(blocked, *s.Blocked)
		}
	}
	for _, w := range []struct {
		wait Wait
		took *float64
		much float64
	}{
		{WaitsForWindow, d.Window, windowMuch},
		{WaitsForSubflow, &blocked, blockedMuch},
		{WaitsForApplication, d.Application, applicationMuch},
	} {
		if w.took != nil && *w.took >= w.much*length && *w.took > most {
			most, d.WaitsFor = *w.took, new(w.wait)
		}
	}
}
