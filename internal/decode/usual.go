package decode

import (
	"encoding/binary"

	"github.com/gopacket/gopacket/layers"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

// Where the headers of a usual frame begin, and the octets that are looked at.
const (
	usualIP  = ethernetHeaderLen
	usualTCP = usualIP + ip4HeaderLen
	usualLen = usualTCP + packet.ViewLen
)

// usual decodes the frame at f into seg where it is what nearly all packets of a
// capture are: Ethernet, plain IPv4 and TCP in its usual form. It reports whether
// it is; if not, seg has to be decoded in another way. Behind the captured octets
// f may hold anything.
//
// All headers stand at known places here, so that one look at the buffer's length
// is enough and the rest is to see that the packet is as usual.
func usual(f *[usualLen]byte, captured, wire int, seg *packet.Segment) bool {
	h := (*[ip4HeaderLen]byte)(f[usualIP:])
	length, ok := plainIPv4(h, wire-usualIP)
	if !ok || layers.EthernetType(binary.BigEndian.Uint16(f[usualIP-2:])) != layers.EthernetTypeIPv4 {
		return false
	}
	addressesIPv4(h, seg)
	return seg.ParseUsual((*[packet.ViewLen]byte)(f[usualTCP:]), captured-usualTCP, length-ip4HeaderLen)
}

// usualRaw is usual for a packet that may be of any link type.
func usualRaw(raw *capture.Raw, seg *packet.Segment) bool {
	return raw.Link == capture.LinkEthernet && cap(raw.Data) >= usualLen &&
		usual((*[usualLen]byte)(raw.Data[:usualLen]), len(raw.Data), raw.WireLen, seg)
}
