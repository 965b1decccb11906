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
)

// copies drops packets that were captured twice, for example by a mirror port, a bond, or a
// router whose two sides are in one file. A single copy may also come from the network: both
// look the same. But a network duplicates few packets, and a capture duplicates all packets
// of a direction.
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

// copyCount counts packets, and how many of them were captured twice.
type copyCount struct {
	packets, copies int
	dropping        bool // the latest copy was dropped
}

func (x *copyCount) add(copied bool) {
	if copied {
		x.copies++
		return
	}
	if x.packets++; x.packets >= copiesForget {
		x.packets, x.copies = x.packets/2, x.copies/2
	}
}

// rule reports whether at least half of the packets were captured twice. Once this is so, a
// quarter suffices: copies that come much later than the packets are fewer while the sender
// speeds up.
func (x *copyCount) rule() bool {
	x.dropping = x.copies >= fewCopies && (2*x.copies >= x.packets || x.dropping && 4*x.copies >= x.packets)
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
	copied := s.Have&packet.SeenTwice != 0
	c.all.add(copied)
	c.group(s).add(copied)
}

// rule reports whether packets with the addresses of s are captured twice. If this is so for
// the whole capture, it is so for them, unless many of them came with few copies: the copies
// of the latest packets may still come.
func (c *copies) rule(s *packet.Segment) bool {
	g, all := c.group(s), c.all.rule()
	if g.packets < fewPackets {
		return all || g.copies > 1 && 2*g.copies >= g.packets
	}
	return g.rule() || all && (g.packets < manyPackets || 4*g.copies >= g.packets)
}
