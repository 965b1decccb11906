package decode

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"

	"github.com/gopacket/gopacket"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

// The packets of these tests are put together by hand, byte by byte, or by
// gopacket's serialisers, never with code of this package.

const (
	protoTCP  = 6
	protoUDP  = 17
	protoGRE  = 47
	protoAH   = 51
	protoIPv4 = 4
	protoIPv6 = 41

	typeIPv4 = 0x0800
	typeIPv6 = 0x86dd
)

var (
	addr4a = netip.MustParseAddr("10.2.1.1")
	addr4b = netip.MustParseAddr("10.2.1.2")
	addr6a = netip.MustParseAddr("fd00:2:1::1")
	addr6b = netip.MustParseAddr("fd00:2:1::2")
)

// tcpHeader is the header of tcpSegment: 20 bytes and 12 of options.
const tcpHeader = 32

// tcpSegment returns a segment from port 40000 to 5001 with timestamps and
// payload bytes of payload, each byte telling its place.
func tcpSegment(payload int) []byte {
	b := make([]byte, tcpHeader+payload)
	binary.BigEndian.PutUint16(b[0:], 40000)
	binary.BigEndian.PutUint16(b[2:], 5001)
	binary.BigEndian.PutUint32(b[4:], 0x01020304)
	binary.BigEndian.PutUint32(b[8:], 0x0a0b0c0d)
	b[12] = tcpHeader / 4 << 4
	b[13] = byte(packet.ACK | packet.PSH)
	binary.BigEndian.PutUint16(b[14:], 512)
	copy(b[20:], []byte{1, 1, 8, 10, 0, 0, 0, 111, 0, 0, 0, 222})
	for i := range payload {
		b[tcpHeader+i] = byte(i ^ i>>8)
	}
	return b
}

// ip4 returns an IPv4 packet from addr4a to addr4b with identification 0x1234.
func ip4(protocol byte, payload []byte) []byte { return ip4Options(protocol, nil, payload) }

func ip4Options(protocol byte, options, payload []byte) []byte {
	b := make([]byte, 20, 20+len(options)+len(payload))
	b[0] = 0x40 | byte(5+len(options)/4)
	binary.BigEndian.PutUint16(b[2:], uint16(20+len(options)+len(payload)))
	binary.BigEndian.PutUint16(b[4:], 0x1234)
	b[6] = 0x40 // do not fragment
	b[8] = 64
	b[9] = protocol
	copy(b[12:], addr4a.AsSlice())
	copy(b[16:], addr4b.AsSlice())
	return append(append(b, options...), payload...)
}

// ip6 returns an IPv6 packet from addr6a to addr6b.
func ip6(next byte, payload []byte) []byte {
	b := make([]byte, 40, 40+len(payload))
	b[0] = 0x60
	binary.BigEndian.PutUint16(b[4:], uint16(len(payload)))
	b[6] = next
	b[7] = 64
	copy(b[8:], addr6a.AsSlice())
	copy(b[24:], addr6b.AsSlice())
	return append(b, payload...)
}

func ethernet(etherType uint16, payload []byte) []byte {
	b := []byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1}
	return append(be16(b, etherType), payload...)
}

const (
	hardwareEthernet = 1
	hardwareRadiotap = 803
)

func sll(packetType byte, hardware, protocol uint16, payload []byte) []byte {
	b := be16([]byte{0, packetType}, hardware)
	b = append(b, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0)
	return append(be16(b, protocol), payload...)
}

func sll2(packetType byte, ifindex uint32, hardware, protocol uint16, payload []byte) []byte {
	b := be16(nil, protocol)
	b = binary.BigEndian.AppendUint32(append(b, 0, 0), ifindex)
	b = append(be16(b, hardware), packetType, 6, 2, 0, 0, 0, 0, 1, 0, 0)
	return append(b, payload...)
}

func be16(b []byte, v uint16) []byte { return binary.BigEndian.AppendUint16(b, v) }

// serialized returns what gopacket makes of the layers.
func serialized(t testing.TB, l ...gopacket.SerializableLayer) []byte {
	t.Helper()
	buf := gopacket.NewSerializeBuffer()
	assert.NilError(t, gopacket.SerializeLayers(buf, gopacket.SerializeOptions{FixLengths: true}, l...))
	return slices.Clone(buf.Bytes())
}

// raw returns data as a completely captured packet, with a time and a place in the file that are
// not zero.
func raw(link capture.LinkType, data []byte) *capture.Raw {
	return &capture.Raw{Num: 7, Time: 1_700_000_000_123_456_789, WireLen: len(data), File: 2, Iface: 3, Link: link, Data: data}
}

// wantSegment returns the expected segment for tcpSegment(payload) in packet r. The payload is
// compared separately.
func wantSegment(r *capture.Raw, src, dst netip.Addr, payload int) packet.Segment {
	w := packet.Segment{
		Num: r.Num, Time: r.Time + packet.Origin, File: uint16(r.File), Iface: uint16(r.Iface),
		Src: packet.Endpoint{Addr: src.As16(), Port: 40000}, Dst: packet.Endpoint{Addr: dst.As16(), Port: 5001},
		Seq: 0x01020304, Ack: 0x0a0b0c0d, Window: 512, Flags: packet.ACK | packet.PSH,
		Have: packet.HasTimestamps, TSVal: 111, TSEcr: 222, OptLen: 12, PayloadLen: uint32(payload),
		IPv6: src.Is6(), IPID: 0x1234,
	}
	if src.Is6() {
		w.IPID = 0
	}
	return w
}

// check fails unless d decodes r into want and the payload is the first
// captured bytes of tcpSegment's.
func check(t testing.TB, d *Decoder, r *capture.Raw, want packet.Segment, captured int) {
	t.Helper()
	var seg packet.Segment
	if o := d.Decode(r, &seg); o != TCP {
		t.Fatalf("outcome %v, want tcp", o)
	}
	payload := d.Payload(&seg)
	assert.Check(t, is.DeepEqual(seg, want), "segment")
	if want := tcpSegment(captured)[tcpHeader:]; !slices.Equal(payload, want) {
		t.Errorf("payload: %d bytes, want the first %d of the segment", len(payload), len(want))
	}
}

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
