package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/seq"
)

// ssnRange is a range of positions of one direction's stream.
type ssnRange = seq.Range[seq.SSN]

// matchedSubflowDir is one direction of a TCP connection that both captures have.
// Times of sent packets are from the capture at the sending host, times of
// arrivals from the other capture.
type matchedSubflowDir struct {
	SubflowDir
	both    *subflowPair
	reverse *matchedSubflowDir
	side    conn.Side // the side that sends, as the sender's capture calls it
	from    End       // the capture at the sending host

	origin    [2]seq.Wire // by capture: the sequence number of position 0
	base      [2]uint32   // by capture: the position at which its subflow counts 0
	streamEnd [2]seq.SSN  // by capture: end of the stream so far, to unwrap numbers
	noSYN     [2]bool     // by capture: it does not show the SYN

	inFlight      sentQueue
	unmatched     []arrivedPart    // arrivals that fit no sent packet yet; bounded by maxUnmatched
	arrivedRanges seq.Set[seq.SSN] // positions that arrived; bounded by maxRanges
	sentRanges    seq.Set[seq.SSN] // positions that were sent; bounded by maxRanges
	pureAcks      pureAcks
	order         arrivalOrder
	path          *clock.Path
	timestamps    clock.TSClock

	// Delays as the captures give them, ns; valid with hasDelay.
	hasDelay     bool
	leastDelay   int64
	mostDelay    int64
	lastDelay    int64 // of the latest match
	firstDelay   int64 // of the packet with the earliest arrival
	firstArrival int64 // the earliest arrival

	lastArrival     int64 // time of the latest match's arrival
	lastArrivalSent int64 // when that packet had left
	keptIDs         int64 // matches whose IP identification was kept, and was not 0
	otherTimestamps int64 // arrivals whose TCP timestamps fit no sent packet
}

func (d *matchedSubflowDir) init(l *subflowPair, side conn.Side) {
	d.both, d.reverse, d.side, d.from = l, &l.dirs[side.Other()], side, l.At[side]
	d.setOrigins()
	path := l.pair.path(l.ends[AtSender].sub.Ends)
	d.path, d.pureAcks.ids = path.clock, &path.ids[d.from]
	d.OWD = l.pair.clocks.NewDelays(d.from, l.pair.lead, false)
	d.AckOWD = l.pair.clocks.NewDelays(d.from, l.pair.lead, false)
}

// setOrigins finds where positions count from: the initial sequence number of
// each capture, as a middlebox may change it. A capture that does not show the
// SYN uses the number of the other capture; if neither shows it, both use the
// number of the sender's capture.
func (d *matchedSubflowDir) setOrigins() {
	var isn [2]seq.Wire
	var fromSYN [2]bool
	for e := range isn {
		isn[e], fromSYN[e] = d.both.isn(End(e), d.side)
	}
	d.origin = isn
	switch {
	case fromSYN[1] && !fromSYN[0]:
		d.origin[0] = isn[1]
	case !fromSYN[1]:
		d.origin[1] = isn[0]
	}
	for e, f := range d.both.ends {
		d.base[e] = uint32(isn[e] - d.origin[e])
		d.noSYN[e] = f.sub.SYN == 0
		if !d.noSYN[e] {
			continue
		}
		for i := range f.held { // a capture without the SYN begins anywhere in the stream
			if h := &f.held[i]; d.both.side(End(e), h.from) == d.side {
				d.streamEnd[e] = seq.SSN(uint32(h.seq - d.origin[e]))
				break
			}
		}
	}
	if d.noSYN[0] || d.noSYN[1] {
		end := max(d.streamEnd[0], d.streamEnd[1])
		d.streamEnd = [2]seq.SSN{end, end}
	}
}

// positions returns the positions of a packet's payload.
func (d *matchedSubflowDir) positions(at End, s *packet.Segment) ssnRange {
	start := seq.Unwrap(s.Seq, d.origin[at&1], d.streamEnd[at&1])
	if s.Flags&packet.SYN != 0 {
		start++
	}
	end := start + seq.SSN(s.PayloadLen)
	d.streamEnd[at&1] = max(d.streamEnd[at&1], end)
	return ssnRange{Start: start, End: end}
}

// acknowledged returns the position up to which acknowledgments have reached
// the sender.
func (d *matchedSubflowDir) acknowledged() seq.SSN {
	s := &d.both.ends[d.from].sub.Senders[d.both.side(d.from, d.side)]
	isn, _ := s.ISN()
	return s.SndUna() + seq.Unwrap[seq.SSN](isn, d.origin[d.from], 0)
}

// take matches one packet of a capture; segmentBytes is the payload of a full
// segment, dataAck the low 32 bits of its DATA_ACK, and a probe carries no data.
func (d *matchedSubflowDir) take(s *packet.Segment, at End, segmentBytes int64, dataAck uint32, probe bool) {
	switch {
	case s.PayloadLen == 0 || probe || s.Flags&packet.RST != 0:
		d.takePureAck(s, at, dataAck)
	case d.from == at:
		d.takeSent(s, segmentBytes)
	default:
		d.takeArrived(s, segmentBytes)
	}
}

// takeSent takes a packet with payload from the capture where it left.
func (d *matchedSubflowDir) takeSent(s *packet.Segment, segmentBytes int64) {
	r := d.positions(d.from, s)
	if d.Sent++; d.Sent == 1 {
		d.FirstSent = s.Time
	}
	d.LastSent = s.Time
	d.noteTimestamp(s)
	d.SentSegments += segments(int64(s.PayloadLen), segmentBytes)
	addRange(&d.sentRanges, r)
	if d.inFlight.Len() >= maxInFlight {
		d.decide(d.inFlight.First(), true)
	}
	part := sentPart{
		ssnRange: r, time: s.Time, num: s.Num, size: s.PayloadLen, ordinal: d.Sent, segmentBytes: segmentBytes,
		tsval: s.TSVal, hasTS: hasTimestamps(s), ipid: s.IPID, options: optionsOf(s), untimed: s.Have&packet.Untimed != 0,
	}
	d.inFlight.add(&part)
	if len(d.unmatched) > 0 {
		d.matchEarlier(&part)
	}
}

// takeArrived takes a packet with payload from the capture where it arrived.
func (d *matchedSubflowDir) takeArrived(s *packet.Segment, segmentBytes int64) {
	r := d.positions(d.from.Other(), s)
	d.Arrived++
	d.matchArrival(&arrivedPart{
		ssnRange: r, time: s.Time, num: s.Num, size: r.Len(), segmentBytes: segmentBytes,
		tsval: s.TSVal, hasTS: hasTimestamps(s), ipid: s.IPID, options: optionsOf(s), first: true, untimed: s.Have&packet.Untimed != 0,
	})
	addRange(&d.arrivedRanges, r)
}

// noteTimestamp reads the TCP timestamp of a packet at its sender. The
// timestamp of a SYN may hold options instead of the time (SYN cookies), and
// the timestamp of a RST has no meaning.
func (d *matchedSubflowDir) noteTimestamp(s *packet.Segment) {
	if hasTimestamps(s) && s.Flags&(packet.SYN|packet.RST) == 0 && s.Have&packet.Untimed == 0 {
		d.timestamps.Observe(d.both.pair.clocks, d.from, s.Time, s.TSVal)
	}
}

// finish decides on everything that still waits.
func (d *matchedSubflowDir) finish() {
	for d.inFlight.Len() > 0 {
		d.decide(d.inFlight.First(), false)
	}
	for i := range d.unmatched {
		d.decideArrival(&d.unmatched[i])
	}
	d.unmatched = nil
	d.inFlight = sentQueue{}
	d.pureAcks = pureAcks{}
}

// segments returns how many segments n bytes are, with a payload of
// segmentBytes each.
func segments(n, segmentBytes int64) int64 {
	if segmentBytes == 0 || n <= segmentBytes {
		return min(1, max(0, n))
	}
	return (n + segmentBytes - 1) / segmentBytes
}

// maxRanges bounds the ranges of a set. At the bound the older half is forgotten.
const maxRanges = 1 << 12

// addRange adds a range to a set. Nearly all positions come in order.
func addRange[P seq.SSN | seq.DSN](s *seq.Set[P], r seq.Range[P]) {
	if s.Add(r); s.Len() > maxRanges {
		s.DropOldest(maxRanges / 2)
	}
}
