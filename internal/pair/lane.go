package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// lane is one direction of a TCP connection that both captures have. Times of
// sent packets are those of the capture at the sending host, times of arrivals
// those of the other one.
type lane struct {
	Dir
	l    *link
	back *lane // the other direction
	side conn.Side
	out  End // the capture at the sending host

	origin   [2]seq.Wire // by capture: the number of position 0
	base     [2]uint32   // by capture: the position at which the subflow counts 0
	next     [2]seq.SSN  // by capture: where the stream has come to, to unwrap numbers
	headless [2]bool     // by capture: it does not show the SYN

	flying  copies
	orphans []arrival        // arrivals that no sent copy fits yet; bounded by maxOrphans
	got     stretch[seq.SSN] // positions that arrived
	posted  stretch[seq.SSN] // positions that were sent
	minis   minis
	flow    delays
	path    *pathClock
	beat    beat
	rows    bool // [Options.Packet] wants to know of each packet

	least    int64 // smallest delay seen, raw, ns; valid with Matched
	most     int64 // largest delay seen
	latest   int64 // latest delay seen
	initial  int64 // delay of the earliest arrival
	earliest int64 // time of that
	hasDelay bool
	lastCame int64 // time of the latest arrival
	lastLeft int64 // when that packet had left
	sameID   int64 // matches whose IP identification was kept, and was not 0
	otherTS  int64 // arrivals whose timestamps fit no sent copy
}

// maxOrphans bounds the arrivals that no sent copy fits yet.
const maxOrphans = 1 << 12

// arrival is a run of an arrived packet that no sent copy fits.
type arrival struct {
	span
	time    int64
	num     uint64
	tsval   uint32
	unit    int64
	size    int64 // octets of the packet's payload
	ipid    uint16
	options shape
	hasTS   bool
	fresh   bool // no part of the packet was matched
}

func (d *lane) init(l *link, side conn.Side) {
	d.l, d.back, d.side, d.out = l, &l.lanes[side.Other()], side, l.at[side]
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
	for e := range d.headless {
		d.headless[e] = l.flows[e].sub.SYN == 0
	}
	for e := range isn { // a headless capture begins anywhere in the stream
		if d.headless[e] && len(l.flows[e].held) > 0 {
			for i := range l.flows[e].held {
				if h := &l.flows[e].held[i]; l.side(End(e), h.from) == side {
					d.next[e] = seq.SSN(uint32(h.seq - isn[e]))
					break
				}
			}
		}
	}
	if d.headless[0] || d.headless[1] {
		d.next[1] = max(d.next[0], d.next[1])
		d.next[0] = d.next[1]
	}
	d.rows = l.p.opt.Packet != nil
	d.path = l.p.clock.path(l.flows[AtSender].sub.Ends)
	d.minis.ids = &d.path.ids[d.out]
	d.flow.init(l.p)
	d.OWD.leads(d.out, l.p.lead)
	d.AckOWD.leads(d.out, l.p.lead)
}

// place returns the positions of a packet's payload.
func (d *lane) place(at End, s *packet.Segment) span {
	start := seq.Unwrap(s.Seq, d.origin[at&1], d.next[at&1])
	if s.Flags&packet.SYN != 0 {
		start++
	}
	end := start + seq.SSN(s.PayloadLen)
	d.next[at&1] = max(d.next[at&1], end)
	return span{Start: start, End: end}
}

// acked returns what acknowledgments that reached the sender cover.
func (d *lane) acked() seq.SSN {
	h := &d.l.flows[d.out].sub.Senders[d.l.side(d.out, d.side)]
	isn, _ := h.ISN()
	return h.SndUna() + seq.Unwrap[seq.SSN](isn, d.origin[d.out], 0)
}

// take matches one packet of a capture, with the octets of a segment, the low
// ones of its DATA_ACK, and whether it is a probe.
func (d *lane) take(s *packet.Segment, at End, unit int64, data uint32, probe bool) {
	switch {
	case s.PayloadLen == 0 || probe || s.Flags&packet.RST != 0:
		d.small(s, at, data)
	case d.out == at:
		d.sent(s, unit)
	default:
		d.arrived(s, unit)
	}
}

// sent takes a packet with payload where it left.
func (d *lane) sent(s *packet.Segment, unit int64) {
	r := d.place(d.out, s)
	if d.Sent++; d.Sent == 1 {
		d.FirstSent = s.Time
	}
	d.LastSent = s.Time
	d.hear(s)
	d.SentSegments += units(int64(s.PayloadLen), unit)
	d.posted.add(r)
	if d.flying.len() >= maxCopies {
		d.settle(d.flying.head, true)
	}
	c := d.flying.add(r)
	c.time, c.num, c.size, c.ordinal = s.Time, s.Num, s.PayloadLen, d.Sent
	c.tsval, c.hasTS, c.unit, c.ipid, c.options = s.TSVal, stamped(s), unit, s.IPID, shapeOf(s)
	c.done, c.again = false, false
	if len(d.orphans) > 0 {
		whole := *c // what is matched is cut out of c, which may move
		d.adopt(&whole)
	}
}

// arrived takes a packet with payload where it came to. Nearly every one is a
// segment that is due, as it left.
func (d *lane) arrived(s *packet.Segment, unit int64) {
	r := d.place(d.out.Other(), s)
	d.Arrived++
	c := d.flying.next(r)
	same := c != nil && c.hasTS && stamped(s) && c.tsval == s.TSVal
	switch {
	case same && c.ipid == s.IPID && c.options == shapeOf(s) && r.Len() <= c.unit && !c.again && !d.rows:
		d.MatchedPackets++
		if c.ipid != 0 {
			d.sameID++
		}
		d.delayed(c, s.Time, 1, r.Len())
		d.spacing(c, s.Time, r.Len())
		d.flying.pass()
	default:
		a := arrival{
			span: r, time: s.Time, num: s.Num, unit: unit, size: r.Len(),
			tsval: s.TSVal, hasTS: stamped(s), ipid: s.IPID, options: shapeOf(s), fresh: true,
		}
		if !same {
			d.search(&a)
			break
		}
		d.matched(c, &a, r)
		d.flying.pass()
	}
	d.got.add(r)
}

// search matches an arrival with the sent copies that it holds, whole or in
// part.
func (d *lane) search(a *arrival) {
	parts := 0
	for !a.Empty() {
		i := d.best(a)
		if i < 0 {
			break
		}
		c := &d.flying.list[i]
		run := c.Intersect(a.span)
		if run.Start > a.Start { // what lies before it stays an orphan
			rest := *a
			rest.End, rest.fresh = run.Start, false
			d.orphan(rest)
		}
		d.matched(c, a, run)
		parts++
		d.flying.cut(i, run)
		a.Start, a.fresh = run.End, false
	}
	if parts > 1 {
		d.Merged++
	}
	if !a.Empty() {
		d.orphan(*a)
	}
}

// orphan keeps an arrival that fits no sent copy: of one that is yet to come,
// where the clocks disagree, or of none.
func (d *lane) orphan(a arrival) {
	if len(d.orphans) >= maxOrphans {
		d.lonely(&d.orphans[0])
		d.orphans = d.orphans[:copy(d.orphans, d.orphans[1:])]
	}
	d.orphans = append(d.orphans, a)
}

// adopt matches a copy just sent with arrivals that were seen before it.
func (d *lane) adopt(c *sentCopy) {
	for i := 0; i < len(d.orphans); i++ {
		a := d.orphans[i]
		if !a.Overlaps(c.span) || d.early(c, &a) {
			continue
		}
		k := d.best(&a)
		if k < 0 || d.flying.list[k].ordinal != c.ordinal {
			continue
		}
		run := d.flying.list[k].Intersect(a.span)
		d.matched(&d.flying.list[k], &a, run)
		d.flying.cut(k, run)
		left, right := a, a
		left.End, right.Start = run.Start, run.End
		d.orphans = append(d.orphans[:i], d.orphans[i+1:]...)
		i--
		left.fresh, right.fresh = false, false
		if !left.Empty() {
			d.orphans = append(d.orphans, left)
		}
		if !right.Empty() {
			d.orphans = append(d.orphans, right)
		}
	}
}
