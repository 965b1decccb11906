package pair

// matched takes the part run of a sent packet that arrived.
func (d *lane) matched(c *sentCopy, a *arrival, run span) {
	if !c.again {
		d.MatchedPackets++
	} else if a.fresh {
		d.Split++
	}
	if sameID(c, a) {
		d.sameID++
	}
	if a.fresh && a.options.differs(c.options) {
		d.Altered++
	}
	d.delayed(c, a.time, units(run.Len(), c.unit), run.Len())
	d.spacing(c, a.time, a.Len())
	d.row(c, a, run, FateArrived)
}

// delayed takes the delay of a part of a sent packet that arrived at a time, of
// some segments and octets.
func (d *lane) delayed(c *sentCopy, now, segments, octets int64) {
	delay := now - c.time
	d.latest = delay
	if delay < d.least || delay > d.most || now < d.earliest || !d.hasDelay {
		d.extreme(delay, now)
	}
	d.flow.add(d, c, now, delay, segments)
	if octets+octets/8 >= c.unit { // equal sizes can be compared
		d.path.data(d.out, now, delay)
	}
}

// extreme takes a delay that none was below yet, none above, or none earlier.
func (d *lane) extreme(delay, arrived int64) {
	if !d.hasDelay {
		d.least, d.most, d.hasDelay = delay, delay, true
		d.initial, d.earliest = delay, arrived
	}
	if arrived < d.earliest {
		d.initial, d.earliest = delay, arrived
	}
	d.least, d.most = min(d.least, delay), max(d.most, delay)
}

// headers is about what a data packet has besides its payload, octets: IP, TCP,
// timestamps and a mapping.
const headers = 80

// spacing measures how a bottleneck spaces packets that left together, of which
// one arrived with n octets.
func (d *lane) spacing(c *sentCopy, now, n int64) {
	came, left := now-d.lastCame, c.time-d.lastLeft
	first := d.lastCame == 0
	d.lastCame, d.lastLeft = now, c.time
	if 4*left < came && left >= 0 && !first && n+n/8 >= c.unit && n <= c.unit {
		d.path.gap(d.out, came*n/(n+headers))
	}
}

// units returns how many segments of unit octets n octets are.
func units(n, unit int64) int64 {
	if unit == 0 || n <= unit {
		return min(1, max(0, n))
	}
	return (n + unit - 1) / unit
}
