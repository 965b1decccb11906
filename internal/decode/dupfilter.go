package decode

import (
	"encoding/binary"
	"math/bits"
	"time"

	"mpanalyze/internal/packet"
)

// The time after a packet in which an equal packet counts as its duplicate. A host that forwards
// a packet shows it again when the packet leaves the queue of the outgoing interface, which may
// take long before a slow link. A wrong decision costs little, because a second packet at the
// same place is always kept. The limit matters if a connection moves to another interface: a
// retransmission there has another identification or timestamp. If it has neither, it comes at
// least 200 ms later (the minimum timeout of Linux; RFC 6298 asks for a second).
const (
	dupWindow     = int64(time.Second)
	dupWindowBare = int64(200 * time.Millisecond)
	// copyWindowBare is this time for a copy at the same place that has neither, unless the copies
	// of other packets come later. There an acknowledgment that repeats another looks like its
	// copy.
	copyWindowBare = int64(time.Millisecond)
)

// copyShare says when the filter stays active: if more than one in copyShare of the first
// packets is a copy.
const copyShare = 64

// The filter remembers 16384 packets of 32 bytes, in sets of 4. A host that holds a
// packet back while more than that pass shows it twice.
const (
	dupSets = 4096
	dupWays = 4
	// dupPage is how many sets are allocated at once: a short capture needs few of them.
	dupPage = 32
)

// dupWarmup is the number of packets after which the filter becomes inactive, if all packets
// come from one interface and there is no cooked header. This saves time for most captures. If a
// second interface appears later, the few packets on their way at that moment count twice.
const dupWarmup = dupSets * dupWays

// seenPacket is a packet that was seen. Two packets with the same 64-bit digest count as the
// same packet. Each packet is compared with at most 16384 others. So a capture of 10 million
// packets loses a packet by chance with a probability of 10^7 * 2^14 / 2^64: once in a hundred
// million such captures.
type seenPacket struct {
	digest uint64
	time   int64
	at     capturePoint
	ttl    uint8
	copied bool // a copy of it was seen at the same place; an equal packet after that counts as a packet again
}

// dupFilter recognises packets that a capture on several interfaces (`-i any`, or
// several files of one host) shows more than once: a forwarded packet comes in and goes
// out, and over a bridge or a bond it passes several interfaces.
type dupFilter struct {
	table     [dupSets / dupPage]*[dupPage][dupWays]seenPacket // made on first use
	first     uint16                                           // interface of the first packet
	examined  int
	copies    int          // copies seen at the same place
	several   bool         // packets came from more than one interface
	onlyPoint capturePoint // the only capture point so far, after dupWarmup packets; otherwise 0, which is none
	group     int          // [capture.Raw.Group] of the latest packet
	delays    copyDelays
}

// enter makes the filter begin anew if a packet belongs to another group of files. The files of
// the groups before ended before it, so they cannot show a copy of it. A set of rotated files
// has one file per group.
func (s *dupFilter) enter(group int) {
	if group != s.group {
		*s = dupFilter{group: group, delays: s.delays}
	}
}

// active reports whether the source may show a packet more than once.
func (s *dupFilter) active(at capturePoint) bool { return at != s.onlyPoint && s.mayRepeat(at) }

// mayRepeat does the work of active for a packet from another capture point or for one of the
// first packets.
func (s *dupFilter) mayRepeat(at capturePoint) bool {
	if s.several || at&cooked != 0 {
		return true
	}
	switch iface := uint16(at >> 40); {
	case s.examined == 0:
		s.first = iface
	case iface != s.first:
		s.several, s.onlyPoint = true, 0
		return true
	}
	if s.examined == dupWarmup && s.copies > dupWarmup/copyShare {
		return true
	}
	if s.examined == dupWarmup {
		s.onlyPoint = at
		return false
	}
	s.examined++
	return true
}

// set returns the packets among which one with a digest is looked for.
func (s *dupFilter) set(digest uint64) *[dupWays]seenPacket {
	page := &s.table[digest/dupPage%(dupSets/dupPage)]
	if *page == nil {
		*page = new([dupPage][dupWays]seenPacket)
	}
	return &(*page)[digest%dupPage]
}

// isDuplicate reports whether seg was seen before at another place; if not, it stores seg. at is
// the place of the capture, ttl the time to live. An equal packet at the same place may be a copy
// by the capture, as a mirror port, a bond or a router shows it, with whatever VLAN tag, time to
// live and MAC addresses. It may also be a packet that the network duplicated or its sender
// repeated. One packet alone cannot tell, so the packet is only marked.
func (s *dupFilter) isDuplicate(seg *packet.Segment, at capturePoint, ttl uint8) bool {
	window, copyWindow, bare := dupWindow, dupWindow, seg.IPID == 0 && seg.Have&packet.HasTimestamps == 0
	if bare {
		window, copyWindow = dupWindowBare, max(copyWindowBare, s.delays.longest())
	}
	digest := digestOf(seg)
	set := s.set(digest)
	farthest, distance := 0, int64(-1)
	for i := range set {
		e := &set[i]
		apart := max(seg.Time-e.time, e.time-seg.Time)
		if e.digest == digest && apart <= window {
			if e.at != at {
				if !bare {
					s.delays.add(apart, true)
				}
				return true
			}
			if e.copied = !e.copied && apart <= copyWindow; e.copied {
				s.copies++
				if !bare {
					s.delays.add(apart, e.ttl != ttl)
				}
				seg.Have |= packet.SeenTwice
				seg.ClockSet = apart
			}
			e.time, e.ttl = seg.Time, ttl
			return false
		}
		if apart > distance {
			farthest, distance = i, apart
		}
	}
	set[farthest] = seenPacket{digest: digest, time: seg.Time, at: at, ttl: ttl}
	return false
}

// digestOf returns a hash of what identifies a packet and does not change when a host
// forwards it: addresses, ports, numbers, flags, window, lengths, timestamps, the first SACK
// block, the numbers of the DSS and the IPv4 identification. Address translation changes
// the hash.
func digestOf(seg *packet.Segment) uint64 {
	le := binary.LittleEndian
	ports := uint64(seg.Src.Port)<<16 | uint64(seg.Dst.Port)
	ack := uint64(seg.Ack)<<32 | uint64(seg.Window)<<16 | uint64(seg.Flags)
	stamps := uint64(seg.TSVal)<<32 | uint64(seg.TSEcr)
	size := uint64(seg.PayloadLen)<<32 | uint64(seg.OptLen)<<16 | uint64(seg.IPID)
	h := fold(le.Uint64(seg.Src.Addr[:])^0x9e3779b97f4a7c15, le.Uint64(seg.Src.Addr[8:])^0xd1b54a32d192ed03)
	h = fold(h^le.Uint64(seg.Dst.Addr[:]), le.Uint64(seg.Dst.Addr[8:])^0x8cb92ba72f3d8dd7)
	h = fold(h^(uint64(seg.Seq)<<32|ports), ack^0xabc98388fb8fac03)
	h = fold(h^stamps, size^0xf1357aea2e62a9c5)
	if first := &seg.SACK[0]; seg.NSACK > 0 {
		h = fold(h^(uint64(first.Left)<<32|uint64(first.Right)), 0x9e3779b97f4a7c15)
	}
	if seg.Have&packet.HasDSS != 0 {
		h = fold(h^seg.DSS.DataAck, seg.DSS.DSN^0xd1b54a32d192ed03)
	}
	return h
}

// fold mixes two words by the halves of their product.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
