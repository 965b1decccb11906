package decode

import (
	"encoding/binary"

	"github.com/gopacket/gopacket/layers"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

// The offsets of the headers of a frame on the fast path, and how many bytes the fast path reads.
const (
	fastIP  = 14 // Ethernet: IEEE 802.3, Section 3.1.1
	fastTCP = fastIP + ip4HeaderLen
	fastLen = fastTCP + packet.ViewLen
)

// fastFrame decodes nearly all frames of a capture: Ethernet, plain IPv4, and TCP on its fast
// path. If the frame at f is not of this kind, it returns false, and the frame must be decoded in
// another way. After the captured bytes f may hold anything.
//
// All headers are at known offsets, so a single bounds check suffices. gopacket's TCP layer allocates for each DSS option
// and takes ten times as long.
func fastFrame(f *[fastLen]byte, captured, wire int, seg *packet.Segment) bool {
	h := (*[ip4HeaderLen]byte)(f[fastIP:])
	length, ok := plainIPv4(h, wire-fastIP)
	if !ok || layers.EthernetType(binary.BigEndian.Uint16(f[fastIP-2:])) != layers.EthernetTypeIPv4 {
		return false
	}
	addressesIPv4(h, seg)
	return seg.ParseFast((*[packet.ViewLen]byte)(f[fastTCP:]), captured-fastTCP, length-ip4HeaderLen)
}

// fastRaw is fastFrame for a packet of any link type.
func fastRaw(raw *capture.Raw, seg *packet.Segment) bool {
	return raw.Link == capture.LinkEthernet && cap(raw.Data) >= fastLen &&
		fastFrame((*[fastLen]byte)(raw.Data[:fastLen]), len(raw.Data), raw.WireLen, seg)
}

// plainIPv4 reports whether h is the header of a plain IPv4 packet with TCP. frame is the number
// of bytes from this header to the end of the frame. It returns the packet's length, which may
// be too short for the header itself.
func plainIPv4(h *[ip4HeaderLen]byte, frame int) (length int, ok bool) {
	// From the length on, the lower half of the word holds flags, fragment offset, time
	// to live and protocol. One comparison checks all but the time to live, "do not
	// fragment" and the reserved bit.
	const lower, tcp = 0x3fff_00ff, uint64(layers.IPProtocolTCP)
	const plain = 4<<4 | ip4HeaderLen/4 // version, header length in words
	word := binary.BigEndian.Uint64(h[2:])
	length = int(word >> 48)
	return length, h[0] == plain && word&lower == tcp && length <= frame
}

// addressesIPv4 copies the values of the header h of a plain IPv4 packet into seg.
func addressesIPv4(h *[ip4HeaderLen]byte, seg *packet.Segment) {
	seg.IPv6, seg.IPID, seg.CE = false, binary.BigEndian.Uint16(h[4:]), h[1]&congested == congested
	putMapped(&seg.Src.Addr, h[12:16])
	putMapped(&seg.Dst.Addr, h[16:20])
}
