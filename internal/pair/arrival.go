package pair

import "mpanalyze/internal/seq"

// arrivedPart is an arrived packet, or the part of it that is not matched yet.
type arrivedPart struct {
	ssnRange
	time         int64 // ns, by the clock of the capture at the receiving host
	num          uint64
	segmentBytes int64 // payload of a full segment
	size         int64 // bytes of the packet's payload
	tsval        uint32
	ipid         uint16
	options      optionSummary
	hasTS        bool
	first        bool // no part of the packet was matched yet
	untimed      bool // see [packet.Untimed]
}

// maxUnmatched bounds the arrivals that fit no sent packet yet.
const maxUnmatched = 1 << 12

// matchArrival matches an arrival, whole or in part, with the sent packets
// whose data it holds.
func (d *matchedSubflowDir) matchArrival(a *arrivedPart) {
	parts := 0
	for !a.Empty() {
		at := d.bestSent(a)
		if at == seq.None {
			break
		}
		c := d.inFlight.At(at)
		common := c.Intersect(a.ssnRange)
		if common.Start > a.Start { // the data before it stays unmatched
			before := *a
			before.End, before.first = common.Start, false
			d.keepUnmatched(before)
		}
		d.enterMatch(c, a, common)
		parts++
		d.inFlight.cut(at, common)
		a.Start, a.first = common.End, false
	}
	if parts > 1 {
		d.Merged++
	}
	if !a.Empty() {
		d.keepUnmatched(*a)
	}
}

// keepUnmatched keeps an arrival that fits no sent packet. The sent packet may
// be read later, as the clocks disagree, or there is no such packet.
func (d *matchedSubflowDir) keepUnmatched(a arrivedPart) {
	if len(d.unmatched) >= maxUnmatched {
		d.decideArrival(&d.unmatched[0])
		d.unmatched = d.unmatched[:copy(d.unmatched, d.unmatched[1:])]
	}
	d.unmatched = append(d.unmatched, a)
}

// matchEarlier matches a packet just sent with arrivals that were seen before it.
func (d *matchedSubflowDir) matchEarlier(sent *sentPart) {
	for i := 0; i < len(d.unmatched); i++ {
		a := d.unmatched[i]
		if !a.Overlaps(sent.ssnRange) || d.tooEarly(sent, &a) {
			continue
		}
		at := d.bestSent(&a)
		if at == seq.None || d.inFlight.At(at).ordinal != sent.ordinal {
			continue
		}
		c := d.inFlight.At(at)
		common := c.Intersect(a.ssnRange)
		d.enterMatch(c, &a, common)
		d.inFlight.cut(at, common)
		left, right := a, a
		left.End, right.Start = common.Start, common.End
		left.first, right.first = false, false
		d.unmatched = append(d.unmatched[:i], d.unmatched[i+1:]...)
		i--
		if !left.Empty() {
			d.unmatched = append(d.unmatched, left)
		}
		if !right.Empty() {
			d.unmatched = append(d.unmatched, right)
		}
	}
}

// bestSent returns the place of the sent part that an arrival most likely is,
// among the parts that overlap the arrival; [seq.None] if there is none. It takes the
// part at the lowest position, so that the arrival is matched in order, and
// among parts at the same position the one with the best score.
func (d *matchedSubflowDir) bestSent(a *arrivedPart) seq.Place {
	q := &d.inFlight
	best, score := seq.None, int64(0)
	lowest := a.End
	for at := q.overlapping(a.Start); ; at = q.Next(at) {
		c := q.At(at)
		if c == nil || c.Start >= a.End {
			return best
		}
		if c.End <= a.Start {
			continue
		}
		start := max(c.Start, a.Start)
		if best != seq.None && start > lowest {
			return best
		}
		if s, ok := d.score(c, a); ok && (best == seq.None || s > score) {
			best, score, lowest = at, s, start
		}
	}
}

// score says how well an arrival and a sent part agree; ok is false if they
// cannot be the same packet. TCP timestamps survive every path except a few
// middleboxes, and IP identifications survive most paths. Among parts that
// agree equally well, the best one is the one whose delay is nearest to the
// latest delay.
func (d *matchedSubflowDir) score(c *sentPart, a *arrivedPart) (score int64, ok bool) {
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

// sameID reports whether the IP identifications say that an arrival is a sent
// packet. When a host splits or merges packets, the identifications of the
// segments go up by one for each segment. So the arrival may have the
// identification of a later part of the sent packet, or, where the receiving
// host merged packets, the identification of an earlier one.
func sameID(c *sentPart, a *arrivedPart) bool {
	if c.ipid == a.ipid {
		return c.ipid != 0
	}
	up := int64(int16(a.ipid - c.ipid))
	if up < 0 {
		return -up < segments(a.size, a.segmentBytes)
	}
	return up < segments(int64(c.size), c.segmentBytes)
}

// maxEarly is how far a delay may lie below the least delay so far and still be
// accepted, ns: a queue may have emptied since.
const maxEarly = 5e6

// tooEarly reports whether an arrival came too early to be a sent packet, where
// nothing in it says that it is.
func (d *matchedSubflowDir) tooEarly(c *sentPart, a *arrivedPart) bool {
	return d.hasDelay && a.time-c.time < d.leastDelay-maxEarly && !(c.hasTS && a.hasTS) && !sameID(c, a)
}

// enterMatch enters that a part of a sent packet arrived.
func (d *matchedSubflowDir) enterMatch(c *sentPart, a *arrivedPart, part ssnRange) {
	if !c.partMatched {
		d.MatchedPackets++
	} else if a.first {
		d.Split++
	}
	if sameID(c, a) {
		d.keptIDs++
	}
	if a.first && a.options.differs(c.options) {
		d.Altered++
	}
	if !c.untimed && !a.untimed {
		d.enterDelay(c, a.time, part.Len())
		d.noteSpacing(c, a.time, a.Len())
	}
	d.emit(c, a, part, FateArrived)
}

// enterDelay enters the delay of a part of n bytes of a sent packet.
func (d *matchedSubflowDir) enterDelay(c *sentPart, arrived, n int64) {
	delay := arrived - c.time
	d.noteDelay(delay, arrived)
	d.OWD.Add(arrived, delay, segments(n, c.segmentBytes))
	d.order.add(&d.SubflowDir, c, arrived, delay)
	if n+n/8 >= c.segmentBytes { // packets of equal size can be compared
		d.path.FullSized(d.from, arrived, delay)
	}
}

// noteDelay keeps the least, the largest, the latest and the first delay.
func (d *matchedSubflowDir) noteDelay(delay, arrived int64) {
	if !d.hasDelay {
		d.leastDelay, d.mostDelay, d.hasDelay = delay, delay, true
		d.firstDelay, d.firstArrival = delay, arrived
	}
	if arrived < d.firstArrival {
		d.firstDelay, d.firstArrival = delay, arrived
	}
	d.lastDelay = delay
	d.leastDelay, d.mostDelay = min(d.leastDelay, delay), max(d.mostDelay, delay)
}

// headers is about how many bytes a data packet has besides its payload: IP,
// TCP, timestamps and a mapping.
const headers = 80

// noteSpacing measures how a bottleneck spaces packets that left together; the
// latest one arrived with n bytes.
func (d *matchedSubflowDir) noteSpacing(c *sentPart, arrived, n int64) {
	apart, leftApart := arrived-d.lastArrival, c.time-d.lastArrivalSent
	first := d.lastArrival == 0
	d.lastArrival, d.lastArrivalSent = arrived, c.time
	if 4*leftApart < apart && leftApart >= 0 && !first && n+n/8 >= c.segmentBytes && n <= c.segmentBytes {
		d.path.Spacing(d.from, apart*n/(n+headers))
	}
}
