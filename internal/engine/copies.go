package engine

import (
	"encoding/binary"

	"mpanalyze/internal/decode"
	"mpanalyze/internal/packet"
)

const (
	// copiesStart is how many packets at the beginning of a capture are counted before
	// the first copy is dropped: more than pass before their copies come, and not more than
	// the smallest batch holds.
	copiesStart = smallBatch - stride
	// fewCopies is the least number of copies that prove that packets are captured
	// twice. fewPackets is the least number of packets between two addresses for which
	// their own counts decide. Of manyPackets most have had their copies.
	fewCopies   = 4
	fewPackets  = 8
	manyPackets = 256
	// copiesForget is the number of packets after which the counts are halved.
	copiesForget = 1024
	// copyShare and soonShare are the least shares, one in so many packets, of copies that a
	// capture makes. A network duplicates fewer than one in soonShare.
	copyShare = 2
	soonShare = 20
	// leastRepeat is less than any host takes to send a packet again, because the
	// acknowledgment that asks for it needs a round trip, ns. soonest is the same for a packet
	// that has the IPv4 identification of the one before, which no repetition has.
	leastRepeat = 20e3
	soonest     = 1e6
)

// copies drops packets that were captured twice, for example by a mirror port, a bond, or a
// router whose two sides are in one file. A single copy may also come from the network: both
// look the same. But a network duplicates few packets, and a capture duplicates all packets
// of a direction, or many of them so soon that nobody can have sent them again.
type copies struct {
	begun     bool // drop was called
	all       copyCount
	groups    [64]copyCount // by a hash of the addresses of source and destination
	count     int64
	first     uint64 // number of the first packet that was dropped
	kept      int64  // copies that were kept
	firstKept uint64 // number of the first of them

	// Once a path lies between the places of the copies:
	twoPlaces  bool
	leastDelay int64  // least delay of a copy then, ns
	placesFrom uint64 // number of the first packet whose connection has no times
}

// copyCount counts packets, how many of them were captured twice, and how many sooner than a host
// sends again.
type copyCount struct {
	packets      int
	copies, soon tally
}

// tally is a number of copies.
type tally struct {
	n        int
	dropping bool // the latest copy was dropped
}

// isCertain reports whether a copy that came soon is nothing else. An acknowledgment without an
// identification may be one more answer.
func isCertain(s *packet.Segment) bool { return s.IPID != 0 || s.PayloadLen > 0 }

// add counts a packet. With uncertain, copies that came soon count even if they are not certain.
func (x *copyCount) add(s *packet.Segment, uncertain bool) {
	if s.Have&packet.SeenTwice != 0 {
		x.copies.n++
		if soon(s) && (uncertain || isCertain(s)) {
			x.soon.n++
		}
		return
	}
	if x.packets++; x.packets >= copiesForget {
		x.packets, x.copies.n, x.soon.n = x.packets/2, x.copies.n/2, x.soon.n/2
	}
}

// soon reports whether a copy came sooner than its sender could repeat the packet. A host answers each
// segment of a connection that it does not know with a RST (RFC 9293, Section 3.10.7.1), as soon as
// these come.
func soon(s *packet.Segment) bool {
	return s.Flags&packet.RST == 0 && (s.ClockSet <= leastRepeat || s.IPID != 0 && s.ClockSet <= soonest)
}

// rule reports whether at least one in share packets was captured twice. Once this is so, half
// of that suffices: copies that come much later than the packets are fewer while the sender
// speeds up.
func (x *tally) rule(packets, share int) bool {
	x.dropping = x.n >= fewCopies && (share*x.n >= packets || x.dropping && 2*share*x.n >= packets)
	return x.dropping
}

// group returns the counts for the addresses of a packet.
func (c *copies) group(s *packet.Segment) *copyCount {
	le := binary.LittleEndian
	h := (le.Uint64(s.Src.Addr[8:]) ^ le.Uint64(s.Src.Addr[:8])) * 0x9e3779b97f4a7c15
	h = (h>>29 ^ h ^ le.Uint64(s.Dst.Addr[8:]) ^ le.Uint64(s.Dst.Addr[:8])) * 0xd1b54a32d192ed03
	return &c.groups[h>>58]
}

// undecided reports whether too few packets of the capture were read to decide about
// copies.
func (c *copies) undecided(segs []packet.Segment, last bool) bool {
	return !c.begun && !last && len(segs) < copiesStart && payloadBytes(segs) <= maxHeldBack
}

// notePlaces takes the delays of the copies before segs are passed to drop.
func (c *copies) notePlaces(d *decode.Decoder, segs []packet.Segment) {
	if least, yes := d.TwoPlaces(); yes && !c.twoPlaces && len(segs) > 0 {
		c.twoPlaces, c.leastDelay, c.placesFrom = true, least, segs[0].Num
	}
}

// drop removes copies from segs and returns how many segments are left. The first call
// counts all packets before it drops any. Once a path lies between the places of the copies, it
// marks the others: no time of their connections can be measured.
func (c *copies) drop(segs []packet.Segment, skipped []skips) (left int) {
	ahead := !c.begun
	c.begun = true
	if ahead {
		for i := range segs {
			c.add(&segs[i])
		}
	}
	for i := range segs {
		s := &segs[i]
		copied := s.Have&packet.SeenTwice != 0
		if !ahead {
			c.add(s)
		}
		if copied {
			s.Have &^= packet.SeenTwice
			if c.rule(s) {
				if c.count++; c.count == 1 {
					c.first = s.Num
				}
				skipped[s.File][decode.Duplicate]++
				continue
			}
			if c.kept++; c.kept == 1 {
				c.firstKept = s.Num
			}
		}
		if c.twoPlaces {
			s.Have |= packet.ClockChanged
			s.Clock, s.ClockSet = packet.TwoPlaces, 0
		}
		if left != i {
			segs[left] = *s
		}
		left++
	}
	return left
}

func (c *copies) add(s *packet.Segment) {
	c.all.add(s, false)
	c.group(s).add(s, true)
}

// rule reports whether packets with the addresses of s are captured twice. If this is so for
// the whole capture, it is so for them, unless many of them came with few copies: the copies
// of the latest packets may still come.
func (c *copies) rule(s *packet.Segment) bool {
	g, all := c.group(s), c.all.copies.rule(c.all.packets, copyShare)
	if soon(s) && (isCertain(s) && g.soon.rule(g.packets, soonShare) || c.all.soon.rule(c.all.packets, soonShare) && 2*soonShare*g.soon.n >= g.packets) {
		return true
	}
	if g.packets < fewPackets {
		return all || g.copies.n > 1 && copyShare*g.copies.n >= g.packets
	}
	return g.copies.rule(g.packets, copyShare) || all && (g.packets < manyPackets || 2*copyShare*g.copies.n >= g.packets)
}
