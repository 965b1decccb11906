package decode

import (
	"testing"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

// The captured bytes of the payload are counted on the fast path and on others. Bytes that the
// link layer added do not count.
func TestCaptured(t *testing.T) {
	const kept, padding = 40, 6
	cut := func(link capture.LinkType, frame []byte, payload int) *capture.Raw {
		r := raw(link, frame)
		r.Data = r.Data[:len(r.Data)-payload+kept]
		return r
	}
	padded := make([]byte, padding)
	for _, c := range []struct {
		name string
		raw  *capture.Raw
		want uint32
	}{
		{"whole", raw(capture.LinkEthernet, ethernet(typeIPv4, ip4(protoTCP, tcpSegment(100)))), 100},
		{"without payload", snap(capture.LinkEthernet, ethernet(typeIPv4, ip4(protoTCP, tcpSegment(0)))), 0},
		{"padded", snap(capture.LinkEthernet, append(ethernet(typeIPv4, ip4(protoTCP, tcpSegment(1))), padded...)), 1},
		{"cut", cut(capture.LinkEthernet, ethernet(typeIPv4, ip4(protoTCP, tcpSegment(1400))), 1400), kept},
		{"IPv6, cut", cut(capture.LinkEthernet, ethernet(typeIPv6, ip6(protoTCP, tcpSegment(1400))), 1400), kept},
		{"cooked, cut", cut(capture.LinkSLL, sll(outgoing, 1, typeIPv4, ip4(protoTCP, tcpSegment(1400))), 1400), kept},
	} {
		var s packet.Segment
		if o := New(Options{Captured: true}).Decode(c.raw, &s); o != TCP || s.Captured != c.want {
			t.Errorf("%s: %v, %d bytes captured, want %d", c.name, o, s.Captured, c.want)
		}
	}
}
