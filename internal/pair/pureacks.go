package pair

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// pureAcks matches packets without payload, nearly all of them pure ACKs, by
// their headers. If a packet is lost and a later one looks the same, the
// arrival of the later one is matched with the lost one. The delay is then too
// long, which does no harm, as only the least delays show the clocks. IP
// identifications tell equal packets apart if they survive the path. Without
// them a delay could be too short: a host repeats an ACK, the capture at the
// sender misses the first one, and its arrival is matched with the second one.
type pureAcks struct {
	sent, arrived ackQueue // packets whose counterpart was not seen yet
	ids           *idTally
}

// idTally counts matches of packets without payload by whether their IP
// identification, if they have one, survived the path.
type idTally struct{ kept, changed int64 }

// pureAck is a packet without payload.
type pureAck struct {
	key  ackKey
	time int64
	ipid uint16
}

// ackKey identifies a packet without payload in either capture: its positions
// in the streams, and a hash of the rest of its header. Equal packets have
// equal keys; different packets at the same position have different keys,
// except with a probability of 1 in 2^64.
type ackKey struct{ position, rest uint64 }

// match takes a packet that was sent, or else arrived, and returns the time of
// its counterpart, if that was seen.
func (m *pureAcks) match(key ackKey, ipid uint16, now int64, sent bool) (other int64, ok bool) {
	own, theirs := &m.sent, &m.arrived
	if !sent {
		own, theirs = theirs, own
	}
	at := theirs.find(key, ipid, m.ids.kept > m.ids.changed)
	if at == seq.None {
		own.push(pureAck{key, now, ipid})
		return 0, false
	}
	x := theirs.At(at)
	switch {
	case x.ipid == 0 || ipid == 0:
	case x.ipid == ipid:
		m.ids.kept++
	default:
		m.ids.changed++
	}
	other = x.time
	theirs.Remove(at, 1)
	return other, true
}

// latestArrival returns the time of the latest unmatched arrival, 0 if there is
// none.
func (m *pureAcks) latestArrival() int64 {
	if x := m.arrived.Back(); x != nil {
		return x.time
	}
	return 0
}

// ackQueue holds unmatched packets, oldest first; bounded by maxPureAcks.
type ackQueue struct{ seq.List[pureAck] }

// maxPureAcks bounds the unmatched packets of one direction. At the bound the
// older half is forgotten.
const maxPureAcks = 512

// find returns the place of the oldest packet with a key, [seq.None] if there is none.
// It prefers a packet with the same IP identification; with onlySame it takes
// no other one, unless one of the two has no identification.
func (q *ackQueue) find(key ackKey, ipid uint16, onlySame bool) seq.Place {
	oldest := seq.None
	for at := q.First(); ; at = q.Next(at) {
		x := q.At(at)
		switch {
		case x == nil:
			return oldest
		case x.key != key:
		case x.ipid == ipid:
			return at
		case oldest == seq.None && (!onlySame || x.ipid == 0 || ipid == 0):
			oldest = at
		}
	}
}

func (q *ackQueue) push(x pureAck) {
	if q.Len() >= maxPureAcks {
		q.Pop(maxPureAcks / 2)
	}
	q.Compact()
	*q.Push() = x
}

// takePureAck takes a packet without payload, where it leaves or arrives.
func (d *matchedSubflowDir) takePureAck(s *packet.Segment, at End, dataAck uint32) {
	sent := d.from == at
	if sent {
		d.noteTimestamp(s)
	}
	other, ok := d.pureAcks.match(d.ackKey(s, at, dataAck), s.IPID, s.Time, sent)
	if !ok {
		return
	}
	arrived, left := s.Time, other
	if sent {
		arrived, left = left, arrived
	}
	delay := arrived - left
	switch {
	case s.Flags&packet.RST == 0:
		d.AckOWD.Add(arrived, delay, 1)
	case !hasTimestamps(s): // a host sends several equal RSTs; if a capture missed the first one, the wrong two are matched
		return
	}
	d.path.PureAck(d.from, arrived, delay, s.Flags&^packet.PSH == packet.ACK && s.SACK[0].Left == 0)
}

// ackKey returns the key of a packet without payload.
func (d *matchedSubflowDir) ackKey(s *packet.Segment, at End, dataAck uint32) ackKey {
	back := d.reverse.origin[at&1]
	ack, sack, timestamps := s.Ack-back, s.SACK[0].Left-back, uint64(s.TSVal)<<32|uint64(s.TSEcr)
	if s.Flags&packet.ACK == 0 {
		ack = 0
	}
	if s.SACK[0].Left == 0 { // no block
		sack = 0
	}
	if !hasTimestamps(s) {
		timestamps = 0
	}
	return ackKey{
		position: uint64(s.Seq-d.origin[at&1])<<32 | uint64(ack),
		// Sums of products with odd numbers: the processor can compute the products at the same time.
		rest: timestamps*0x9e3779b97f4a7c15 + (uint64(sack)<<32|uint64(dataAck))*0xc2b2ae3d27d4eb4f + (uint64(s.Window)<<8|uint64(s.Flags))*0x165667b19e3779f9,
	}
}
