package conn

import (
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// Offer holds version and flags of an MP_CAPABLE option, whether or not the rest of it
// has a known form.
type Offer struct {
	Seen    bool
	Version uint8
	Flags   mptcp.CapableFlags
}

// The packets of the handshake: indices of [Conn.Offers].
const (
	OfferSYN = iota
	OfferSYNACK
	OfferThird // the first packet with MP_CAPABLE after the SYNs, usually the third ACK
)

// offerOf reads version and flags of an MP_CAPABLE option.
func offerOf(opt []byte) Offer {
	version, flags, ok := mptcp.PeekCapable(opt)
	return Offer{Seen: ok, Version: version, Flags: flags}
}

// noteOffer notes the first MP_CAPABLE of the initial subflow in each packet of the
// handshake.
func (c *Conn) noteOffer(p *Packet, opt []byte) {
	if p.Sub.Joined {
		return
	}
	i, from := OfferThird, A
	switch p.Seg.Flags & (packet.SYN | packet.ACK) {
	case packet.SYN:
		i = OfferSYN
	case packet.SYN | packet.ACK:
		i, from = OfferSYNACK, B
	}
	if o := offerOf(opt); p.From == from && o.Seen && !c.Offers[i].Seen {
		c.Offers[i] = o
	}
}

// offerOfSYN returns the MP_CAPABLE of a SYN, of any version.
func offerOfSYN(s *packet.Segment) (o Offer) {
	mptcp.Walk(s.OtherMPTCP(), func(kind mptcp.Subtype, opt []byte) bool {
		if kind == mptcp.SubCapable {
			o = offerOf(opt)
		}
		return !o.Seen
	})
	return o
}

// JoinRefused reports the flag C of version 1: the sender accepts no further subflows to the
// address and port of this packet (RFC 8684, Section 3.1). Version 0 has no such flag.
func (o Offer) JoinRefused() bool { return o.Version == 1 && o.Flags&mptcp.CapableNoJoin != 0 }

// ThirdConfirms reports whether the MP_CAPABLE of the third packet fits the SYN/ACK: a
// host that follows RFC 8684, Section 3.1, ignores any other.
func (c *Conn) ThirdConfirms() bool {
	third, granted := c.Offers[OfferThird], c.Offers[OfferSYNACK]
	return third.Seen && third.Version == granted.Version && third.Fault() == ""
}

// Fault returns why hosts that follow the RFCs ignore the option; empty where they do
// not.
func (o Offer) Fault() string {
	switch {
	case o.Flags&mptcp.CapableExtend != 0:
		return "flag B is set, and no version defines the extension that it announces"
	case o.Flags&mptcp.CapableHMAC == 0:
		return "flag H is not set, and no other algorithm is defined"
	case o.Version > 1:
		return "its version is not defined"
	}
	return ""
}

// FallbackCode says why data runs without Multipath TCP, as far as the capture shows.
type FallbackCode string

// The codes, and the Linux counters (MPTcpExt) for the same.
const (
	FallbackSYN      FallbackCode = "syn_without_mp_capable"       // MPCapableSYNTXDrop
	FallbackSYNACK   FallbackCode = "synack_without_mp_capable"    // MPCapableFallbackSYNACK
	FallbackThird    FallbackCode = "third_ack_without_mp_capable" // MPCapableFallbackACK
	FallbackData     FallbackCode = "first_data_without_dss"       // MPCapableDataFallback
	FallbackDSS      FallbackCode = "dss_missing"                  // DssFallback
	FallbackInfinite FallbackCode = "infinite_mapping"             // InfiniteMapTx, InfiniteMapRx
	FallbackChecksum FallbackCode = "checksum_failed"              // DataCsumErr, MPFailTx, MPFailRx
)
