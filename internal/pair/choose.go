package pair

// best returns the sent copy that an arrival is most likely of, among those
// that overlap it: -1 if there is none.
func (d *matchedDirection) best(a *arrivedPart) int {
	q := &d.inFlight
	if a.Start >= q.overlapEnd {
		return d.bestInOrder(a)
	}
	best, score := -1, int64(0)
	start := a.End
	for i := q.search(a.Start - q.longest); i < len(q.list) && q.list[i].Start < a.End; i++ {
		c := &q.list[i]
		if c.done || c.End <= a.Start {
			continue
		}
		s, ok := d.score(c, a)
		if !ok {
			continue
		}
		// The lowest run first, so that an arrival is consumed in order; of
		// runs at the same place the best.
		at := max(c.Start, a.Start)
		if best < 0 || at < start || at == start && s > score {
			best, score, start = i, s, at
		}
	}
	return best
}

// first is best where no two runs overlap.
func (d *matchedDirection) bestInOrder(a *arrivedPart) int {
	q := &d.inFlight
	i := q.hint
	if i < q.head || i >= len(q.list) || !q.list[i].Contains(a.Start) {
		if i = q.search(a.Start); i > q.head && q.list[i-1].End > a.Start {
			i--
		}
	}
	for ; i < len(q.list) && q.list[i].Start < a.End; i++ {
		if c := &q.list[i]; !c.done {
			if _, ok := d.score(c, a); ok {
				q.hint = i + 1
				return i
			}
		}
	}
	return -1
}

// fits says how well an arrival and a sent copy agree, or that they are not of
// the same packet: timestamps survive every path but for odd middleboxes, IP
// identifications most of them. Among equals the delay decides that is nearest
// to the latest.
func (d *matchedDirection) score(c *sentPart, a *arrivedPart) (score int64, ok bool) {
	if c.hasTS && a.hasTS && c.tsval != a.tsval {
		if d.MatchedPackets > 0 || d.otherTimestamps < 64 {
			d.otherTimestamps++
			return 0, false
		}
	}
	same := sameID(c, a)
	if !same && d.keptIDs > 0 && c.ipid != 0 && a.ipid != 0 && !(c.hasTS && a.hasTS) {
		return 0, false
	}
	if d.hasDelay {
		score = -abs(a.time - c.time - d.lastDelay)
	} else {
		score = -abs(a.time - c.time)
	}
	if same {
		score += 1 << 62
	}
	return score, true
}

// sameID reports whether the IP identification of an arrival is that of a sent
// packet, or one that segmentation gave to a part of it, or where the receiving
// host merged packets that of one before it: identifications of what is split or
// merged go up by one for each segment.
func sameID(c *sentPart, a *arrivedPart) bool {
	if c.ipid == a.ipid {
		return c.ipid != 0
	}
	up := int64(int16(a.ipid - c.ipid))
	if up < 0 {
		return -up < segments(a.size, a.unit)
	}
	return up < segments(int64(c.size), c.unit)
}

// maxEarly is by how much a delay may fall below the least one seen without
// that the arrival must be of an older packet, ns.
const maxEarly = 5e6

// early reports whether an arrival came too early to be of a sent packet, where
// nothing in it says that it is: a queue may have drained since the least delay
// was seen.
func (d *matchedDirection) tooEarly(c *sentPart, a *arrivedPart) bool {
	return d.hasDelay && a.time-c.time < d.leastDelay-maxEarly && !(c.hasTS && a.hasTS) && !sameID(c, a)
}
