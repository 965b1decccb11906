package decode

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/gopacket/gopacket/layers"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

// TestLimits: the limits have these values. Other tests show what happens at each, by its name.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want int64
	}{
		{"wait for fragments (ipfrag_time of Linux)", fragmentTimeout, 30e9},
		{"memory of fragments (ipfrag_high_thresh of Linux)", fragmentMemory, 4 << 20},
		{"datagrams", maxDatagrams, 256},
		{"bytes of a fragment besides its payload", fragmentOverhead, 512},
		{"largest datagram (RFC 791, Section 3.2)", maxDatagramLen, 65_535},
		{"tunnels", maxTunnels, 8},
		{"packets that are remembered", dupSets * dupWays, 16_384},
		{"packets after which one interface suffices", dupWarmup, 16_384},
		{"least EtherType (IEEE 802.3, Section 3.2.6)", int64(minEtherType), 1536},
	} {
		assert.Check(t, c.got == c.want, "%s: %d, want %d", c.name, c.got, c.want)
	}
}

// TestCongestionExperienced: CE is the codepoint 3 of the last two bits of the type of service, which
// are bits 10 and 11 of an IPv6 header (RFC 3168, Section 5). The flow label beside them does not matter.
func TestCongestionExperienced(t *testing.T) {
	for class := range 256 {
		four, six := ip4(protoTCP, tcpSegment(1)), ip6(protoTCP, tcpSegment(1))
		four[1] = byte(class)
		six[0], six[1] = 0x60|byte(class>>4), byte(class<<4)|byte(^class&0xf)
		for _, r := range []*capture.Raw{raw(capture.LinkRaw, four), raw(capture.LinkRaw, six), inBuffer(raw(capture.LinkEthernet, ethernet(typeIPv4, four)))} {
			var seg packet.Segment
			if o := New(Options{}).Decode(r, &seg); o != TCP || seg.CE != (class%4 == 3) {
				t.Fatalf("class %#x over %v, IPv6 %v: %v, CE %v", class, r.Link, seg.IPv6, o, seg.CE)
			}
		}
	}
}

// TestLengthsAgainstFrame: the length of the IP header counts. Beyond the frame it is an anomaly, and 0
// is the length of the frame.
func TestLengthsAgainstFrame(t *testing.T) {
	const payload, trailer = 50, 9
	four, six := ip4(protoTCP, tcpSegment(payload)), ip6(protoTCP, tcpSegment(payload))
	for _, c := range []struct {
		name         string
		by           int // the length is so much more than that of the frame; zero: the field is 0
		zero         bool
		beyond, from uint64
	}{
		{"a trailer behind it", -trailer, false, 0, 0},
		{"the frame's", 0, false, 0, 0},
		{"beyond the frame", 1, false, 1, 0},
		{"none", 0, true, 0, 1},
	} {
		for at, packetOf := range map[int][]byte{2: four, 4: six} {
			data, length := slices.Clone(packetOf), len(packetOf)+c.by
			if at == 4 {
				length -= ip6HeaderLen
			}
			if c.zero {
				length = 0
			}
			binary.BigEndian.PutUint16(data[at:], uint16(length))
			for _, r := range []*capture.Raw{raw(capture.LinkRaw, data), inBuffer(raw(capture.LinkEthernet, ethernet(map[int]uint16{2: typeIPv4, 4: typeIPv6}[at], data)))} {
				d := New(Options{})
				var seg packet.Segment
				o := d.Decode(r, &seg)
				beyond, from := d.Counts().Anomaly(LengthBeyondFrame), d.Counts().Anomaly(LengthFromFrame)
				if o != TCP || seg.PayloadLen != uint32(payload+c.by) || beyond.Count != c.beyond || from.Count != c.from || beyond.First+from.First != 7*(c.beyond+c.from) {
					t.Errorf("%s, IPv6 %v: %v, %d bytes of payload, beyond the frame %v, of the frame %v", c.name, seg.IPv6, o, seg.PayloadLen, beyond, from)
				}
			}
		}
	}
}

// TestJumboLength: the length of a jumbogram (RFC 2675, Section 2) is that of its option, from its header
// on to the end of the frame.
func TestJumboLength(t *testing.T) {
	const header, wire = 16, 500
	for _, c := range []struct {
		kind, size byte
		length     uint32
		want       int
		outcome    Outcome
	}{
		{0xc2, 4, wire, wire, TCP},
		{0xc2, 4, wire + 1, 0, Malformed},
		{0xc2, 4, header, header, TCP},
		{0xc2, 4, header - 1, 0, Malformed},
		{0xc3, 4, 100, wire, TCP},     // another option
		{0xc2, 5, 100, wire, TCP},     // another form
		{0xc2, 12, 100, 0, Malformed}, // one byte more than the header has
	} {
		data := make([]byte, wire)
		data[1], data[2], data[3], data[4] = 1, 0, c.kind, c.size // one byte of padding in front of it
		binary.BigEndian.PutUint32(data[5:], c.length)
		if got, o := jumboLength(newSpan(data, wire)); got != c.want || o != c.outcome {
			t.Errorf("%+v: %d, %v", c, got, o)
		}
	}
}

// TestMayHoldTCP: of which protocols fragments are kept.
func TestMayHoldTCP(t *testing.T) {
	want := map[layers.IPProtocol][2]bool{
		protoTCP: {true, true}, protoAH: {true, true}, layers.IPProtocolIPv6Destination: {true, true}, layers.IPProtocolIPv6Routing: {true, true},
		protoIPv4: {false, true}, protoIPv6: {false, true}, protoGRE: {false, true}, protoUDP: {false, true},
	}
	for p := range layers.IPProtocol(255) {
		for i, d := range []*Decoder{New(Options{}), New(Options{Decap: true})} {
			if got := d.mayHoldTCP(p); got != want[p][i] {
				t.Errorf("protocol %d, tunnels opened %v: %v", p, i == 1, got)
			}
		}
	}
}

// TestFragmentsOfTwoPlaces: a datagram that is seen at two interfaces is put together from the
// fragments of each. So are two datagrams that differ by identification, protocol or address.
func TestFragmentsOfTwoPlaces(t *testing.T) {
	for _, f := range families {
		for _, second := range []struct {
			name   string
			change func(r *capture.Raw)
			four   bool // only of IPv4
		}{
			{"another interface", func(r *capture.Raw) { r.Iface++ }, false},
			{"another source", func(r *capture.Raw) { r.Data[map[byte]int{4: 15, 6: 23}[r.Data[0]>>4]]++ }, false},
			{"another destination", func(r *capture.Raw) { r.Data[map[byte]int{4: 19, 6: 39}[r.Data[0]>>4]]++ }, false},
			{"another identification", func(r *capture.Raw) { r.Data[map[byte]int{4: 5, 6: 47}[r.Data[0]>>4]]++ }, false},
			{"another protocol", func(r *capture.Raw) { r.Data[9] = protoAH }, true},
		} {
			if second.four && f.name != "IPv4" {
				continue
			}
			d, fragment := New(Options{KeepDuplicates: true}), f.fragmenter(identification)
			var seg packet.Segment
			first, last := piece{0, 800}, piece{800, fragmentedLen}
			for i, p := range []piece{first, last} {
				r := raw(capture.LinkRaw, fragment(p))
				if i == 1 {
					second.change(r)
				}
				if o := d.Decode(r, &seg); o != Fragment {
					t.Errorf("%s, %s: piece %d is %v", f.name, second.name, i, o)
				}
			}
			r := raw(capture.LinkRaw, fragment(last))
			check(t, d, r, f.want(r), fragmentedPayload)
			if d.Finish(); d.Counts().Anomaly(DatagramIncomplete).Count != 1 {
				t.Errorf("%s, %s: %d datagrams are incomplete, want the other one", f.name, second.name, d.Counts().Anomaly(DatagramIncomplete).Count)
			}
		}
	}
}

// TestLargestDatagram: a fragment may end at the end of the largest datagram, not behind it. The header
// counts in IPv4.
func TestLargestDatagram(t *testing.T) {
	for _, c := range []struct {
		data []byte
		want Outcome
	}{
		{fragments4(1, protoTCP, make([]byte, 65_515))(piece{65_512, 65_515}), Fragment},
		{fragments4(1, protoTCP, make([]byte, 65_516))(piece{65_512, 65_516}), Malformed},
		{fragments6(1, protoTCP, make([]byte, 65_535))(piece{65_528, 65_535}), Fragment},
		{fragments6(1, protoTCP, make([]byte, 65_536))(piece{65_528, 65_536}), Malformed},
	} {
		var seg packet.Segment
		d := New(Options{})
		if o := d.Decode(raw(capture.LinkRaw, c.data), &seg); o != c.want || (d.Counts().Anomaly(FragmentsContradict).Count == 1) != (c.want == Malformed) {
			t.Errorf("% x: %v, want %v", c.data[:min(48, len(c.data))], o, c.want)
		}
	}
}

// TestCookedTypes: fields of a cooked header that are no EtherType, and the direction that it tells.
func TestCookedTypes(t *testing.T) {
	for _, hardware := range []uint16{770, 801, 802, 803, 824} {
		if got := (cookedHeader{hardware: hardware, protocol: typeIPv4}).etherType(); got != 0 {
			t.Errorf("hardware %d: %#x", hardware, got)
		}
		if got := (cookedHeader{hardware: hardware - 50, protocol: typeIPv4}).etherType(); got != typeIPv4 {
			t.Errorf("hardware %d: %#x", hardware-50, got)
		}
	}
	for protocol, want := range map[layers.EthernetType]layers.EthernetType{0x5ff: 0, 0x600: 0x600} {
		if got := (cookedHeader{protocol: protocol}).etherType(); got != want {
			t.Errorf("protocol %#x: %#x", protocol, got)
		}
	}
	for kind, want := range []packet.Present{packet.Incoming, packet.Incoming, packet.Incoming, 0, packet.Outgoing, 0} {
		p := newCapturePoint(0xffff).cookedAs(cookedHeader{packetType: uint8(kind), ifindex: 0xffff_ffff})
		if p.direction() != want || newCapturePoint(0xffff).direction() != 0 {
			t.Errorf("type %d: %b", kind, p.direction())
		}
	}
}

// TestTimeToLive: it stands in the IP header behind a header with a protocol, if all of that was captured.
func TestTimeToLive(t *testing.T) {
	four, six := ip4(protoTCP, nil), ip6(protoTCP, nil)
	four[8], six[7] = 44, 66
	for _, c := range []struct {
		link capture.LinkType
		data []byte
		want uint8
	}{
		{capture.LinkEthernet, ethernet(typeIPv4, four), 44},
		{capture.LinkEthernet, ethernet(typeIPv6, six), 66},
		{capture.LinkSLL, sll(0, 1, typeIPv4, four), 44},
		{capture.LinkSLL2, sll2(0, 1, 1, typeIPv6, six), 66},
		{capture.LinkEthernet, ethernet(typeIPv4, four)[:33], 0},
		{capture.LinkEthernet, ethernet(0x8100, four), 0},
		{capture.LinkRaw, four, 0},
	} {
		if got := timeToLive(raw(c.link, c.data)); got != c.want {
			t.Errorf("%v, %d bytes: %d, want %d", c.link, len(c.data), got, c.want)
		}
	}
}

// TestTwoPlaces: copies are from two places if at least 8 come half a millisecond later or more, an
// eighth of all packets; if fewer than a tenth comes sooner; and if their delays differ by more than
// 200 us, or another place or time to live shows it.
func TestTwoPlaces(t *testing.T) {
	const us = int64(time.Microsecond)
	for _, c := range []struct {
		name      string
		far, near int
		delay     int64 // of the far copies
		spread    int64 // of their delays
		apart     bool
		packets   uint64
		want      bool
	}{
		{"two places", 8, 0, 500 * us, 0, true, 64, true},
		{"seven copies", 7, 0, 500 * us, 0, true, 14, false},
		{"sooner", 8, 0, 500*us - 1, 0, true, 64, false},
		{"fewer than an eighth", 8, 0, 500 * us, 0, true, 65, false},
		{"one in ten is near", 9, 1, 500 * us, 0, true, 20, false},
		{"fewer are near", 10, 1, 500 * us, 0, true, 22, true},
		{"the same place, equal delays", 8, 0, 500 * us, 200 * us, false, 64, false},
		{"the same place, other delays", 8, 0, 500 * us, 200*us + 1, false, 64, true},
	} {
		d := New(Options{})
		for i := range c.far {
			d.dups.delays.add(c.delay+c.spread*int64(i%2), c.apart && i == 3)
		}
		for range c.near {
			d.dups.delays.add(500*us-1, true)
		}
		d.counts.outcomes[TCP].Count, d.counts.outcomes[Duplicate].Count = c.packets-3, 3
		least, got := d.TwoPlaces()
		assert.Check(t, got == c.want && (!c.want || least == c.delay), "%s: %v, least delay %d", c.name, got, least)
		longest := int64(0)
		if c.far >= 8 && c.delay >= 500*us {
			longest = c.delay + c.spread
		}
		if got := d.dups.delays.longest(); got != longest {
			t.Errorf("%s: longest delay %d, want %d", c.name, got, longest)
		}
	}
}

// TestCopiesAtOnePlace: within the window, the second of equal packets at a place is a copy of the first,
// the third is a packet again. Bare packets have a shorter window, unless other copies come later.
func TestCopiesAtOnePlace(t *testing.T) {
	at := newCapturePoint(0)
	for _, c := range []struct {
		name   string
		bare   bool
		others int64 // delay of nine other copies
		after  int64
		copied bool
	}{
		{"at the end of the window", false, 0, int64(time.Second), true},
		{"behind it", false, 0, int64(time.Second) + 1, false},
		{"bare", true, 0, int64(time.Millisecond), true},
		{"bare, later", true, 0, int64(time.Millisecond) + 1, false},
		{"bare, others as late", true, 5e6, 5e6, true},
		{"bare, others sooner", true, 5e6, 5e6 + 1, false},
		{"bare, others sooner than that", true, 6e5, 1e6, true},
	} {
		var f dupFilter
		if c.others > 0 {
			for range 9 {
				f.delays.add(c.others, false)
			}
		}
		s := packet.Segment{Time: int64(time.Hour), IPID: 5}
		if c.bare {
			s.IPID = 0
		}
		before := f.delays
		for i, want := range []bool{false, c.copied, false} {
			s.Have, s.ClockSet = 0, 0
			if f.isDuplicate(&s, at, uint8(60+i)) || (s.Have == packet.SeenTwice) != want || want && s.ClockSet != c.after {
				t.Errorf("%s, packet %d: marked %v, %d later", c.name, i, s.Have, s.ClockSet)
			}
			s.Time += c.after
		}
		if counted := f.delays.far+f.delays.near > before.far+before.near; counted != (c.copied && !c.bare) || counted && !f.delays.apart {
			t.Errorf("%s: delays %+v", c.name, f.delays)
		}
	}
}

// TestWarmup: a place that shows one copy in 64 packets or fewer is not looked at any more after the first
// packets. One that shows more is, and so is a cooked one.
func TestWarmup(t *testing.T) {
	for copies, want := range map[int]bool{16_384 / 64: false, 16_384/64 + 1: true} {
		var f dupFilter
		at := newCapturePoint(3)
		for range 16_384 {
			assert.Assert(t, f.active(at), "inactive after %d packets", f.examined)
		}
		f.copies = copies
		if got := f.active(at); got != want || f.active(at) != want || !f.active(at|cooked) || !f.active(newCapturePoint(4)) || !f.active(at) {
			t.Errorf("%d copies: active %v", copies, got)
		}
	}
	d := New(Options{})
	assert.Check(t, d.DetectsDuplicates(), "a new decoder does not look for duplicates")
	if d.dups.onlyPoint = newCapturePoint(3); d.DetectsDuplicates() {
		t.Error("the only place is looked at for duplicates")
	}
}
