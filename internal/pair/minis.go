package pair

import (
	"slices"

	"mpanalyze/internal/packet"
)

// mini is a packet without payload.
type pureAck struct {
	key  ackKey
	time int64
	ipid uint16
}

// miniKey is what a packet without payload looks like in either capture: where
// it stands in the streams, and the rest of its header, hashed. Of packets at
// the same place equal ones have equal hashes, and others do not, but for one
// chance in 2^64.
type ackKey struct{ position, rest uint64 }

// minis matches packets without payload by what their headers say. A packet
// that looks like an earlier one that was lost is taken for that one: its
// delay then reads too long, which the clocks bear. Where IP identifications
// survive the path they tell equal packets apart, such as the ACKs that a host
// in TIME-WAIT repeats: one that the capture at the sender missed would be
// taken for the next, and its delay read too short.
type pureAcks struct {
	waiting [2]ackQueue // sent ones, arrived ones
	ids     *idTally
}

// idCount counts matches of packets without payload by whether their IP
// identification, if they have one, survived the path.
type idTally struct{ kept, lost int64 }

// waiters are packets whose other sight is missing, oldest first; bounded by
// maxMinis.
type ackQueue struct {
	list []pureAck
	head int
}

// maxMinis bounds the unmatched packets of one direction.
const maxPureAcks = 512

// take matches a packet: sent, or else arrived. It returns the time of its
// other sight.
func (m *pureAcks) take(key ackKey, ipid uint16, now int64, sent bool) (other int64, ok bool) {
	mine, theirs := &m.waiting[0], &m.waiting[1]
	if !sent {
		mine, theirs = theirs, mine
	}
	if len(theirs.list) == theirs.head {
		mine.push(key, ipid, now)
		return 0, false
	}
	i := theirs.head
	if x := &theirs.list[i]; x.key != key || x.ipid != ipid {
		if i = theirs.find(key, ipid, m.ids.kept > m.ids.lost); i < 0 {
			mine.push(key, ipid, now)
			return 0, false
		}
	}
	x := &theirs.list[i]
	switch {
	case x.ipid == 0 || ipid == 0:
	case x.ipid == ipid:
		m.ids.kept++
	default:
		m.ids.lost++
	}
	other = x.time
	theirs.take(i)
	return other, true
}

// find returns the place of the oldest packet with that key, -1 if there is
// none. One with the same IP identification goes before, and where those are
// kept no other one will do.
func (q *ackQueue) find(key ackKey, ipid uint16, kept bool) int {
	oldest := -1
	for i := q.head; i < len(q.list); i++ {
		x := &q.list[i]
		if x.key != key {
			continue
		}
		if x.ipid == ipid {
			return i
		}
		if oldest < 0 && (!kept || x.ipid == 0 || ipid == 0) {
			oldest = i
		}
	}
	return oldest
}

// take takes packet i out.
func (q *ackQueue) take(i int) {
	if i == q.head {
		q.head++
		return
	}
	q.list = append(q.list[:i], q.list[i+1:]...)
}

func (q *ackQueue) push(key ackKey, ipid uint16, now int64) {
	n := len(q.list)
	if n == cap(q.list) || n-q.head >= maxPureAcks {
		q.makeRoom()
		n = len(q.list)
	}
	q.list = q.list[:n+1]
	x := &q.list[n] // filled where it stays
	x.key, x.time, x.ipid = key, now, ipid
}

// room makes place for one more packet.
func (q *ackQueue) makeRoom() {
	switch n := len(q.list); {
	case n-q.head >= maxPureAcks:
		q.list = q.list[:copy(q.list, q.list[q.head+maxPureAcks/2:])]
		q.head = 0
	case q.head > n/2:
		q.list = q.list[:copy(q.list, q.list[q.head:])]
		q.head = 0
	default:
		q.list = slices.Grow(q.list, 1)
	}
}

// latest returns the time of the latest unmatched arrival, 0 if there is none.
func (m *pureAcks) latest() int64 {
	if q := &m.waiting[1]; len(q.list) > q.head {
		return q.list[len(q.list)-1].time
	}
	return 0
}

// key sums up what a packet without payload looks like.
func (d *matchedDirection) ackKey(s *packet.Segment, at End, data uint32) ackKey {
	back := d.reverse.origin[at&1]
	ack, sack, stamps := s.Ack-back, s.SACK[0].Left-back, uint64(s.TSVal)<<32|uint64(s.TSEcr)
	if s.Flags&packet.ACK == 0 {
		ack = 0
	}
	if s.SACK[0].Left == 0 { // as where no block is
		sack = 0
	}
	if !stamped(s) {
		stamps = 0
	}
	return ackKey{
		position: uint64(s.Seq-d.origin[at&1])<<32 | uint64(ack),
		// Sums of products with odd numbers: these do not wait for each other.
		rest: stamps*0x9e3779b97f4a7c15 + (uint64(sack)<<32|uint64(data))*0xc2b2ae3d27d4eb4f + (uint64(s.Window)<<8|uint64(s.Flags))*0x165667b19e3779f9,
	}
}

// small takes a packet without payload, where it leaves or arrives.
func (d *matchedDirection) takePureAck(s *packet.Segment, at End, data uint32) {
	arrived, delay := s.Time, s.Time
	if d.from == at {
		d.noteTimestamp(s)
		other, ok := d.pureAcks.take(d.ackKey(s, at, data), s.IPID, s.Time, true)
		if !ok { // nearly always
			return
		}
		arrived, delay = other, other-s.Time
	} else {
		other, ok := d.pureAcks.take(d.ackKey(s, at, data), s.IPID, s.Time, false)
		if !ok {
			return
		}
		delay -= other
	}
	switch {
	case s.Flags&packet.RST == 0:
		d.order.bare(d, arrived, delay)
	case !stamped(s): // equal ones come in numbers, of which a capture may miss the first
		return
	}
	d.path.small(d.from, arrived, delay, s.Flags&^packet.PSH == packet.ACK && s.SACK[0].Left == 0)
}
