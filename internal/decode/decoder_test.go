package decode

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

type outcomeCase struct {
	name  string
	link  capture.LinkType
	data  []byte
	decap bool
	want  Outcome
}

// outcomeCases are packets without a segment, or with one that cannot be reached.
func outcomeCases() []outcomeCase {
	tcp := tcpSegment(100)
	edit := func(b []byte, at int, v byte) []byte {
		b = slices.Clone(b)
		b[at] = v
		return b
	}
	four, six := ip4(protoTCP, tcp), ip6(protoTCP, tcp)
	tooDeep := four
	for range maxTunnels + 1 {
		tooDeep = ip4(protoIPv4, tooDeep)
	}
	jumbo := ip6(0, slices.Concat([]byte{protoTCP, 0, 0xc2, 4, 0, 1, 0, 0}, tcp)) // of 65,536 bytes
	jumbo[4] = 0
	vxlan := udp(4789, make([]byte, 1000))
	return []outcomeCase{
		{"ARP", capture.LinkEthernet, ethernet(0x0806, make([]byte, 46)), false, NotIP},
		{"802.3 spanning tree", capture.LinkEthernet, ethernet(38, slices.Concat([]byte{0x42, 0x42, 3}, make([]byte, 43))), false, NotIP},
		{"802.3 empty", capture.LinkEthernet, ethernet(0, make([]byte, 46)), false, NotIP},
		{"MPLS pseudowire", capture.LinkEthernet, ethernet(0x8847, []byte{0, 1, 1, 64, 0, 0, 0, 0}), false, NotIP},
		{"PPP LCP", capture.LinkPPP, []byte{0xc0, 0x21, 1, 1, 0, 4}, false, NotIP},
		{"netlink", capture.LinkSLL, sll(4, 824, typeIPv4, four), false, NotIP},
		{"radiotap", capture.LinkSLL2, sll2(0, 1, hardwareRadiotap, typeIPv4, four), false, NotIP},
		{"cooked CAN", capture.LinkSLL2, sll2(0, 1, 280, 0x000c, four), false, NotIP},
		{"AppleTalk over NULL", capture.LinkNull, slices.Concat([]byte{16, 0, 0, 0}, four), false, NotIP},
		{"raw version 5", capture.LinkRaw, edit(four, 0, 0x55), false, NotIP},
		{"unknown link type", 147, four, false, NotIP},

		{"UDP", capture.LinkRaw, ip4(protoUDP, udp(53, []byte("query"))), false, NotTCP},
		{"ICMPv6", capture.LinkRaw, ip6(58, make([]byte, 8)), false, NotTCP},
		{"no next header", capture.LinkRaw, ip6(59, nil), false, NotTCP},
		{"ESP", capture.LinkRaw, ip4(50, make([]byte, 40)), true, NotTCP},
		{"tunnel without decap", capture.LinkRaw, ip4(protoIPv4, four), false, NotTCP},
		{"tunnel too deep", capture.LinkRaw, tooDeep, true, NotTCP},
		{"ARP in GRE", capture.LinkRaw, ip4(protoGRE, slices.Concat([]byte{0, 0, 8, 6}, make([]byte, 28))), true, NotTCP},
		{"VXLAN port, no VXLAN", capture.LinkRaw, ip4(protoUDP, udp(4789, make([]byte, 60))), true, NotTCP},
		{"Geneve version 1", capture.LinkRaw, ip4(protoUDP, udp(6081, slices.Concat([]byte{0x40, 0, 8, 0, 0, 0, 0, 0}, four))), true, NotTCP},
		{"Geneve control", capture.LinkRaw, ip4(protoUDP, udp(6081, slices.Concat([]byte{0, 0x80, 8, 0, 0, 0, 0, 0}, four))), true, NotTCP},
		{"GTP echo request", capture.LinkRaw, ip4(protoUDP, udp(2152, []byte{0x30, 1, 0, 0, 0, 0, 0, 0})), true, NotTCP},
		{"GTP with PPP", capture.LinkRaw, ip4(protoUDP, udp(2152, []byte{0x30, 255, 0, 4, 0, 0, 0, 0, 0xff, 3, 0, 0x21})), true, NotTCP},
		{"fragment of UDP, IPv4", capture.LinkRaw, fragments4(1, protoUDP, vxlan)(piece{0, 800}), false, NotTCP},
		{"fragment of UDP, IPv6", capture.LinkRaw, fragments6(1, protoUDP, vxlan)(piece{0, 800}), false, NotTCP},
		{"UDP to another port", capture.LinkRaw, ip4(protoUDP, udp(53, four)), true, NotTCP},

		{"Ethernet runt", capture.LinkEthernet, make([]byte, 13), false, Malformed},
		{"VLAN tag cut off", capture.LinkEthernet, ethernet(0x8100, []byte{0, 1}), false, Malformed},
		{"loopback family beyond 255", capture.LinkNull, slices.Concat([]byte{0, 0, 1, 2}, four), false, Malformed},
		{"PPPoE version 2", capture.LinkPPPoE, slices.Concat([]byte{0x21, 0, 0, 9, 0, 100}, four), false, Malformed},
		{"IPv4 version 6", capture.LinkIPv4, six, false, Malformed},
		{"IPv6 version 4", capture.LinkIPv6, four, false, Malformed},
		{"IPv4 header of 16 bytes", capture.LinkIPv4, edit(four, 0, 0x44), false, Malformed},
		{"IPv4 length below its header", capture.LinkIPv4, edit(edit(four, 2, 0), 3, 19), false, Malformed},
		{"IPv4 option of length 1", capture.LinkIPv4, ip4Options(protoTCP, []byte{7, 1, 0, 0}, tcp), false, Malformed},
		{"TCP header beyond the IP length", capture.LinkIPv4, edit(edit(four, 2, 0), 3, 20+31), false, Malformed},
		{"IPv4 length leaves 19 bytes for TCP", capture.LinkIPv4, edit(edit(four, 2, 0), 3, 20+19), false, Malformed},
		{"TCP data offset 4", capture.LinkIPv4, edit(four, 20+12, 0x40), false, Malformed},
		{"IPv6 extension beyond the packet", capture.LinkIPv6, ip6(60, []byte{protoTCP, 1, 0, 0, 0, 0, 0, 0}), false, Malformed},
		{"AH of 8 bytes", capture.LinkIPv4, ip4(protoAH, slices.Concat([]byte{protoTCP, 0, 0, 0, 0, 0, 0, 0}, tcp)), false, Malformed},
		{"jumbogram beyond the frame", capture.LinkIPv6, edit(jumbo, 5, 0), false, Malformed},
		{"UDP length 7", capture.LinkRaw, ip4(protoUDP, edit(udp(4789, four), 5, 7)), true, Malformed},
		{"GTP extension of length 0", capture.LinkRaw, ip4(protoUDP, udp(2152, slices.Concat([]byte{0x34, 255, 0, 200, 0, 0, 0, 0, 0, 0, 0, 1, 0}, four))), true, Malformed},
	}
}

func TestOutcomes(t *testing.T) {
	for _, test := range outcomeCases() {
		t.Run(test.name, func(t *testing.T) {
			d := New(Options{Decap: test.decap})
			var seg packet.Segment
			if o := d.Decode(raw(test.link, test.data), &seg); o != test.want {
				t.Errorf("%v, want %v", o, test.want)
			}
		})
	}
}

// Every packet has one outcome, and the first of each kind is remembered.
func TestCounts(t *testing.T) {
	d := New(Options{Decap: true})
	good := raw(capture.LinkRaw, ip4(protoTCP, tcpSegment(1)))
	beyond := ip4(protoTCP, tcpSegment(1))
	beyond[3]++ // one byte more than the frame has
	deep := ip4(protoTCP, tcpSegment(1))
	for range maxTunnels + 1 {
		deep = ip4(protoIPv4, deep)
	}
	overlap := fragments4(1, protoTCP, tcpSegment(1000))
	zero := ip4(protoTCP, tcpSegment(1))
	zero[3] = 0
	packets := []struct {
		r    *capture.Raw
		want Outcome
	}{
		{good, TCP},
		{raw(147, nil), NotIP},
		{raw(capture.LinkRaw, beyond), TCP},
		{raw(147, nil), NotIP},
		{raw(capture.LinkRaw, deep), NotTCP},
		{raw(capture.LinkRaw, zero), TCP},
		{raw(capture.LinkRaw, overlap(piece{0, 800})), Fragment},
		{raw(capture.LinkRaw, overlap(piece{400, 800})), Fragment},
		{raw(capture.LinkRaw, overlap(piece{400, 1032})), Fragment},
		{raw(capture.LinkIPv4, make([]byte, 20)), Malformed},
	}
	for i, p := range packets {
		var seg packet.Segment
		p.r.Num = uint64(i + 1)
		if o := d.Decode(p.r, &seg); o != p.want {
			t.Errorf("packet %d: %v, want %v", i+1, o, p.want)
		}
	}
	d.Finish()
	c := d.Counts()
	var total uint64
	outcomes := map[Outcome]Tally{TCP: {3, 1}, NotIP: {2, 2}, NotTCP: {1, 5}, Fragment: {3, 7}, Malformed: {1, 10}}
	for _, o := range outcomeList {
		assert.Check(t, is.DeepEqual(c.Outcome(o), outcomes[o]), "%v", o)
		total += c.Outcome(o).Count
	}
	assert.Check(t, total == uint64(len(packets)), "%d outcomes for %d packets", total, len(packets))
	// Packet 8 repeats bytes that packet 7 brought; packet 9 overlaps it.
	anomalies := map[Anomaly]Tally{
		UnknownLink: {2, 2}, LengthBeyondFrame: {1, 3}, TooManyTunnels: {1, 5}, LengthFromFrame: {1, 6}, FragmentsContradict: {1, 9},
	}
	for _, a := range Anomalies() {
		assert.Check(t, is.DeepEqual(c.Anomaly(a), anomalies[a]), "%v", a)
	}
}

// outcomeList is all outcomes.
var outcomeList = []Outcome{TCP, NotIP, NotTCP, Fragment, Malformed, Duplicate, Cut, ICMP}

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range outcomeList {
		seen[o.String()] = true
	}
	for _, a := range Anomalies() {
		seen[a.String()] = true
	}
	if want := int(numOutcomes) + int(numAnomalies); len(seen) != want || seen[""] {
		t.Errorf("%d different names, want %d, none of them empty", len(seen), want)
	}
}

// A decoder that has seen all kinds of packets decodes a packet of any shape:
// no layer may keep anything of the packet before.
func TestNoMemoryBetweenPackets(t *testing.T) {
	d := New(Options{Decap: true, KeepDuplicates: true})
	all := shapes(t)
	for _, before := range all {
		for _, s := range all {
			var seg packet.Segment
			d.Decode(raw(before.link, before.data), &seg)
			r := raw(s.link, s.data)
			want := wantSegment(r, s.src, s.dst, shapePayload)
			want.Have |= s.have
			check(t, d, r, want, shapePayload)
			assert.Assert(t, !t.Failed(), "%s after %s", s.name, before.name)
		}
	}
}

// No packet but a fragment allocates.
func TestNoAllocations(t *testing.T) {
	all := outcomeCases()
	for _, s := range shapes(t) {
		all = append(all, outcomeCase{s.name, s.link, s.data, s.decap, TCP})
	}
	for _, c := range all {
		if c.want == Malformed {
			continue
		}
		d := New(Options{Decap: c.decap})
		r, seg := raw(c.link, c.data), new(packet.Segment)
		if got := testing.AllocsPerRun(100, func() { d.Decode(r, seg) }); got != 0 {
			t.Errorf("%s: %v allocations, want none", c.name, got)
		}
	}
}
