package conn

import (
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// mappingsSeen says which kinds of mapping a connection has shown. All its mappings
// have a checksum if either end asked for checksums, otherwise none has (RFC 8684,
// Sections 3.1 and 3.3).
type mappingsSeen uint8

const (
	withChecksum mappingsSeen = 1 << iota
	withoutChecksum
)

// noteMapping notes whether the mapping of a DSS option has a checksum. An infinite
// mapping has none in either case.
func (c *Conn) noteMapping(d *mptcp.DSS) {
	switch {
	case d.Length == 0:
	case d.Has(mptcp.DSSChecksum):
		c.mappingsSeen |= withChecksum
	default:
		c.mappingsSeen |= withoutChecksum
	}
}

// Checksums reports whether DSS checksums are in use: either end asks for them
// (RFC 8684, Section 3.1), or mappings have them. known is false where the capture
// holds neither the options of both ends nor a mapping.
func (c *Conn) Checksums() (inUse, known bool) {
	if c.Hosts[A].Checksum || c.Hosts[B].Checksum || c.mappingsSeen&withChecksum != 0 {
		return true, true
	}
	both := c.Offers[OfferSYNACK].Seen && (c.Offers[OfferSYN].Seen || c.Offers[OfferThird].Seen)
	return false, both || c.mappingsSeen&withoutChecksum != 0
}

// sureOfVersion is the lowest weight at which the result of versionOf is certain.
const sureOfVersion = 3

// VersionKnown reports whether an option that was captured tells the version.
// Version is a guess where it is not.
func (c *Conn) VersionKnown() bool {
	o := &c.Offers
	return c.versionTold || o[OfferSYN].Seen || o[OfferSYNACK].Seen || o[OfferThird].Seen
}

// learnVersion takes the version from the options of a packet, unless an earlier option
// told it. MP_CAPABLE, the form of ADD_ADDR and MP_TCPRST tell it.
func (c *Conn) learnVersion(s *packet.Segment) {
	if c.VersionKnown() {
		return
	}
	if v, weight := versionOf(s); weight >= sureOfVersion {
		c.Version, c.versionTold = v, true
	}
}
