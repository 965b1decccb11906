package decode

import (
	"encoding/binary"
	"testing"
	"time"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

// seenAt is one copy of a packet in a capture on several interfaces.
type seenAt struct {
	packetType byte
	ifindex    uint32
	iface      int           // of the source
	after      time.Duration // since the first packet
	seq        uint32        // tells packets apart
	ttl        byte
	port       uint16
	want       Outcome
}

func (s seenAt) ip() []byte {
	b := ip4(protoTCP, tcpSegment(10))
	b[8] = s.ttl
	binary.BigEndian.PutUint32(b[20+4:], s.seq)
	if s.port != 0 {
		binary.BigEndian.PutUint16(b[20:], s.port)
	}
	return b
}

const (
	in  = 0
	out = 4
)

func TestCopies(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name   string
		copies []seenAt
	}{
		{"forwarded", []seenAt{
			{in, 2, 0, 0, 1, 64, 0, TCP},
			{out, 3, 0, 1 * ms, 1, 63, 0, Duplicate},
			{in, 2, 0, 2 * ms, 2, 64, 0, TCP},
			{in, 2, 0, 2 * ms, 3, 64, 0, TCP},
			{out, 3, 0, 3 * ms, 2, 63, 0, Duplicate},
			{out, 3, 0, 3 * ms, 3, 63, 0, Duplicate},
		}},
		{"forwarded, duplicated by the network before", []seenAt{
			{in, 2, 0, 0, 1, 64, 0, TCP},
			{in, 2, 0, 1 * ms, 1, 64, 0, TCP},
			{out, 3, 0, 2 * ms, 1, 63, 0, Duplicate},
			{out, 3, 0, 3 * ms, 1, 63, 0, Duplicate},
		}},
		{"sent again by this host", []seenAt{
			{out, 2, 0, 0, 1, 64, 0, TCP},
			{out, 2, 0, 1 * ms, 1, 64, 0, TCP},
		}},
		{"loopback: same interface, other direction", []seenAt{
			{out, 1, 0, 0, 1, 64, 0, TCP},
			{in, 1, 0, 0, 1, 64, 0, Duplicate},
		}},
		{"bond and its member: other interface, same direction", []seenAt{
			{out, 5, 0, 0, 1, 64, 0, TCP},
			{out, 2, 0, 0, 1, 64, 0, Duplicate},
		}},
		{"bridge: three interfaces", []seenAt{
			{3, 2, 0, 0, 1, 64, 0, TCP},
			{in, 7, 0, 0, 1, 64, 0, Duplicate},
			{out, 4, 0, 0, 1, 64, 0, Duplicate},
			{3, 2, 0, 1 * ms, 1, 64, 0, TCP},
			{in, 7, 0, 1 * ms, 1, 64, 0, Duplicate},
			{out, 4, 0, 1 * ms, 1, 64, 0, Duplicate},
		}},
		{"merged a little out of order", []seenAt{
			{out, 3, 0, 10 * ms, 1, 63, 0, TCP},
			{in, 2, 0, 9 * ms, 1, 64, 0, Duplicate},
		}},
		{"translated address or port: another packet", []seenAt{
			{in, 2, 0, 0, 1, 64, 1024, TCP},
			{out, 3, 0, 0, 1, 63, 0, TCP},
		}},
		{"within the window", []seenAt{
			{in, 2, 0, 0, 1, 64, 0, TCP},
			{out, 3, 0, 1000 * ms, 1, 63, 0, Duplicate},
		}},
		{"SLL", []seenAt{
			{in, 0, 0, 0, 1, 0, 0, TCP},
			{out, 0, 0, 0, 1, 0, 0, Duplicate},
			{in, 0, 0, 0, 1, 0, 0, TCP},
			{out, 0, 0, 0, 2, 0, 0, TCP},
			{out, 0, 0, 0, 2, 0, 0, TCP},
		}},
		{"after the window", []seenAt{
			{in, 2, 0, 0, 1, 64, 0, TCP},
			{out, 3, 0, 1000*ms + 1, 1, 63, 0, TCP},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, keep := New(Options{}), New(Options{KeepDuplicates: true})
			for i, s := range test.copies {
				r := raw(capture.LinkSLL2, sll2(s.packetType, s.ifindex, hardwareEthernet, typeIPv4, s.ip()))
				if s.ifindex == 0 { // SLL has no interface number: only another direction makes a duplicate
					r = raw(capture.LinkSLL, sll(s.packetType, hardwareEthernet, typeIPv4, s.ip()))
				}
				r.Time += int64(s.after)
				var seg packet.Segment
				if o := d.Decode(r, &seg); o != s.want {
					t.Errorf("copy %d: %v, want %v", i, o, s.want)
				}
				if o := keep.Decode(r, &seg); o != TCP {
					t.Errorf("copy %d, duplicates kept: %v, want tcp", i, o)
				}
			}
		})
	}
}

// Interfaces of a pcapng file, or files of one host.
func TestCopiesOfSeveralInterfaces(t *testing.T) {
	for _, quiet := range []int{0, dupWarmup - 1, dupWarmup, dupWarmup + 2} {
		d := New(Options{})
		var seg packet.Segment
		decode := func(s seenAt) Outcome {
			r := raw(capture.LinkEthernet, ethernet(typeIPv4, s.ip()))
			r.Iface = s.iface
			return d.Decode(r, &seg)
		}
		for i := range quiet {
			if o := decode(seenAt{iface: 4, seq: uint32(1000 + i)}); o != TCP {
				t.Fatalf("packet %d: %v, want tcp", i, o)
			}
		}
		// After the first packets nothing is stored, until there is a second interface.
		second := Duplicate
		if quiet >= dupWarmup {
			second = TCP
		}
		for i, s := range []seenAt{
			{iface: 4, seq: 1, want: TCP},
			{iface: 5, seq: 1, want: second},
			{iface: 5, seq: 2, want: TCP},
			{iface: 4, seq: 2, want: Duplicate},
			{iface: 4, seq: 3, want: TCP},
			{iface: 4, seq: 3, want: TCP},
			{iface: 5, seq: 3, want: Duplicate},
		} {
			if o := decode(s); o != s.want {
				t.Errorf("after %d packets of one interface, copy %d: %v, want %v", quiet, i, o, s.want)
			}
		}
	}
}

// Without timestamps and identification a retransmission over another
// interface looks like the same packet: it comes no sooner than 200 ms later.
func TestCopiesOfBarePackets(t *testing.T) {
	tcp := tcpSegment(10)
	copy(tcp[20:], make([]byte, 12)) // end of options: no timestamps
	for _, test := range []struct {
		after time.Duration
		want  Outcome
	}{{200 * time.Millisecond, Duplicate}, {200*time.Millisecond + 1, TCP}} {
		d := New(Options{})
		var seg packet.Segment
		first := raw(capture.LinkSLL2, sll2(out, 2, hardwareEthernet, typeIPv6, ip6(protoTCP, tcp)))
		d.Decode(first, &seg)
		second := raw(capture.LinkSLL2, sll2(out, 3, hardwareEthernet, typeIPv6, ip6(protoTCP, tcp)))
		second.Time = first.Time + int64(test.after)
		if o := d.Decode(second, &seg); o != test.want {
			t.Errorf("after %v: %v, want %v", test.after, o, test.want)
		}
	}
}

// Each field that distinguishes packets changes the digest.
func TestDigest(t *testing.T) {
	base := wantSegment(raw(capture.LinkRaw, nil), addr4a, addr4b, 100)
	seen := map[uint64]string{digestOf(&base): "unchanged"}
	for name, change := range map[string]func(*packet.Segment){
		"source":         func(s *packet.Segment) { s.Src.Addr[15]++ },
		"destination":    func(s *packet.Segment) { s.Dst.Addr[15]++ },
		"IPv6 prefix":    func(s *packet.Segment) { s.Src.Addr[3]++ },
		"IPv6 prefix 2":  func(s *packet.Segment) { s.Dst.Addr[3]++ },
		"reverse":        func(s *packet.Segment) { s.Src, s.Dst = s.Dst, s.Src },
		"source port":    func(s *packet.Segment) { s.Src.Port++ },
		"port":           func(s *packet.Segment) { s.Dst.Port++ },
		"sequence":       func(s *packet.Segment) { s.Seq++ },
		"acknowledgment": func(s *packet.Segment) { s.Ack++ },
		"flags":          func(s *packet.Segment) { s.Flags ^= packet.FIN },
		"window":         func(s *packet.Segment) { s.Window++ },
		"identification": func(s *packet.Segment) { s.IPID++ },
		"length":         func(s *packet.Segment) { s.PayloadLen++ },
		"TSval":          func(s *packet.Segment) { s.TSVal++ },
		"TSecr":          func(s *packet.Segment) { s.TSEcr++ },
		"options":        func(s *packet.Segment) { s.OptLen += 4 },
		"SACK":           func(s *packet.Segment) { s.NSACK, s.SACK[0].Left = 1, 5 },
		"SACK 2":         func(s *packet.Segment) { s.NSACK, s.SACK[0].Right = 1, 5 },
		"DSN":            func(s *packet.Segment) { s.Have, s.DSS.DSN = s.Have|packet.HasDSS, 5 },
		"DATA_ACK":       func(s *packet.Segment) { s.Have, s.DSS.DataAck = s.Have|packet.HasDSS, 5 },
	} {
		changed := base
		change(&changed)
		h := digestOf(&changed)
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s have the same digest", name, other)
		}
		seen[h] = name
	}
}

// TestCopiesOfFileGroups: a file that begins after all others ended cannot show a copy of their
// packets, so an equal packet in it is another packet. Files of the same group can.
func TestCopiesOfFileGroups(t *testing.T) {
	d := New(Options{})
	for i, c := range []struct {
		iface, group int
		want         Outcome
	}{
		{0, 0, TCP},
		{1, 1, TCP},
		{2, 1, Duplicate},
		{1, 1, TCP},
		{3, 2, TCP},
	} {
		s := seenAt{seq: 1}
		r := raw(capture.LinkEthernet, ethernet(typeIPv4, s.ip()))
		r.Iface, r.Group = c.iface, c.group
		var seg packet.Segment
		if o := d.Decode(r, &seg); o != c.want {
			t.Errorf("packet %d: %v, want %v", i, o, c.want)
		}
	}
}
