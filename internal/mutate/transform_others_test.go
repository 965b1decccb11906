package mutate

import (
	"encoding/binary"
	"slices"
	"time"
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

// foreignTCP puts a plain connection between, which lasts as long as the capture.
func foreignTCP(c *Transformed) bool {
	var out []Packet
	up, down := uint32(1000), uint32(2000)
	segment := func(sent bool, flags byte, data int, behind *Packet) {
		from, to, source, dest := []byte{198, 51, 100, 1}, []byte{198, 51, 100, 2}, uint16(41000), uint16(443)
		number, acked := &up, &down
		if !sent {
			from, to, source, dest, number, acked = to, from, dest, source, acked, number
		}
		be := binary.BigEndian
		tcp := be.AppendUint16(be.AppendUint16(nil, source), dest)
		tcp = be.AppendUint32(tcp, *number)
		if flags&ack != 0 {
			tcp = be.AppendUint32(tcp, *acked)
		} else {
			tcp = be.AppendUint32(tcp, 0)
		}
		tcp = append(tcp, 0x50, flags, 0xff, 0xff, 0, 0, 0, 0)
		tcp = append(tcp, make([]byte, data)...)
		be.PutUint16(tcp[16:], ^fold(uint64(sum(from)+sum(to)+6+uint32(len(tcp))+sum(tcp))))
		ip := ipv4Header(6, len(tcp))
		copy(ip[12:], from)
		copy(ip[16:], to)
		be.PutUint16(ip[10:], 0)
		be.PutUint16(ip[10:], ^fold(uint64(sum(ip))))
		out = append(out, c.put(typeIPv4, append(ip, tcp...), behind))
		if *number += uint32(data); flags&(syn|fin) != 0 {
			*number++
		}
	}
	for i := range c.Packets {
		p := &c.Packets[i]
		out = append(out, *p)
		switch left := len(c.Packets) - i; {
		case i == 0:
			segment(true, syn, 0, p)
		case i == 1:
			segment(false, syn|ack, 0, p)
		case i == 2:
			segment(true, ack, 0, p)
		case left == 4 && i > 2:
			segment(true, fin|ack, 0, p)
		case left == 3 && i > 2:
			segment(false, fin|ack, 0, p)
		case left == 2 && i > 2:
			segment(true, ack, 0, p)
		case left > 4 && i%20 == 5:
			segment(true, ack|psh, 100, p)
		case left > 4 && i%20 == 6:
			segment(false, ack, 0, p)
		}
	}
	c.Packets = out
	return len(out) > 20
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
