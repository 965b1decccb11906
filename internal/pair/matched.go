package pair

// matched takes the part run of a sent packet that arrived.
func (d *matchedDirection) enterMatch(c *sentPart, a *arrivedPart, run ssnRange) {
	if !c.partMatched {
		d.MatchedPackets++
	} else if a.firstMatch {
		d.Split++
	}
	if sameID(c, a) {
		d.keptIDs++
	}
	if a.firstMatch && a.options.differs(c.options) {
		d.Altered++
	}
	d.enterDelay(c, a.time, segments(run.Len(), c.unit), run.Len())
	d.noteSpacing(c, a.time, a.Len())
	d.emit(c, a, run, FateArrived)
}

// delayed takes the delay of a part of a sent packet that arrived at a time, of
// some segments and octets.
func (d *matchedDirection) enterDelay(c *sentPart, now, segments, octets int64) {
	delay := now - c.time
	d.lastDelay = delay
	if delay < d.leastDelay || delay > d.mostDelay || now < d.firstArrival || !d.hasDelay {
		d.noteExtreme(delay, now)
	}
	d.order.add(d, c, now, delay, segments)
	if octets+octets/8 >= c.unit { // equal sizes can be compared
		d.path.data(d.from, now, delay)
	}
}

// extreme takes a delay that none was below yet, none above, or none earlier.
func (d *matchedDirection) noteExtreme(delay, arrived int64) {
	if !d.hasDelay {
		d.leastDelay, d.mostDelay, d.hasDelay = delay, delay, true
		d.firstDelay, d.firstArrival = delay, arrived
	}
	if arrived < d.firstArrival {
		d.firstDelay, d.firstArrival = delay, arrived
	}
	d.leastDelay, d.mostDelay = min(d.leastDelay, delay), max(d.mostDelay, delay)
}

// headers is about what a data packet has besides its payload, octets: IP, TCP,
// timestamps and a mapping.
const headers = 80

// spacing measures how a bottleneck spaces packets that left together, of which
// one arrived with n octets.
func (d *matchedDirection) noteSpacing(c *sentPart, now, n int64) {
	came, left := now-d.lastArrival, c.time-d.lastArrivalSent
	first := d.lastArrival == 0
	d.lastArrival, d.lastArrivalSent = now, c.time
	if 4*left < came && left >= 0 && !first && n+n/8 >= c.unit && n <= c.unit {
		d.path.gap(d.from, came*n/(n+headers))
	}
}

// units returns how many segments of unit octets n octets are.
func segments(n, unit int64) int64 {
	if unit == 0 || n <= unit {
		return min(1, max(0, n))
	}
	return (n + unit - 1) / unit
}
