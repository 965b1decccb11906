package decode

import (
	"encoding/binary"
	"math/bits"
	"time"

	"mpanalyze/internal/packet"
)

// How long after its first sight a packet is taken for the same. A host that
// forwards it shows it again only when it leaves the queue of the outgoing
// interface, which may take long before a slow link; and a wrong guess costs
// little, as a second packet at the place of the first is always kept. What
// bounds the time is a connection that moves to another interface: with the
// identification or a timestamp in the header a retransmission differs anyway,
// without either it comes no sooner than 200 ms later (the least timeout of
// Linux; RFC 6298 asks for a second).
const (
	sightWindow     = int64(time.Second)
	sightWindowBare = int64(200 * time.Millisecond)
	// copyWindow is how long after its first sight a packet is taken for a copy
	// that was captured at the same place: by a mirror port that shows a frame as it
	// comes and as it goes, or the links of a bond.
	copyWindow = int64(time.Millisecond)
)

// someCopies is the part of the packets of an early capture, one in so many, that
// must be copies for the rest to be looked at.
const someCopies = 64

// The memory for sights: 16384 packets, 32 octets each, in sets of 4. A host
// that holds a packet back for longer than it takes to see so many others
// shows it twice.
const (
	sightSets = 4096
	sightWays = 4
)

// sightWarmup is the number of packets remembered while all come from one
// interface and no cooked header says that there are others, which spares an
// ordinary capture the cost. Where a second interface shows up only later, the
// few packets are counted twice that were passing at that moment.
const sightWarmup = sightSets * sightWays

// A sight is a packet that was seen. Two packets with the same 64-bit digest
// are taken for one. Each packet is compared with no more than 16384 others, so
// a capture of 10 million packets loses one to chance with a probability of
// 10^7 * 2^14 / 2^64, once in a hundred million such captures.
type sight struct {
	digest uint64
	time   int64
	at     place
	ttl    uint8
	copied bool // another one of it was seen at the same place; the next one is a packet again
}

// sights recognises a packet that a capture on several interfaces (`-i any`,
// or several files of one host) shows more than once: forwarded, it comes in
// and goes out; over a bridge or a bond it passes several interfaces.
type sights struct {
	table   [][sightWays]sight // sightSets of them, made on first use
	first   uint16             // interface of the first packet
	looked  int
	copies  int   // at the same place
	several bool  // packets came from more than one interface
	alone   place // 1 more than the only place so far, once enough were looked at; else 0
}

// watching reports whether the source may show a packet more than once.
func (s *sights) watching(at place) bool { return at+1 != s.alone && s.suspicious(at) }

// suspicious is watching for a packet from elsewhere, or an early one.
func (s *sights) suspicious(at place) bool {
	if s.several || at&cooked != 0 {
		return true
	}
	switch iface := uint16(at >> 40); {
	case s.looked == 0:
		s.first = iface
	case iface != s.first:
		s.several, s.alone = true, 0
		return true
	}
	if s.looked == sightWarmup && s.copies > sightWarmup/someCopies {
		return true
	}
	if s.looked == sightWarmup {
		s.alone = at + 1
		return false
	}
	s.looked++
	return true
}

// again reports whether seg, captured at at with a time to live of ttl, was seen
// before at another place, and remembers it if not. The same packet at the same place
// again is another packet: the network duplicated it or its sender sent it again, and
// of that one, too, the sights at other places are told by its first. Within a
// millisecond it may also be a copy, which one packet alone does not tell: it is marked.
func (s *sights) again(seg *packet.Segment, at place, ttl uint8) bool {
	if s.table == nil {
		s.table = make([][sightWays]sight, sightSets)
	}
	window := sightWindow
	if seg.IPID == 0 && seg.Have&packet.HasTimestamps == 0 {
		window = sightWindowBare
	}
	digest := digestOf(seg)
	set := &s.table[digest%sightSets]
	farthest, distance := 0, int64(-1)
	for i := range set {
		e := &set[i]
		apart := max(seg.Time-e.time, e.time-seg.Time)
		if e.digest == digest && apart <= window {
			if e.at != at {
				return true
			}
			e.copied = !e.copied && apart <= copyWindow && e.ttl == ttl
			if e.copied {
				s.copies++
				seg.Have |= packet.SeenTwice
			}
			e.time, e.ttl = seg.Time, ttl
			return false
		}
		if apart > distance {
			farthest, distance = i, apart
		}
	}
	set[farthest] = sight{digest: digest, time: seg.Time, at: at, ttl: ttl}
	return false
}

// digestOf condenses what identifies a packet and stays the same while a host
// forwards it: addresses, ports, numbers, flags, window, length, timestamps
// and the IPv4 identification. A packet whose addresses were translated on the
// way is a different one.
func digestOf(seg *packet.Segment) uint64 {
	le := binary.LittleEndian
	ports := uint64(seg.Src.Port)<<16 | uint64(seg.Dst.Port)
	ack := uint64(seg.Ack)<<32 | uint64(seg.Window)<<16 | uint64(seg.Flags)
	stamps := uint64(seg.TSVal)<<32 | uint64(seg.TSEcr)
	size := uint64(seg.PayloadLen)<<32 | uint64(seg.IPID)
	h := fold(le.Uint64(seg.Src.Addr[:])^0x9e3779b97f4a7c15, le.Uint64(seg.Src.Addr[8:])^0xd1b54a32d192ed03)
	h = fold(h^le.Uint64(seg.Dst.Addr[:]), le.Uint64(seg.Dst.Addr[8:])^0x8cb92ba72f3d8dd7)
	h = fold(h^(uint64(seg.Seq)<<32|ports), ack^0xabc98388fb8fac03)
	return fold(h^stamps, size^0xf1357aea2e62a9c5)
}

// fold mixes two words into one by the halves of their product.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
