package packet

import (
	"encoding/binary"
	"fmt"
)

// ICMP is a message that a router or a host sends about a segment that it did not deliver (RFC 792, RFC 4443).
type ICMP struct {
	From       Endpoint // address of its sender; no port
	Type, Code uint8
	V6         bool
	MTU        uint32 // of the next hop, bytes; 0 where the message has none
}

// SetICMP makes s a quoted segment, and keeps the message.
func (s *Segment) SetICMP(m *ICMP) {
	s.Have, s.IPv6 = Quoted, m.V6
	copy(s.Other[:], m.From.Addr[:])
	s.Other[16], s.Other[17] = m.Type, m.Code
	binary.BigEndian.PutUint32(s.Other[18:], m.MTU)
}

// ICMP returns the message that quotes the segment; valid with Quoted.
func (s *Segment) ICMP() (m ICMP) {
	copy(m.From.Addr[:], s.Other[:])
	m.Type, m.Code, m.V6, m.MTU = s.Other[16], s.Other[17], s.IPv6, binary.BigEndian.Uint32(s.Other[18:])
	return m
}

// The types of messages that say that a packet was not delivered.
const (
	icmpUnreachable, icmpExceeded                = 3, 11
	icmp6Unreachable, icmp6TooBig, icmp6Exceeded = 1, 2, 3
)

// IsError reports whether the message says that a packet was not delivered. Source quench, which is deprecated (RFC
// 6633), redirects and parameter problems do not.
func (m *ICMP) IsError() bool {
	if m.V6 {
		return m.Type >= icmp6Unreachable && m.Type <= icmp6Exceeded
	}
	return m.Type == icmpUnreachable || m.Type == icmpExceeded
}

// TooBig reports whether the packet was larger than the next hop carries.
func (m *ICMP) TooBig() bool {
	return m.V6 && m.Type == icmp6TooBig || !m.V6 && m.Type == icmpUnreachable && m.Code == 4
}

// The names of the codes (IANA, ICMP Parameters; ICMPv6 Parameters).
var (
	unreachable = [...]string{
		"network unreachable", "host unreachable", "protocol unreachable", "port unreachable", "fragmentation needed", "source route failed",
		"destination network unknown", "destination host unknown", "source host isolated", "network administratively prohibited", "host administratively prohibited",
		"network unreachable for the type of service", "host unreachable for the type of service", "communication administratively prohibited",
		"host precedence violation", "precedence cutoff in effect",
	}
	unreachable6 = [...]string{
		"no route to destination", "communication administratively prohibited", "beyond the scope of the source address", "address unreachable", "port unreachable",
		"source address failed ingress or egress policy", "route to destination rejected",
	}
	exceeded = [...]string{"hop limit exceeded", "time for reassembly exceeded"}
)

// String says what the message means.
func (m *ICMP) String() string {
	names := unreachable[:]
	switch {
	case m.V6 && m.Type == icmp6TooBig:
		names = []string{"packet too big"}
	case m.V6 && m.Type == icmp6Exceeded, !m.V6 && m.Type == icmpExceeded:
		names = exceeded[:]
	case m.V6:
		names = unreachable6[:]
	}
	text := fmt.Sprintf("unreachable, code %d", m.Code)
	if int(m.Code) < len(names) {
		text = names[m.Code]
	}
	if m.TooBig() && m.MTU > 0 {
		text += fmt.Sprintf(", the MTU of the next hop is %d", m.MTU)
	}
	return text
}
