package clockstep

import (
	"encoding/binary"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tcpclock"
)

// The table of directions has sets of 4; a hash selects the set. A new direction in a full
// set replaces the one that was silent longest.
const (
	tableSets = 128
	setSize   = 4
)

const (
	// unitAttempts is how many attempts it may take to find the unit of a
	// direction's timestamps.
	unitAttempts = 16

	// A window of the least offset lasts at least this long, and has at least so many
	// packets.
	windowTime    = 1e9
	windowPackets = 32

	// maxDrift is how much the clock of the capture and the clock of a host may drift
	// apart, ns per ns.
	maxDrift = 500e-6
	// noise is the error that the capture itself adds to its times, ns.
	noise = 1e6
)

// tsClock is one direction of a TCP connection. It compares its TCP timestamps with the
// capture times. The offset between the two is least for packets that waited nowhere. This
// least offset stays the same, except for the drift of the clocks.
type tsClock struct {
	src, dst      packet.Endpoint
	known         bool
	hasTimestamps bool   // its packets carry timestamps
	iface         uint16 // of its latest packet

	reader tcpclock.Reader
	least  [2]int64 // least offsets of this window and the previous one, ns
	since  int64    // when this window began
	n      int      // packets in it
	jitter int64    // mean of offset minus least offset, ns
	last   int64    // time of the latest packet, ns

	// Data in flight; it is noted as long as the unit is not known.
	end    seq.Wire // sequence number behind the latest data that it sent
	ack    seq.Wire // the latest acknowledgment number that it sent
	sent   bool
	acking bool
}

// find returns the entry of a direction, nil if there is none.
func (w *Watch) find(src, dst *packet.Endpoint) *tsClock {
	set := &w.clocks[hash(src, dst)]
	for i := range set {
		if c := &set[i]; c.known && c.src == *src && c.dst == *dst {
			return c
		}
	}
	return nil
}

// make makes the entry of a new direction.
func (w *Watch) make(s *packet.Segment) *tsClock {
	set := &w.clocks[hash(&s.Src, &s.Dst)]
	c := &set[0]
	for i := range set {
		if !set[i].known {
			c = &set[i]
			break
		}
		if set[i].last < c.last {
			c = &set[i]
		}
	}
	*c = tsClock{src: s.Src, dst: s.Dst, known: true}
	return c
}

func hash(src, dst *packet.Endpoint) uint64 {
	le := binary.LittleEndian
	h := le.Uint64(src.Addr[8:]) ^ uint64(src.Port)<<16 ^ uint64(dst.Port)
	h = (h ^ h>>29) * 0x9e3779b97f4a7c15
	h ^= le.Uint64(dst.Addr[8:])
	h = (h ^ h>>32) * 0xd1b54a32d192ed03
	return h >> 57 // the upper 7 bits: tableSets values
}

// note takes a packet whose capture time is already correct.
func (w *Watch) note(s *packet.Segment) {
	if s.Flags&packet.RST != 0 {
		return // its timestamp and its numbers may be arbitrary
	}
	c := w.find(&s.Src, &s.Dst)
	if c == nil {
		c = w.make(s)
	}
	if s.Flags&packet.SYN != 0 {
		*c = tsClock{src: s.Src, dst: s.Dst, known: true} // a server with SYN cookies codes options in the timestamp of its SYN/ACK
		c.last, c.iface, c.end, c.sent = s.Time, s.Iface, s.End(), true
		return
	}
	c.last, c.iface = s.Time, s.Iface
	c.hasTimestamps = s.Have&packet.HasTimestamps != 0
	if !c.reader.Known() {
		c.noteFlight(s)
	}
	if c.hasTimestamps {
		c.observe(s.Time, s.TSVal)
	}
}

// noteFlight notes what a packet sends and acknowledges.
func (c *tsClock) noteFlight(s *packet.Segment) {
	if end := s.End(); end != s.Seq && (!c.sent || int32(end-c.end) > 0) {
		c.end, c.sent = end, true
	}
	if s.Flags&packet.ACK != 0 && (!c.acking || int32(s.Ack-c.ack) > 0) {
		c.ack, c.acking = s.Ack, true
	}
}

// observe takes the TCP timestamp of a packet captured at time now, ns.
func (c *tsClock) observe(now int64, tsval uint32) {
	shown, ok := c.reader.Read(now, tsval, unitAttempts)
	if !ok {
		return
	}
	offset := now - shown
	switch {
	case c.n == 0:
		c.least, c.since, c.n, c.jitter = [2]int64{offset, offset}, now, 1, c.reader.Tick()
		return
	case c.n > windowPackets && now-c.since > windowTime:
		c.least[1], c.least[0] = c.least[0], offset
		c.since, c.n = now, 0
	}
	c.n++
	c.least[0] = min(c.least[0], offset)
	c.jitter += (offset - c.leastOffset() - c.jitter) / 16
}

// leastOffset returns the least offset of the two latest windows, ns.
func (c *tsClock) leastOffset() int64 { return min(c.least[0], c.least[1]) }

// excess returns by how much the offset of a packet captured at time now exceeds the least
// offset so far, and how much of that may be drift and noise, both in ns.
func (c *tsClock) excess(now int64, tsval uint32) (by, slack int64) {
	shown := c.reader.Shows(tsval)
	silent := max(shown-c.last, 0) + max(c.last-c.since, 0)
	return now - shown - c.leastOffset(), c.reader.Tick() + noise + int64(float64(silent)*maxDrift)
}
