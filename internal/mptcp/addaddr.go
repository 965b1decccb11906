package mptcp

import (
	"encoding/binary"
	"net/netip"
)

// AddAddr is an ADD_ADDR option of version 0 (RFC 6824, Section 3.4.1, Figure
// 12) or 1 (RFC 8684, Section 3.4.1, Figure 12).
type AddAddr struct {
	Addr      netip.Addr // 4 or 16 bytes on the wire, as its family says
	HMAC      uint64     // rightmost 64 bits of the sender's HMAC; version 1 without Echo
	Port      uint16     // valid with HasPort
	Version   uint8
	AddressID uint8
	HasPort   bool
	Echo      bool // E of version 1: the receiver of an announcement confirms it
}

// HasHMAC reports whether the option has an HMAC: an announcement of version 1 has one, an echo
// does not.
func (a *AddAddr) HasHMAC() bool { return a.Version == 1 && !a.Echo }

const (
	addAddrFixed = 4    // kind, length, subtype and flags, address id
	addAddrEcho  = 0x01 // E, lowest bit of the third byte
)

// addAddrForm returns the form of an option of n bytes. nibble is the lower half of the option's
// third byte. It returns which parts of [AddAddr] the option has, without their values, and the
// number of bytes in the address. ok is false if there is no such form.
func addAddrForm(n int, nibble uint8) (form AddAddr, addr int, ok bool) {
	addr = 4
	if n >= 20 {
		addr = 16
	}
	rest := n - addrEnd(addr)
	switch {
	case nibble&addAddrEcho != 0:
		form = AddAddr{Version: 1, Echo: true}
	case rest >= 8:
		form, rest = AddAddr{Version: 1}, rest-8
	case nibble == 4 && addr == 4 || nibble == 6 && addr == 16:
		form = AddAddr{Version: 0}
	default:
		return AddAddr{}, 0, false
	}
	form.HasPort = rest == 2
	return form, addr, rest == 0 || rest == 2
}

// addrEnd returns the offset of the byte after an address of n bytes.
func addrEnd(n int) int { return addAddrFixed + n }

// ParseAddAddr reads a whole ADD_ADDR option, b, into a. If no version has such a form, the error
// is a *[LengthError]. After an error a is unchanged.
//
// The version follows from the form. Version 0 has the IP version, 4 or 6, where
// version 1 has three reserved bits and E; both 4 and 6 read as E = 0, for which
// version 1 appends an HMAC of 8 bytes and version 0 nothing. So lengths 16, 18, 28 and
// 30 are announcements of version 1 whatever the reserved bits are; 8, 10, 20 and 22
// are echoes of version 1 if the lowest bit is set, and of version 0 if the IP version
// fits the length. One case is not recognised: an announcement of version 1 that is cut to the
// length of version 0, if its reserved bits happen to be the IP version. No host sends such an
// option.
func ParseAddAddr(b []byte, a *AddAddr) error {
	if err := begin(b, SubAddAddr); err != nil {
		return err
	}
	form, n, ok := addAddrForm(len(b), b[2]&0x0f)
	if !ok {
		return &LengthError{Subtype: SubAddAddr, Length: len(b)}
	}
	form.AddressID = b[3]
	form.Addr, _ = netip.AddrFromSlice(b[addAddrFixed:addrEnd(n)])
	b = b[addrEnd(n):]
	if form.HasPort {
		form.Port, b = binary.BigEndian.Uint16(b), b[2:]
	}
	if form.HasHMAC() {
		form.HMAC = binary.BigEndian.Uint64(b)
	}
	*a = form
	return nil
}

// Append appends the option to b, reserved bits zero, and returns the extended
// slice. Addr must be valid; an IPv4-mapped IPv6 address is written as IPv6.
func (a *AddAddr) Append(b []byte) []byte {
	nibble := flag(a.Echo, addAddrEcho)
	if a.Version == 0 {
		nibble = 6
		if a.Addr.Is4() {
			nibble = 4
		}
	}
	start := len(b)
	b = append(b, Kind, 0, uint8(SubAddAddr)<<4|nibble, a.AddressID)
	b = appendAddr(b, a.Addr)
	if a.HasPort {
		b = binary.BigEndian.AppendUint16(b, a.Port)
	}
	if a.HasHMAC() {
		b = binary.BigEndian.AppendUint64(b, a.HMAC)
	}
	b[start+1] = uint8(len(b) - start)
	return b
}

// appendAddr appends the 4 or 16 bytes of addr.
func appendAddr(b []byte, addr netip.Addr) []byte {
	if addr.Is4() {
		raw := addr.As4()
		return append(b, raw[:]...)
	}
	raw := addr.As16()
	return append(b, raw[:]...)
}
