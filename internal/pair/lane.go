package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// lane is one direction of a TCP connection that both captures have. Times of
// sent packets are those of the capture at the sending host, times of arrivals
// those of the other one.
type matchedDirection struct {
	Dir
	link    *subflowPair
	reverse *matchedDirection // the other direction
	side    conn.Side
	from    End // the capture at the sending host

	origin    [2]seq.Wire // by capture: the number of position 0
	base      [2]uint32   // by capture: the position at which the subflow counts 0
	streamEnd [2]seq.SSN  // by capture: where the stream has come to, to unwrap numbers
	noSYN     [2]bool     // by capture: it does not show the SYN

	inFlight      sentQueue
	unmatched     []arrivedPart     // arrivals that no sent copy fits yet; bounded by maxOrphans
	arrivedRanges rangeSet[seq.SSN] // positions that arrived
	sentRanges    rangeSet[seq.SSN] // positions that were sent
	pureAcks      pureAcks
	order         arrivalOrder
	path          *pathClock
	timestamps    beat
	wantRows      bool // [Options.Packet] wants to know of each packet

	leastDelay      int64 // smallest delay seen, raw, ns; valid with Matched
	mostDelay       int64 // largest delay seen
	lastDelay       int64 // latest delay seen
	firstDelay      int64 // delay of the earliest arrival
	firstArrival    int64 // time of that
	hasDelay        bool
	lastArrival     int64 // time of the latest arrival
	lastArrivalSent int64 // when that packet had left
	keptIDs         int64 // matches whose IP identification was kept, and was not 0
	otherTimestamps int64 // arrivals whose timestamps fit no sent copy
}

// maxOrphans bounds the arrivals that no sent copy fits yet.
const maxUnmatched = 1 << 12

// arrival is a run of an arrived packet that no sent copy fits.
type arrivedPart struct {
	ssnRange
	time       int64
	num        uint64
	tsval      uint32
	unit       int64
	size       int64 // octets of the packet's payload
	ipid       uint16
	options    optionSummary
	hasTS      bool
	firstMatch bool // no part of the packet was matched
}

func (d *matchedDirection) init(l *subflowPair, side conn.Side) {
	d.link, d.reverse, d.side, d.from = l, &l.dirs[side.Other()], side, l.at[side]
	var isn [2]seq.Wire
	var known [2]bool
	for e := range isn {
		isn[e], known[e] = l.half(End(e), side)
	}
	own := isn
	switch {
	case known[0] && !known[1], !known[0] && !known[1]:
		isn[1] = isn[0]
	case known[1] && !known[0]:
		isn[0] = isn[1]
	}
	d.origin = isn
	for e := range d.base {
		d.base[e] = uint32(own[e] - isn[e])
	}
	for e := range d.noSYN {
		d.noSYN[e] = l.ends[e].sub.SYN == 0
	}
	for e := range isn { // a headless capture begins anywhere in the stream
		if d.noSYN[e] && len(l.ends[e].held) > 0 {
			for i := range l.ends[e].held {
				if h := &l.ends[e].held[i]; l.side(End(e), h.from) == side {
					d.streamEnd[e] = seq.SSN(uint32(h.seq - isn[e]))
					break
				}
			}
		}
	}
	if d.noSYN[0] || d.noSYN[1] {
		d.streamEnd[1] = max(d.streamEnd[0], d.streamEnd[1])
		d.streamEnd[0] = d.streamEnd[1]
	}
	d.wantRows = l.pair.opt.Packet != nil
	d.path = l.pair.clock.path(l.ends[AtSender].sub.Ends)
	d.pureAcks.ids = &d.path.ids[d.from]
	d.order.init(l.pair)
	d.OWD.leads(d.from, l.pair.lead)
	d.AckOWD.leads(d.from, l.pair.lead)
}

// place returns the positions of a packet's payload.
func (d *matchedDirection) positions(at End, s *packet.Segment) ssnRange {
	start := seq.Unwrap(s.Seq, d.origin[at&1], d.streamEnd[at&1])
	if s.Flags&packet.SYN != 0 {
		start++
	}
	end := start + seq.SSN(s.PayloadLen)
	d.streamEnd[at&1] = max(d.streamEnd[at&1], end)
	return ssnRange{Start: start, End: end}
}

// acked returns what acknowledgments that reached the sender cover.
func (d *matchedDirection) acknowledged() seq.SSN {
	h := &d.link.ends[d.from].sub.Senders[d.link.side(d.from, d.side)]
	isn, _ := h.ISN()
	return h.SndUna() + seq.Unwrap[seq.SSN](isn, d.origin[d.from], 0)
}

// take matches one packet of a capture, with the octets of a segment, the low
// ones of its DATA_ACK, and whether it is a probe.
func (d *matchedDirection) take(s *packet.Segment, at End, unit int64, data uint32, probe bool) {
	switch {
	case s.PayloadLen == 0 || probe || s.Flags&packet.RST != 0:
		d.takePureAck(s, at, data)
	case d.from == at:
		d.takeSent(s, unit)
	default:
		d.takeArrived(s, unit)
	}
}

// sent takes a packet with payload where it left.
func (d *matchedDirection) takeSent(s *packet.Segment, unit int64) {
	r := d.positions(d.from, s)
	if d.Sent++; d.Sent == 1 {
		d.FirstSent = s.Time
	}
	d.LastSent = s.Time
	d.noteTimestamp(s)
	d.SentSegments += segments(int64(s.PayloadLen), unit)
	d.sentRanges.add(r)
	if d.inFlight.len() >= maxSent {
		d.giveUp(d.inFlight.head, true)
	}
	c := d.inFlight.add(r)
	c.time, c.num, c.size, c.ordinal = s.Time, s.Num, s.PayloadLen, d.Sent
	c.tsval, c.hasTS, c.unit, c.ipid, c.options = s.TSVal, stamped(s), unit, s.IPID, optionsOf(s)
	c.done, c.partMatched = false, false
	if len(d.unmatched) > 0 {
		whole := *c // what is matched is cut out of c, which may move
		d.matchEarlier(&whole)
	}
}

// arrived takes a packet with payload where it came to. Nearly every one is a
// segment that is due, as it left.
func (d *matchedDirection) takeArrived(s *packet.Segment, unit int64) {
	r := d.positions(d.from.Other(), s)
	d.Arrived++
	c := d.inFlight.expected(r)
	same := c != nil && c.hasTS && stamped(s) && c.tsval == s.TSVal
	switch {
	case same && c.ipid == s.IPID && c.options == optionsOf(s) && r.Len() <= c.unit && !c.partMatched && !d.wantRows:
		d.MatchedPackets++
		if c.ipid != 0 {
			d.keptIDs++
		}
		d.enterDelay(c, s.Time, 1, r.Len())
		d.noteSpacing(c, s.Time, r.Len())
		d.inFlight.takeExpected()
	default:
		a := arrivedPart{
			ssnRange: r, time: s.Time, num: s.Num, unit: unit, size: r.Len(),
			tsval: s.TSVal, hasTS: stamped(s), ipid: s.IPID, options: optionsOf(s), firstMatch: true,
		}
		if !same {
			d.matchArrival(&a)
			break
		}
		d.enterMatch(c, &a, r)
		d.inFlight.takeExpected()
	}
	d.arrivedRanges.add(r)
}

// search matches an arrival with the sent copies that it holds, whole or in
// part.
func (d *matchedDirection) matchArrival(a *arrivedPart) {
	parts := 0
	for !a.Empty() {
		i := d.best(a)
		if i < 0 {
			break
		}
		c := &d.inFlight.list[i]
		run := c.Intersect(a.ssnRange)
		if run.Start > a.Start { // what lies before it stays an orphan
			rest := *a
			rest.End, rest.firstMatch = run.Start, false
			d.keepArrival(rest)
		}
		d.enterMatch(c, a, run)
		parts++
		d.inFlight.cut(i, run)
		a.Start, a.firstMatch = run.End, false
	}
	if parts > 1 {
		d.Merged++
	}
	if !a.Empty() {
		d.keepArrival(*a)
	}
}

// orphan keeps an arrival that fits no sent copy: of one that is yet to come,
// where the clocks disagree, or of none.
func (d *matchedDirection) keepArrival(a arrivedPart) {
	if len(d.unmatched) >= maxUnmatched {
		d.decideArrival(&d.unmatched[0])
		d.unmatched = d.unmatched[:copy(d.unmatched, d.unmatched[1:])]
	}
	d.unmatched = append(d.unmatched, a)
}

// adopt matches a copy just sent with arrivals that were seen before it.
func (d *matchedDirection) matchEarlier(c *sentPart) {
	for i := 0; i < len(d.unmatched); i++ {
		a := d.unmatched[i]
		if !a.Overlaps(c.ssnRange) || d.tooEarly(c, &a) {
			continue
		}
		k := d.best(&a)
		if k < 0 || d.inFlight.list[k].ordinal != c.ordinal {
			continue
		}
		run := d.inFlight.list[k].Intersect(a.ssnRange)
		d.enterMatch(&d.inFlight.list[k], &a, run)
		d.inFlight.cut(k, run)
		left, right := a, a
		left.End, right.Start = run.Start, run.End
		d.unmatched = append(d.unmatched[:i], d.unmatched[i+1:]...)
		i--
		left.firstMatch, right.firstMatch = false, false
		if !left.Empty() {
			d.unmatched = append(d.unmatched, left)
		}
		if !right.Empty() {
			d.unmatched = append(d.unmatched, right)
		}
	}
}
