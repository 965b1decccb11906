package decode

import "mpanalyze/internal/packet"

// place is where and in which direction a packet was captured, as one number
// that compares with ==. From the top: one bit that says whether the header
// was a cooked one, the index of the interface within the source (16 bits),
// the packet type of the cooked header (8 bits) and, for SLL2, the capturing
// host's own number of the interface (32 bits).
type place uint64

const cooked place = 1 << 63

// Packet types of Linux cooked headers (LINKTYPE_LINUX_SLL, tcpdump.org).
const (
	toHost    = 0
	broadcast = 1
	multicast = 2
	outgoing  = 4
)

func newPlace(iface int) place { return place(uint16(iface)) << 40 }

// cookedAs returns p with what a cooked header adds to it.
func (p place) cookedAs(h cookedHeader) place {
	return p | cooked | place(h.packetType)<<32 | place(h.ifindex)
}

// direction returns [packet.Outgoing], [packet.Incoming] or neither. A packet
// for another host, which a promiscuous interface sees, has no direction.
func (p place) direction() packet.Present {
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
