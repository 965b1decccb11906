package mptcp

import (
	"encoding/binary"
	"errors"
)

// CapableFlags are the flag bits A to H of an MP_CAPABLE option at their place
// in its fourth byte (RFC 8684, Section 3.1, Figure 4).
type CapableFlags uint8

// The assigned flags; D to G are not.
const (
	CapableChecksum CapableFlags = 0x80 // A: checksum required
	CapableExtend   CapableFlags = 0x40 // B: extensibility, 0 in both versions
	CapableNoJoin   CapableFlags = 0x20 // C: no further subflows to this address and port (version 1)
	CapableHMAC     CapableFlags = 0x01 // H: HMAC-SHA1 in version 0, HMAC-SHA256 in version 1
)

// CapableParts says which optional fields an MP_CAPABLE option has. They come in this order on
// the wire. A field is there only if all fields before it are there.
type CapableParts uint8

// The optional fields of MP_CAPABLE.
const (
	CapableHasSenderKey   CapableParts = 1 << iota // in all packets except the SYN of version 1
	CapableHasReceiverKey                          // the third packet of the handshake
	CapableHasDataLen                              // version 1, with data
	CapableHasDataSum                              // version 1, with data and checksum
)

// Capable is an MP_CAPABLE option of version 0 (RFC 6824, Section 3.1) or 1
// (RFC 8684, Section 3.1).
type Capable struct {
	SenderKey   uint64 // valid with CapableHasSenderKey
	ReceiverKey uint64 // valid with CapableHasReceiverKey
	DataLen     uint16 // data-level length in bytes of the mapping that starts at IDSN+1; valid with CapableHasDataLen
	Checksum    uint16 // DSS checksum of that mapping; valid with CapableHasDataSum
	Version     uint8
	Flags       CapableFlags
	Have        CapableParts
}

// Has reports whether all of the fields f are there.
func (c *Capable) Has(f CapableParts) bool { return c.Have&f == f }

// ChecksumRequired reports the flag A: the sender wants DSS checksums. They
// are used on a connection if either host sets it (RFC 8684, Section 3.1).
func (c *Capable) ChecksumRequired() bool { return c.Flags&CapableChecksum != 0 }

const capableFixed = 4 // kind, length, subtype and version, flags

// capableParts returns the fields in an option of n bytes, and whether the
// version has that form: 12 and 20 in version 0; 4, 12, 20, 22 and 24 in
// version 1.
func capableParts(version uint8, n int) (CapableParts, bool) {
	const (
		key  = CapableHasSenderKey
		keys = key | CapableHasReceiverKey
	)
	switch {
	case n == 12:
		return key, true
	case n == 20:
		return keys, true
	case version == 0:
		return 0, false
	case n == 4:
		return 0, true
	case n == 22:
		return keys | CapableHasDataLen, true
	case n == 24:
		return keys | CapableHasDataLen | CapableHasDataSum, true
	}
	return 0, false
}

// ErrNoChecksum says that an MP_CAPABLE option with data has flag A but no checksum. It has 22
// bytes in place of 24 (RFC 8684, Section 3.1).
var ErrNoChecksum = errors.New("MP_CAPABLE option of 22 bytes: with data and checksums (flag A) it has 24")

// PeekCapable reads version and flags of an MP_CAPABLE option, whatever its version
// and length.
func PeekCapable(b []byte) (version uint8, flags CapableFlags, ok bool) {
	if begin(b, SubCapable) != nil || len(b) < capableFixed {
		return 0, 0, false
	}
	return b[2] & 0x0f, CapableFlags(b[3]), true
}

// ParseCapable reads a whole MP_CAPABLE option, b, into c. If the option's version does not have
// this length, the error is a *[LengthError]. If the checksum that its flags ask for is missing, the
// error is [ErrNoChecksum]. If the version is above 1, the error is a
// *[VersionError], because its fields are not known. After an error c is unchanged.
func ParseCapable(b []byte, c *Capable) error {
	if err := begin(b, SubCapable); err != nil {
		return err
	}
	version := b[2] & 0x0f
	if version > 1 {
		return &VersionError{Version: version}
	}
	have, ok := capableParts(version, len(b))
	if !ok {
		return &LengthError{Subtype: SubCapable, Length: len(b)}
	}
	flags := CapableFlags(b[3])
	if have&(CapableHasDataLen|CapableHasDataSum) == CapableHasDataLen && flags&CapableChecksum != 0 {
		return ErrNoChecksum
	}
	*c = Capable{Version: version, Flags: flags, Have: have}
	if c.Has(CapableHasSenderKey) {
		c.SenderKey = binary.BigEndian.Uint64(b[capableFixed:])
	}
	if c.Has(CapableHasReceiverKey) {
		c.ReceiverKey = binary.BigEndian.Uint64(b[capableFixed+8:])
	}
	if c.Has(CapableHasDataLen) {
		c.DataLen = binary.BigEndian.Uint16(b[capableFixed+16:])
	}
	if c.Has(CapableHasDataSum) {
		c.Checksum = binary.BigEndian.Uint16(b[capableFixed+18:])
	}
	return nil
}

// Append appends the option to b and returns the extended slice. Have must be
// one of the sets that [ParseCapable] gives for the version.
func (c *Capable) Append(b []byte) []byte {
	start := len(b)
	b = append(b, Kind, 0, uint8(SubCapable)<<4|c.Version&0x0f, uint8(c.Flags))
	if c.Has(CapableHasSenderKey) {
		b = binary.BigEndian.AppendUint64(b, c.SenderKey)
	}
	if c.Has(CapableHasReceiverKey) {
		b = binary.BigEndian.AppendUint64(b, c.ReceiverKey)
	}
	if c.Has(CapableHasDataLen) {
		b = binary.BigEndian.AppendUint16(b, c.DataLen)
	}
	if c.Has(CapableHasDataSum) {
		b = binary.BigEndian.AppendUint16(b, c.Checksum)
	}
	b[start+1] = uint8(len(b) - start)
	return b
}
