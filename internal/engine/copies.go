package engine

import (
	"encoding/binary"

	"mpanalyze/internal/decode"
	"mpanalyze/internal/packet"
)

const (
	// copiesStart is how many packets at the beginning of a capture wait until it is
	// known whether all are captured twice.
	copiesStart = 128
	// fewCopies and fewPackets are how many copies there must be, and how many
	// packets of two addresses for these to be judged by themselves alone.
	fewCopies  = 4
	fewPackets = 8
	// copiesForget is after how many packets what was counted counts half.
	copiesForget = 1024
)

// copies drops the frames that a mirror port or a bond shows twice. One packet alone
// does not tell them from what the network duplicated: both have the same bytes and
// follow each other by microseconds. But a network duplicates a few packets, and a
// mirror port all of a direction.
type copies struct {
	begun  bool
	all    twice
	groups [64]twice // by the addresses of source and destination
	count  int64
	first  uint64 // number of the first packet that was dropped
}

// twice counts packets, and how many of them were captured twice.
type twice struct{ packets, copies int }

func (x *twice) add(copied bool) {
	if copied {
		x.copies++
		return
	}
	if x.packets++; x.packets == copiesForget {
		x.packets, x.copies = x.packets/2, x.copies/2
	}
}

// rule reports whether being captured twice is the rule.
func (x *twice) rule() bool { return x.copies >= fewCopies && 2*x.copies >= x.packets }

// group returns the counts for the addresses of a packet.
func (c *copies) group(s *packet.Segment) *twice {
	le := binary.LittleEndian
	h := (le.Uint64(s.Src.Addr[8:]) ^ le.Uint64(s.Src.Addr[:8])) * 0x9e3779b97f4a7c15
	h = (h>>29 ^ h ^ le.Uint64(s.Dst.Addr[8:]) ^ le.Uint64(s.Dst.Addr[:8])) * 0xd1b54a32d192ed03
	return &c.groups[h>>58]
}

// waits reports whether the packets at the beginning are too few yet.
func (c *copies) waits(segs []packet.Segment, last bool) bool {
	if c.begun || last || len(segs) >= copiesStart || payloadBytes(segs) > maxHeldBack {
		return false
	}
	return true
}

// drop takes copies out of segs and returns how many are left. At the beginning all
// are counted before any is dropped.
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

// rule reports whether packets with the addresses of s are captured twice. Where it is
// the rule of the capture, a quarter suffices: a burst passes before its copies do.
func (c *copies) rule(s *packet.Segment) bool {
	g, all := c.group(s), c.all.rule()
	if g.packets < fewPackets {
		return all || g.copies > 1 && 2*g.copies >= g.packets
	}
	return g.rule() || all && 4*g.copies >= g.packets
}
