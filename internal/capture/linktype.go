package capture

import "strconv"

// Link types that the program names (https://www.tcpdump.org/linktypes.html); what is known
// of each stands in framings.
const (
	LinkNull     LinkType = 0
	LinkEthernet LinkType = 1
	LinkPPP      LinkType = 9
	LinkRawDLT   LinkType = 12 // as most systems number raw IP
	LinkRawBSD   LinkType = 14 // as OpenBSD numbers raw IP
	LinkPPPHDLC  LinkType = 50
	LinkPPPoE    LinkType = 51
	LinkRaw      LinkType = 101
	LinkCHDLC    LinkType = 104
	LinkIEEE     LinkType = 105
	LinkLoop     LinkType = 108
	LinkSLL      LinkType = 113
	LinkPFLog    LinkType = 117
	LinkRadiotap LinkType = 127
	LinkIPv4     LinkType = 228
	LinkIPv6     LinkType = 229
	LinkNFLog    LinkType = 239
	LinkPktap    LinkType = 258
	LinkSLL2     LinkType = 276
)

// Layer is what a frame of a link type begins with.
type Layer uint8

// The layers.
const (
	UnknownLayer   Layer = iota // packets are left out
	EtherTypeLayer              // a header of fixed length with an EtherType, or the length of an LLC frame
	CookedLayer                 // a Linux cooked header
	LoopbackLayer               // an address family
	PPPLayer
	PPPoELayer
	WirelessLayer // IEEE 802.11
	RadiotapLayer // its length, and a frame of IEEE 802.11
	PFLogLayer    // of pf in BSD
	NFLogLayer    // of netfilter in Linux
	PktapLayer    // of Apple: its length, and the link type of what follows
	IPLayer
	IPv4Layer
	IPv6Layer
)

// Framing says what is known of the frames of a link type.
type Framing struct {
	Name   string // that tcpdump gives the link type
	Layer  Layer
	Header int // bytes of the header, of the layers of fixed length that have a protocol
	Type   int // where the protocol stands in it
}

// framings is the table of link types. A link type with a header of fixed length and an
// EtherType needs only its row; package decode reads the other layers.
var framings = [...]Framing{
	LinkNull:     {Name: "NULL", Layer: LoopbackLayer}, // in the byte order of the host
	LinkEthernet: {"EN10MB", EtherTypeLayer, 14, 12},   // IEEE 802.3, Section 3.1.1
	LinkPPP:      {Name: "PPP", Layer: PPPLayer},       // with or without HDLC framing
	LinkRawDLT:   {Name: "RAW", Layer: IPLayer},
	LinkRawBSD:   {Name: "RAW", Layer: IPLayer},
	LinkPPPHDLC:  {Name: "PPP_SERIAL", Layer: PPPLayer},  // RFC 1662
	LinkPPPoE:    {Name: "PPP_ETHER", Layer: PPPoELayer}, // RFC 2516
	LinkRaw:      {Name: "RAW", Layer: IPLayer},
	LinkCHDLC:    {"C_HDLC", EtherTypeLayer, 4, 2}, // Cisco HDLC
	LinkIEEE:     {Name: "IEEE802_11", Layer: WirelessLayer},
	LinkLoop:     {Name: "LOOP", Layer: LoopbackLayer}, // OpenBSD, in network byte order
	LinkSLL:      {"LINUX_SLL", CookedLayer, 16, 14},
	LinkPFLog:    {Name: "PFLOG", Layer: PFLogLayer},
	LinkRadiotap: {Name: "IEEE802_11_RADIO", Layer: RadiotapLayer},
	LinkIPv4:     {Name: "IPV4", Layer: IPv4Layer},
	LinkIPv6:     {Name: "IPV6", Layer: IPv6Layer},
	LinkNFLog:    {Name: "NFLOG", Layer: NFLogLayer},
	LinkPktap:    {Name: "PKTAP", Layer: PktapLayer},
	LinkSLL2:     {"LINUX_SLL2", CookedLayer, 20, 0},
}

// noFraming is what is known of the frames of other link types.
var noFraming Framing

// Framing returns what is known of the frames of a link type. It must not be changed.
func (l LinkType) Framing() *Framing {
	if int(l) < len(framings) {
		return &framings[l]
	}
	return &noFraming
}

// String returns the name that tcpdump gives the link type, such as "EN10MB",
// or "LINKTYPE_n" for a number without a name here.
func (l LinkType) String() string {
	if name := l.Framing().Name; name != "" {
		return name
	}
	return "LINKTYPE_" + strconv.Itoa(int(l))
}
