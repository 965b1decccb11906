package decode

import (
	"encoding/binary"
	"slices"
	"testing"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

// dssSegment returns a segment with timestamps and a DSS option with 8-byte
// numbers and a mapping, the most frequent packet of a session: 20 + 12 + 28
// bytes of header, 1400 of payload.
func dssSegment() []byte {
	b := tcpSegment(0)
	b[12] = 60 / 4 << 4
	dss := []byte{30, 26, 0x20, 0x0f}                   // both numbers there, both of 8 bytes
	dss = binary.BigEndian.AppendUint64(dss, 1<<40)     // DATA_ACK
	dss = binary.BigEndian.AppendUint64(dss, 1<<41)     // DSN
	dss = binary.BigEndian.AppendUint32(dss, 1_000_000) // SSN
	dss = append(be16(dss, 1400), 1, 1)                 // length, NOPs
	return slices.Concat(b, dss, make([]byte, 1400))
}

// snap cuts a packet as `tcpdump -s 128` does.
func snap(link capture.LinkType, data []byte) *capture.Raw {
	r := raw(link, data)
	r.Data = data[:min(128, len(data))]
	return r
}

func BenchmarkDecode(b *testing.B) {
	tcp := dssSegment()
	four, six := ip4(protoTCP, tcp), ip6(protoTCP, tcp)
	plain := snap(capture.LinkEthernet, ethernet(typeIPv4, four))
	for _, shape := range []struct {
		name string
		r    *capture.Raw
	}{
		{"plain", plain},
		{"timestamps", snap(capture.LinkEthernet, ethernet(typeIPv4, ip4(protoTCP, tcpSegment(1400))))},
		{"ipv6", snap(capture.LinkEthernet, ethernet(typeIPv6, six))},
		{"sll2", snap(capture.LinkSLL2, sll2(0, 2, hardwareEthernet, typeIPv4, four))},
		{"vlan", snap(capture.LinkEthernet, ethernet(0x8100, slices.Concat([]byte{0, 5, 8, 0}, four)))},
		{"hop-by-hop", snap(capture.LinkEthernet, ethernet(typeIPv6, ip6(0, slices.Concat([]byte{protoTCP, 0, 1, 4, 0, 0, 0, 0}, tcp))))},
		{"gre", snap(capture.LinkEthernet, ethernet(typeIPv4, ip4(protoGRE, slices.Concat([]byte{0, 0, 8, 0}, four))))},
		{"vxlan", snap(capture.LinkEthernet, ethernet(typeIPv4, ip4(protoUDP, udp(4789, slices.Concat([]byte{8, 0, 0, 0, 0, 0, 7, 0}, ethernet(typeIPv4, four))))))},
		{"arp", snap(capture.LinkEthernet, ethernet(0x0806, make([]byte, 46)))},
	} {
		b.Run(shape.name, func(b *testing.B) {
			d, seg := New(Options{Decap: true}), new(packet.Segment)
			b.ReportAllocs()
			for b.Loop() {
				d.Decode(shape.r, seg)
			}
		})
	}
}
