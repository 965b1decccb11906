package decode

import (
	"encoding/binary"

	"github.com/gopacket/gopacket/layers"

	"mpanalyze/internal/capture"
)

// timeToLive returns the IPv4 time to live or the IPv6 hop limit of a frame, which
// differs before and after a router. It returns 0 unless the IP header follows an
// Ethernet or cooked header.
func timeToLive(raw *capture.Raw) uint8 {
	const ip4TTL, ip6HopLimit = 8, 7
	data, header, at := raw.Data, 0, 0
	switch raw.Link {
	case capture.LinkEthernet:
		header, at = ethernetHeaderLen, 12
	case capture.LinkSLL2:
		header, at = sll2HeaderLen, 0
	case capture.LinkSLL:
		header, at = sllHeaderLen, 14
	default:
		return 0
	}
	if len(data) < header+ip4HeaderLen {
		return 0
	}
	switch layers.EthernetType(binary.BigEndian.Uint16(data[at:])) {
	case layers.EthernetTypeIPv4:
		return data[header+ip4TTL]
	case layers.EthernetTypeIPv6:
		return data[header+ip6HopLimit]
	}
	return 0
}
