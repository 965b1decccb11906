package decode

import (
	"github.com/gopacket/gopacket/layers"

	"mpanalyze/internal/capture"
)

// timeToLive returns the IPv4 time to live or the IPv6 hop limit of a frame, which
// differs before and after a router. It returns 0 unless the IP header follows a header
// with an EtherType or a cooked header.
func timeToLive(raw *capture.Raw) uint8 {
	const ip4TTL, ip6HopLimit = 8, 7
	frame := raw.Link.Framing()
	if frame.Header == 0 || len(raw.Data) < frame.Header+ip4HeaderLen {
		return 0
	}
	switch protocolOf(frame, raw.Data) {
	case layers.EthernetTypeIPv4:
		return raw.Data[frame.Header+ip4TTL]
	case layers.EthernetTypeIPv6:
		return raw.Data[frame.Header+ip6HopLimit]
	}
	return 0
}
