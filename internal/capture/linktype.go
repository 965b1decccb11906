package capture

import "strconv"

// The link types that the decoder understands, and a few that only have a name here
// (https://www.tcpdump.org/linktypes.html).
const (
	LinkNull     LinkType = 0   // BSD loopback: address family in the byte order of the host
	LinkEthernet LinkType = 1   // IEEE 802.3
	LinkPPP      LinkType = 9   // PPP, with or without HDLC framing
	LinkRawDLT   LinkType = 12  // raw IP as most systems number it
	LinkRawBSD   LinkType = 14  // raw IP as OpenBSD numbers it
	LinkPPPHDLC  LinkType = 50  // PPP in HDLC-like framing (RFC 1662)
	LinkPPPoE    LinkType = 51  // PPPoE session packets (RFC 2516)
	LinkRaw      LinkType = 101 // raw IPv4 or IPv6
	LinkCHDLC    LinkType = 104 // Cisco HDLC
	LinkIEEE     LinkType = 105 // IEEE 802.11
	LinkLoop     LinkType = 108 // OpenBSD loopback: address family in network byte order
	LinkSLL      LinkType = 113 // Linux cooked capture, version 1
	LinkRadiotap LinkType = 127 // IEEE 802.11 behind a radiotap header
	LinkIPv4     LinkType = 228 // raw IPv4
	LinkIPv6     LinkType = 229 // raw IPv6
	LinkSLL2     LinkType = 276 // Linux cooked capture, version 2
)

// String returns the name that tcpdump gives the link type, such as "EN10MB",
// or "LINKTYPE_n" for a number without a name here.
func (l LinkType) String() string {
	switch l {
	case LinkNull:
		return "NULL"
	case LinkEthernet:
		return "EN10MB"
	case LinkPPP:
		return "PPP"
	case LinkRaw, LinkRawDLT, LinkRawBSD:
		return "RAW"
	case LinkPPPHDLC:
		return "PPP_SERIAL"
	case LinkPPPoE:
		return "PPP_ETHER"
	case LinkCHDLC:
		return "C_HDLC"
	case LinkIEEE:
		return "IEEE802_11"
	case LinkLoop:
		return "LOOP"
	case LinkSLL:
		return "LINUX_SLL"
	case LinkRadiotap:
		return "IEEE802_11_RADIO"
	case LinkIPv4:
		return "IPV4"
	case LinkIPv6:
		return "IPV6"
	case LinkSLL2:
		return "LINUX_SLL2"
	}
	return "LINKTYPE_" + strconv.Itoa(int(l))
}
