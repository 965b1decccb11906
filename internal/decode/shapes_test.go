package decode

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

// A shape is one way in which tcpSegment(100) may be wrapped.
type shape struct {
	name     string
	link     capture.LinkType
	data     []byte
	tcp      int // offset of the TCP header
	src, dst netip.Addr
	have     packet.Present // besides the timestamps
	decap    bool
}

const shapePayload = 100

// shapes returns every link layer, shim, IP header and tunnel that must work.
func shapes(t testing.TB) []shape {
	tcp := tcpSegment(shapePayload)
	four, six := ip4(protoTCP, tcp), ip6(protoTCP, tcp)
	var all []shape
	add := func(name string, link capture.LinkType, data []byte, s shape) {
		s.name, s.link, s.data = name, link, data
		s.tcp = len(data) - len(tcp)
		if !s.src.IsValid() {
			s.src, s.dst = addr4a, addr4b
		}
		all = append(all, s)
	}
	v4, v6 := shape{}, shape{src: addr6a, dst: addr6b}

	add("Ethernet IPv4", capture.LinkEthernet, ethernet(typeIPv4, four), v4)
	add("Ethernet IPv6", capture.LinkEthernet, ethernet(typeIPv6, six), v6)
	add("Ethernet 802.3 SNAP", capture.LinkEthernet, ethernet(uint16(8+len(four)), slices.Concat([]byte{0xaa, 0xaa, 3, 0, 0, 0, 8, 0}, four)), v4)
	add("SLL in", capture.LinkSLL, sll(0, hardwareEthernet, typeIPv4, four), shape{have: packet.Incoming})
	add("SLL out IPv6", capture.LinkSLL, sll(4, hardwareEthernet, typeIPv6, six), shape{src: addr6a, dst: addr6b, have: packet.Outgoing})
	add("SLL other host", capture.LinkSLL, sll(3, hardwareEthernet, typeIPv4, four), v4)
	add("SLL2 broadcast", capture.LinkSLL2, sll2(1, 4, hardwareEthernet, typeIPv4, four), shape{have: packet.Incoming})
	add("SLL2 out IPv6", capture.LinkSLL2, sll2(4, 4, hardwareEthernet, typeIPv6, six), shape{src: addr6a, dst: addr6b, have: packet.Outgoing})
	add("SLL2 VLAN", capture.LinkSLL2, sll2(0, 4, hardwareEthernet, 0x8100, slices.Concat([]byte{0, 5, 8, 0}, four)), shape{have: packet.Incoming})
	add("SLL2 SNAP", capture.LinkSLL2, sll2(0, 4, hardwareEthernet, 4, slices.Concat([]byte{0xaa, 0xaa, 3, 0, 0, 0, 8, 0}, four)), shape{have: packet.Incoming})
	long := sll2(0, 4, 32, typeIPv4, four)
	long[11] = 20
	add("SLL2 InfiniBand address of 20 bytes", capture.LinkSLL2, long, shape{have: packet.Incoming})
	for _, l := range []capture.LinkType{12, 14, 101, 228} {
		add("raw IPv4 "+l.String(), l, four, v4)
	}
	for _, l := range []capture.LinkType{12, 14, 101, 229} {
		add("raw IPv6 "+l.String(), l, six, v6)
	}
	add("NULL little-endian", capture.LinkNull, slices.Concat([]byte{2, 0, 0, 0}, four), v4)
	add("NULL big-endian", capture.LinkNull, slices.Concat([]byte{0, 0, 0, 2}, four), v4)
	add("LOOP", capture.LinkLoop, slices.Concat([]byte{0, 0, 0, 2}, four), v4)
	for _, family := range []byte{10, 24, 28, 30} {
		add("NULL IPv6 little-endian", capture.LinkNull, slices.Concat([]byte{family, 0, 0, 0}, six), v6)
		add("LOOP IPv6", capture.LinkLoop, slices.Concat([]byte{0, 0, 0, family}, six), v6)
	}
	snap := slices.Concat([]byte{0xaa, 0xaa, 3, 0, 0, 0, 8, 0}, four)
	station := func(first, second byte, n int) []byte { // a frame of IEEE 802.11 with a header of n bytes
		return slices.Concat([]byte{first, second}, make([]byte, n-2), snap)
	}
	add("Cisco HDLC", capture.LinkCHDLC, slices.Concat([]byte{0x0f, 0, 8, 0}, four), v4)
	add("802.11", capture.LinkIEEE, station(0x08, 1, 24), v4)
	add("802.11 between access points", capture.LinkIEEE, station(0x08, 3, 30), v4)
	add("802.11 QoS, HT control", capture.LinkIEEE, station(0x88, 0x82, 30), v4)
	add("radiotap", capture.LinkRadiotap, slices.Concat([]byte{0, 0, 11, 0}, make([]byte, 7), station(0x88, 1, 26)), v4)
	add("PFLOG", capture.LinkPFLog, slices.Concat([]byte{61, 24}, make([]byte, 62), six), v6)
	prefix := []byte{8, 0, 1, 0, 8, 0, 0, 0, 5, 0, 10, 0, 'x', 0, 0, 0}
	add("NFLOG", capture.LinkNFLog, slices.Concat([]byte{2, 0, 0, 5}, prefix, []byte{byte(4 + len(four)), 0, 9, 0}, four), v4)
	add("NFLOG big-endian", capture.LinkNFLog, slices.Concat([]byte{10, 0, 0, 5}, []byte{0, 8, 0, 1, 8, 0, 0, 0, 0, byte(4 + len(six)), 0, 9}, six), v6)
	add("PKTAP", capture.LinkPktap, slices.Concat([]byte{108, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, make([]byte, 96), ethernet(typeIPv4, four)), v4)
	add("PPP", capture.LinkPPP, slices.Concat([]byte{0x00, 0x21}, four), v4)
	add("PPP compressed protocol", capture.LinkPPP, slices.Concat([]byte{0x21}, four), v4)
	add("PPP HDLC", capture.LinkPPPHDLC, slices.Concat([]byte{0xff, 3, 0x00, 0x57}, six), v6)
	add("PPP HDLC compressed protocol", capture.LinkPPPHDLC, slices.Concat([]byte{0xff, 3, 0x57}, six), v6)
	add("PPP MPLS", capture.LinkPPP, slices.Concat([]byte{0x02, 0x81, 0, 1, 1, 64}, four), v4)

	ppp := slices.Concat([]byte{0x00, 0x21}, four)
	session := slices.Concat(be16([]byte{0x11, 0, 0, 9}, uint16(len(ppp))), ppp)
	add("PPPoE link type", capture.LinkPPPoE, session, v4)
	add("PPPoE", capture.LinkEthernet, ethernet(0x8864, session), v4)

	tag := func(t uint16, inner []byte) []byte { return append(be16([]byte{0x20, 5}, t), inner...) }
	add("802.1Q", capture.LinkEthernet, ethernet(0x8100, tag(typeIPv4, four)), v4)
	add("802.1Q IPv6", capture.LinkEthernet, ethernet(0x8100, tag(typeIPv6, six)), v6)
	add("QinQ", capture.LinkEthernet, ethernet(0x88a8, tag(0x8100, tag(typeIPv4, four))), v4)
	add("QinQ of old", capture.LinkEthernet, ethernet(0x9100, tag(0x9100, tag(0x8100, tag(typeIPv6, six)))), v6)
	add("802.1Q SNAP", capture.LinkEthernet, ethernet(0x8100, tag(uint16(8+len(four)), slices.Concat([]byte{0xaa, 0xaa, 3, 0, 0, 0, 8, 0}, four))), v4)
	add("802.1Q PPPoE", capture.LinkEthernet, ethernet(0x8100, tag(0x8864, session)), v4)
	add("MPLS", capture.LinkEthernet, ethernet(0x8847, slices.Concat([]byte{0, 1, 0, 64, 0, 2, 1, 64}, four)), v4)
	add("MPLS IPv6", capture.LinkEthernet, ethernet(0x8848, slices.Concat([]byte{0, 2, 1, 64}, six)), v6)
	addIPShapes(add, tcp)
	addTunnelShapes(t, add, tcp)
	return all
}

type adder func(name string, link capture.LinkType, data []byte, s shape)

func addIPShapes(add adder, tcp []byte) {
	v6 := shape{src: addr6a, dst: addr6b}
	record := []byte{7, 7, 4, 10, 0, 0, 1, 0} // record route, end of list
	add("IPv4 options", capture.LinkEthernet, ethernet(typeIPv4, ip4Options(protoTCP, record, tcp)), shape{})
	add("IPv4 options of 40 bytes", capture.LinkRaw, ip4Options(protoTCP, slices.Repeat([]byte{1}, 40), tcp), shape{})
	ah := slices.Concat([]byte{protoTCP, 4, 0, 0}, make([]byte, 20)) // (4 + 2) * 4 bytes
	add("IPv4 AH", capture.LinkRaw, ip4(protoAH, slices.Concat(ah, tcp)), shape{})
	add("IPv6 AH", capture.LinkRaw, ip6(protoAH, slices.Concat(ah, tcp)), v6)

	// options returns an extension header of 16 bytes filled by a PadN.
	options := func(next byte) []byte { return slices.Concat([]byte{next, 1, 1, 12}, make([]byte, 12)) }
	add("IPv6 hop-by-hop", capture.LinkEthernet, ethernet(typeIPv6, ip6(0, slices.Concat(options(protoTCP), tcp))), v6)
	add("IPv6 destination", capture.LinkRaw, ip6(60, slices.Concat(options(protoTCP), tcp)), v6)
	add("IPv6 all headers", capture.LinkRaw,
		ip6(0, slices.Concat(options(60), options(43), routing(44, 4, 0, addr6a), []byte{protoAH, 0, 0, 0, 0, 0, 0, 1}, withNext(ah, 60), options(protoTCP), tcp)), v6)
	add("IPv6 atomic fragment", capture.LinkRaw, ip6(44, slices.Concat([]byte{protoTCP, 0, 0, 0, 0, 0, 0, 1}, tcp)), v6)

	way1, way2 := netip.MustParseAddr("fd00::a"), netip.MustParseAddr("fd00::b")
	add("IPv6 source route under way", capture.LinkRaw, ip6(43, slices.Concat(routing(protoTCP, 0, 1, way1, way2), tcp)), shape{src: addr6a, dst: way2})
	add("IPv6 segment route under way", capture.LinkRaw, ip6(43, slices.Concat(routing(protoTCP, 4, 1, way1, way2), tcp)), shape{src: addr6a, dst: way1})
	add("IPv6 segment route at its end", capture.LinkRaw, ip6(43, slices.Concat(routing(protoTCP, 4, 0, way1, way2), tcp)), v6)

	tso := ip4(protoTCP, tcp)
	tso[2], tso[3] = 0, 0
	add("IPv4 length 0", capture.LinkEthernet, ethernet(typeIPv4, tso), shape{})
	big := ip6(protoTCP, tcp)
	big[4], big[5] = 0, 0
	add("IPv6 length 0", capture.LinkSLL2, sll2(4, 2, hardwareEthernet, typeIPv6, big), shape{src: addr6a, dst: addr6b, have: packet.Outgoing})
	bigOptions := ip6(0, slices.Concat(options(protoTCP), tcp))
	bigOptions[4], bigOptions[5] = 0, 0
	add("IPv6 length 0 behind other options", capture.LinkRaw, bigOptions, v6)
}

// routing returns a routing header (RFC 8200, Section 4.4).
func routing(next, kind, left byte, addresses ...netip.Addr) []byte {
	b := []byte{next, byte(2 * len(addresses)), kind, left, 0, 0, 0, 0}
	for _, a := range addresses {
		b = append(b, a.AsSlice()...)
	}
	return b
}

func withNext(header []byte, next byte) []byte {
	header = slices.Clone(header)
	header[0] = next
	return header
}

// udp returns a UDP datagram (RFC 768).
func udp(dst uint16, payload []byte) []byte {
	b := be16(be16(nil, 55555), dst)
	b = be16(be16(b, uint16(8+len(payload))), 0)
	return append(b, payload...)
}

func addTunnelShapes(t testing.TB, add adder, tcp []byte) {
	four, six := ip4(protoTCP, tcp), ip6(protoTCP, tcp)
	v4, v6 := shape{decap: true}, shape{src: addr6a, dst: addr6b, decap: true}
	add("4 in 4", capture.LinkEthernet, ethernet(typeIPv4, ip4(protoIPv4, four)), v4)
	add("6 in 4", capture.LinkEthernet, ethernet(typeIPv4, ip4(protoIPv6, six)), v6)
	add("4 in 6", capture.LinkEthernet, ethernet(typeIPv6, ip6(protoIPv4, four)), v4)
	add("6 in 6", capture.LinkEthernet, ethernet(typeIPv6, ip6(protoIPv6, six)), v6)

	payload := func(b []byte) gopacket.Payload { return gopacket.Payload(b) }
	gre := func(g layers.GRE, inner []byte) []byte { return serialized(t, &g, payload(inner)) }
	add("GRE", capture.LinkRaw, ip4(protoGRE, gre(layers.GRE{Protocol: typeIPv4}, four)), v4)
	add("GRE key", capture.LinkRaw, ip6(protoGRE, gre(layers.GRE{Protocol: typeIPv6, KeyPresent: true, Key: 5}, six)), v6)
	add("GRE key, sequence, checksum", capture.LinkRaw,
		ip4(protoGRE, gre(layers.GRE{Protocol: typeIPv4, KeyPresent: true, SeqPresent: true, ChecksumPresent: true}, four)), v4)
	add("GRE bridging", capture.LinkRaw, ip4(protoGRE, gre(layers.GRE{Protocol: 0x6558}, ethernet(typeIPv6, six))), v6)
	add("GRE MPLS", capture.LinkRaw, ip4(protoGRE, gre(layers.GRE{Protocol: 0x8847}, slices.Concat([]byte{0, 2, 1, 64}, four))), v4)
	add("GRE PPTP", capture.LinkRaw,
		ip4(protoGRE, gre(layers.GRE{Protocol: 0x880b, Version: 1, KeyPresent: true, SeqPresent: true, AckPresent: true}, slices.Concat([]byte{0xff, 3, 0, 0x21}, four))), v4)

	vxlan := serialized(t, &layers.VXLAN{ValidIDFlag: true, VNI: 77}, payload(ethernet(typeIPv4, four)))
	add("VXLAN", capture.LinkEthernet, ethernet(typeIPv4, ip4(protoUDP, udp(4789, vxlan))), v4)
	add("VXLAN of Linux over IPv6", capture.LinkRaw, ip6(protoUDP, udp(8472, vxlan)), v4)
	geneve := serialized(t, &layers.Geneve{Protocol: 0x6558, VNI: 77}, payload(ethernet(typeIPv6, six)))
	add("Geneve", capture.LinkRaw, ip4(protoUDP, udp(6081, geneve)), v6)
	option := &layers.GeneveOption{Class: 0x102, Type: 1, Data: make([]byte, 12)}
	geneve = serialized(t, &layers.Geneve{Protocol: typeIPv4, Options: []*layers.GeneveOption{option, option}}, payload(four))
	add("Geneve options", capture.LinkRaw, ip4(protoUDP, udp(6081, geneve)), v4)

	add("VXLAN-GPE", capture.LinkRaw, ip4(protoUDP, udp(4790, slices.Concat([]byte{0x0c, 0, 0, 2, 0, 0, 5, 0}, six))), v6)
	add("VXLAN-GPE without a protocol", capture.LinkRaw, ip4(protoUDP, udp(4790, vxlan)), v4)
	nsh := func(protocol byte, inner []byte) []byte { // type 2: no metadata
		return slices.Concat([]byte{0x0f, 0xc2, 2, protocol, 0, 0, 1, 255}, inner)
	}
	add("NSH", capture.LinkEthernet, ethernet(0x894f, nsh(1, four)), v4)
	add("NSH in VXLAN-GPE", capture.LinkRaw, ip4(protoUDP, udp(4790, slices.Concat([]byte{0x0c, 0, 0, 4, 0, 0, 5, 0}, nsh(3, ethernet(typeIPv6, six))))), v6)
	add("EtherIP", capture.LinkRaw, ip4(97, slices.Concat([]byte{0x30, 0}, ethernet(typeIPv4, four))), v4)
	add("ERSPAN I", capture.LinkRaw, ip4(protoGRE, gre(layers.GRE{Protocol: 0x88be}, ethernet(typeIPv4, four))), v4)
	add("ERSPAN II", capture.LinkRaw, ip4(protoGRE, gre(layers.GRE{Protocol: 0x88be, SeqPresent: true}, slices.Concat(make([]byte, 8), ethernet(typeIPv6, six)))), v6)
	add("L2TP", capture.LinkRaw, ip4(protoUDP, udp(1701, slices.Concat([]byte{0, 2, 0, 1, 0, 1, 0xff, 3, 0, 0x21}, four))), v4)
	add("L2TP with all fields", capture.LinkRaw, ip4(protoUDP, udp(1701, slices.Concat([]byte{0x4a, 2, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 3, 7, 7, 7, 0x57}, six))), v6)
	add("MPLS pseudowire", capture.LinkEthernet, ethernet(0x8847, slices.Concat([]byte{0, 2, 1, 64, 0, 0, 0, 0}, ethernet(typeIPv4, four))), v4)

	gtp := func(g layers.GTPv1U, inner []byte) []byte {
		g.Version, g.MessageType = 1, 255
		return serialized(t, &g, payload(inner))
	}
	add("GTP-U", capture.LinkRaw, ip4(protoUDP, udp(2152, gtp(layers.GTPv1U{TEID: 9}, four))), v4)
	add("GTP-U sequence", capture.LinkRaw, ip4(protoUDP, udp(2152, gtp(layers.GTPv1U{SequenceNumberFlag: true}, six))), v6)
	extensions := []layers.GTPExtensionHeader{{Type: 0x85, Content: make([]byte, 2)}, {Type: 0xc0, Content: make([]byte, 6)}}
	add("GTP-U extensions", capture.LinkRaw, ip4(protoUDP, udp(2152, gtp(layers.GTPv1U{GTPExtensionHeaders: extensions}, four))), v4)

	deep := four
	for range maxTunnels {
		deep = ip4(protoIPv4, deep)
	}
	add("as many tunnels as are opened", capture.LinkRaw, deep, v4)
	add("VXLAN in GRE", capture.LinkRaw, ip6(protoGRE, gre(layers.GRE{Protocol: typeIPv4}, ip4(protoUDP, udp(4789, vxlan)))), v4)
}

// The first bytes of a packet may be all that was captured. Wherever it is cut, the length on the
// wire must be right as soon as there is a segment, and a segment needs only its 20 bytes of
// fixed header.
func TestCutAtEveryByte(t *testing.T) {
	for _, s := range shapes(t) {
		t.Run(s.name, func(t *testing.T) {
			d := New(Options{Decap: s.decap})
			for n := range len(s.data) {
				r := raw(s.link, s.data)
				r.Data = s.data[:n:n]
				var seg packet.Segment
				o := d.Decode(r, &seg)
				switch {
				case n < s.tcp+20 && o != Cut:
					t.Fatalf("%d bytes: %v, want cut", n, o)
				case n < s.tcp+20 && o == TCP:
					t.Fatalf("%d bytes: a segment without its header", n)
				case n >= s.tcp+20 && o != TCP:
					t.Fatalf("%d bytes: %v, want tcp", n, o)
				case o != TCP:
					continue
				}
				assert.Assert(t, seg.PayloadLen == shapePayload, "%d bytes: payload of %d bytes on the wire, want %d", n, seg.PayloadLen, shapePayload)
				if got, want := len(d.Payload(&seg)), max(0, n-s.tcp-tcpHeader); got != want {
					t.Fatalf("%d bytes: %d of payload captured, want %d", n, got, want)
				}
				if got, want := seg.Have&packet.OptionsCut != 0, n < s.tcp+tcpHeader; got != want {
					t.Fatalf("%d bytes: options cut: %v, want %v", n, got, want)
				}
			}
		})
	}
}

// A packet that ends early on the wire is damaged, not cut: nothing may be
// read beyond its end and no segment may come out without its header.
func TestShortOnTheWire(t *testing.T) {
	for _, s := range shapes(t) {
		d := New(Options{Decap: s.decap})
		for n := range s.tcp + 20 {
			var seg packet.Segment
			if o := d.Decode(raw(s.link, s.data[:n:n]), &seg); o == TCP || o == Duplicate {
				t.Errorf("%s: %d bytes on the wire: %v", s.name, n, o)
			}
		}
	}
}

// Super-segments exceed what the length field can hold.
func TestSuperSegments(t *testing.T) {
	const payload = 150_000
	four := ip4(protoTCP, tcpSegment(payload))
	four[2], four[3] = 0, 0
	six := ip6(protoTCP, tcpSegment(payload))
	six[4], six[5] = 0, 0
	const hopByHop = 8
	length := uint32(hopByHop + tcpHeader + payload)
	option := binary.BigEndian.AppendUint32([]byte{protoTCP, 0, 0xc2, 4}, length)
	jumbo := ip6(0, slices.Concat(option, tcpSegment(payload)))
	jumbo[4], jumbo[5] = 0, 0

	for _, test := range []struct {
		name     string
		data     []byte
		src, dst netip.Addr
	}{
		{"IPv4", ethernet(typeIPv4, four), addr4a, addr4b},
		{"IPv6", ethernet(typeIPv6, six), addr6a, addr6b},
		{"IPv6 jumbo payload", ethernet(typeIPv6, jumbo), addr6a, addr6b},
		{"IPv6 jumbo payload and a trailer", slices.Concat(ethernet(typeIPv6, jumbo), make([]byte, 4)), addr6a, addr6b},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := New(Options{})
			r := raw(capture.LinkEthernet, test.data)
			check(t, d, r, wantSegment(r, test.src, test.dst, payload), payload)
			r.Data = r.Data[:128]
			var seg packet.Segment
			if o := d.Decode(r, &seg); o != TCP || seg.PayloadLen != payload {
				t.Errorf("cut to 128 bytes: %v with %d bytes of payload, want tcp with %d", o, seg.PayloadLen, payload)
			}
		})
	}
}
