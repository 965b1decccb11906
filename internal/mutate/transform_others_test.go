package mutate

import (
	"net/netip"
	"slices"
	"time"

	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// put puts a frame behind a packet, at its time.
func (c *Capture) put(kind uint16, payload []byte, behind *Packet) Packet {
	header, _ := linkHeader(c.Link, kind, payload)
	frame := slices.Concat(header, payload)
	return Packet{behind.Time, behind.Iface, len(frame), frame}
}

// foreign puts packets of other protocols between: ARP, LLDP, UDP, ICMP, SCTP, and one that is cut.
func foreign(c *Transformed) bool {
	ip := func(protocol byte, payload ...byte) []byte {
		return append(ipv4Header(protocol, len(payload)), payload...)
	}
	others := []struct {
		kind uint16
		data []byte
	}{
		{0x0806, make([]byte, 28)},
		{0x88cc, make([]byte, 30)},
		{typeIPv4, ip(17, 0, 53, 0x90, 0, 0, 12, 0, 0, 1, 2, 3, 4)},
		{typeIPv4, ip(1, 8, 0, 0, 0, 0, 1, 0, 1)},
		{typeIPv4, ip(132, 1, 2, 3, 4)},
	}
	var out []Packet
	for i := range c.Packets {
		out = append(out, c.Packets[i])
		if o := others[i/7%len(others)]; i%7 == 3 {
			out = append(out, c.put(o.kind, o.data, &c.Packets[i]))
		}
	}
	c.Packets = out
	return c.Link != linkRaw
}

// foreignTCP puts a plain connection between, which lasts nearly as long as the capture.
func foreignTCP(c *Transformed) bool {
	if !c.ordered() || len(c.Packets) < 20 {
		return false
	}
	first := c.Packets[0].Time
	span := time.Duration(c.Packets[len(c.Packets)-1].Time - first)
	s := tracegen.NewNetwork(time.Unix(0, first)).Session(tracegen.Config{Plain: true})
	delay := span / 100
	f := s.Subflow(tracegen.Path{
		A: netip.MustParseAddrPort("198.51.100.1:41000"), B: netip.MustParseAddrPort("198.51.100.2:443"),
		ISN: [2]seq.Wire{1000, 2000}, Delay: [2]time.Duration{delay, delay},
	})
	opened := f.Open(0)
	at, sent := opened.Established(), int64(0)
	for ; at < span*8/10; at += span / 20 {
		f.Data(tracegen.A2B, at, sent, 100)
		sent += 100
	}
	s.Close(at, sent, 0)
	for _, p := range s.Packets(tracegen.HostA) {
		frame, wire := p.AppendFrame(nil, tracegen.LinkType(c.Link))
		c.Packets = append(c.Packets, Packet{p.Time, 0, wire, frame})
	}
	c.sort()
	return true
}

// secondConnection puts the same connection between once more, with other addresses and keys, a
// little later.
func secondConnection(c *Transformed) bool {
	if len(c.keyPairs()) != 1 || !c.ordered() {
		return false
	}
	other := &Transformed{Capture: &Capture{Link: c.Link}}
	for _, p := range c.Packets {
		p = p.clone()
		p.Time += int64(333 * time.Microsecond)
		other.Packets = append(other.Packets, p)
	}
	addresses(false)(other)
	otherKeys(other)
	c.Packets = append(c.Packets, other.Packets...)
	c.sort()
	return true
}
