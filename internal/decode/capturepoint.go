package decode

import "mpanalyze/internal/packet"

// capturePoint is where and in which direction a packet was captured, as a number that
// compares with ==. From the top: one bit that is set for a cooked header, one that is
// always set, so that 0 is no capture point, the index of the interface within the source
// (16 bits), the packet type of the cooked header (8 bits) and, for SLL2, the capturing
// host's own number of the interface (32 bits).
type capturePoint uint64

const (
	cooked capturePoint = 1 << 63
	aPoint capturePoint = 1 << 62
)

// Packet types of Linux cooked headers (LINKTYPE_LINUX_SLL, tcpdump.org).
const (
	toHost    = 0
	broadcast = 1
	multicast = 2
	outgoing  = 4
)

func newCapturePoint(iface int) capturePoint { return aPoint | capturePoint(uint16(iface))<<40 }

// cookedAs returns p with the values of a cooked header added.
func (p capturePoint) cookedAs(h cookedHeader) capturePoint {
	return p | cooked | capturePoint(h.packetType)<<32 | capturePoint(h.ifindex)
}

// direction returns [packet.Outgoing], [packet.Incoming] or neither. A packet
// for another host, which a promiscuous interface sees, has no direction.
func (p capturePoint) direction() packet.Present {
	if p&cooked == 0 {
		return 0
	}
	switch uint8(p >> 32) {
	case outgoing:
		return packet.Outgoing
	case toHost, broadcast, multicast:
		return packet.Incoming
	}
	return 0
}
