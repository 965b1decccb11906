package mptcp

import (
	"encoding/binary"
	"math/bits"
)

// DSSFlags are the flag bits of a DSS option (RFC 8684, Section 3.3, Figure
// 9) at their place in its fourth byte.
type DSSFlags uint8

// The flag bits of the option. The highest flag is not in the option: its length tells it.
const (
	DSSAck  DSSFlags = 1 << iota // A: Data ACK present
	DSSAck8                      // a: Data ACK is 8 bytes
	DSSMap                       // M: DSN, SSN, length and perhaps checksum present
	DSSDSN8                      // m: DSN is 8 bytes
	DSSFin                       // F: DATA_FIN; it has a meaning only with DSSMap

	// DSSChecksum is not on the wire: the option's length says that a
	// mapping carries a checksum.
	DSSChecksum DSSFlags = 1 << 7
)

// DSS is a Data Sequence Signal option. Numbers are as on the wire: 4-byte
// fields stand in the low half and are not widened.
type DSS struct {
	DataAck  uint64 // valid with DSSAck
	DSN      uint64 // valid with DSSMap
	SSN      uint32 // relative to the subflow's ISN; valid with DSSMap
	Checksum uint16 // valid with DSSChecksum
	Length   uint16 // data-level length in bytes, the DATA_FIN counted; 0 is an infinite mapping
	Flags    DSSFlags
}

// Has reports whether all bits of f are set.
func (d *DSS) Has(f DSSFlags) bool { return d.Flags&f == f }

// MaxDSS is the length of the longest DSS option, bytes: both numbers of 8 bytes,
// mapping and checksum.
const MaxDSS = dssBase + 8 + 8 + 6 + dssChecksum

const (
	dssBase     = 4 // kind, length, subtype and flags
	dssWire     = DSSAck | DSSAck8 | DSSMap | DSSDSN8 | DSSFin
	dssChecksum = 2
)

// A dssForm is the layout of a DSS option. The mask of a field is all ones if the field is there,
// otherwise zero.
type dssForm struct {
	ack, dsn uint64 // masks of the numbers
	rest     uint64 // mask of SSN, length and checksum, from the top
	layout   dssLayout
	head     uint32 // the first four bytes without their reserved bits; 0 if there is no such form
}

// A dssLayout packs these numbers, from the lowest byte on: how many bits of an 8-byte word do
// not belong to the Data ACK, and the same for the DSN; the offset of the DSN; the offset of the
// SSN minus 8; the length of the option; its flags. So one load from memory reads all of them.
type dssLayout uint64

func (l dssLayout) ackShift() uint64 { return uint64(l) & 63 }
func (l dssLayout) dsnShift() uint64 { return uint64(l) >> 8 & 63 }
func (l dssLayout) dsnAt() uint64    { return uint64(l) >> 16 & 0xc } // both masks lose nothing,
func (l dssLayout) ssnAt() uint64    { return 8 + uint64(l)>>24&0xc } // and tell the compiler the bounds
func (l dssLayout) length() uint8    { return uint8(l >> 32) }
func (l dssLayout) flags() DSSFlags  { return DSSFlags(l >> 40) }

// dssForms holds the forms by their flag bits and, above these, the second lowest bit of the
// length. In an option with a mapping, this bit is set if there is no checksum: all other fields
// are whole words of four bytes, except the data-level length, which has two bytes and makes a
// word together with the checksum.
var dssForms = func() (table [2 * (dssWire + 1)]dssForm) {
	for flags := range dssWire + 1 {
		if flags&DSSMap == 0 {
			table[flags] = newDSSForm(flags)
			continue
		}
		table[flags+dssWire+1] = newDSSForm(flags)
		table[flags] = newDSSForm(flags | DSSChecksum)
	}
	return table
}()

// newDSSForm returns the form of an option with these flags.
func newDSSForm(flags DSSFlags) (f dssForm) {
	ack, dsn, length := width(flags&DSSAck8 != 0), width(flags&DSSDSN8 != 0), uint64(dssBase)
	if flags&DSSAck != 0 {
		f.ack = ^uint64(0)
		length += ack
	}
	dsnAt := length
	if flags&DSSMap != 0 {
		f.dsn, f.rest = ^uint64(0), ^uint64(0xffff)
		length += dsn + 6 // SSN and data-level length
	}
	if flags&DSSChecksum != 0 {
		f.rest = ^uint64(0)
		length += dssChecksum
	}
	f.layout = dssLayout(64 - 8*ack | (64-8*dsn)<<8 | dsnAt<<16 | (dsnAt+dsn-8)<<24 | length<<32 | uint64(flags)<<40)
	f.head = Kind<<24 | uint32(length)<<16 | uint32(SubDSS)<<12 | uint32(flags&dssWire)
	return f
}

// width returns the size of a data sequence number in bytes.
func width(wide bool) uint64 { return uint64(4 + flag(wide, 4)) }

// ParseDSS reads a whole DSS option, b, into d (RFC 6824 and RFC 8684, Section 3.3, Figure 9).
// Every combination of flags has one legal length. With a mapping there is a second one, two
// bytes longer, for the checksum. For any other length the error is a *[LengthError], and d is
// unchanged.
//
// The RFCs make both Data ACK and mapping optional, so an option of four bytes is legal
// and says nothing: F marks the last data of a mapping, and has no meaning without one.
// The bits a and m have no meaning without A and M; they are kept as they are.
func ParseDSS(b []byte, d *DSS) error {
	if err := begin(b, SubDSS); err != nil {
		return err
	}
	var n int
	if cap(b) >= MaxDSS {
		n = LeadingDSS((*[MaxDSS]byte)(b[:MaxDSS]), d)
	} else {
		var whole [MaxDSS]byte
		copy(whole[:], b)
		n = LeadingDSS(&whole, d)
	}
	if n == 0 {
		return &LengthError{Subtype: SubDSS, Length: len(b)}
	}
	return nil
}

// LeadingDSS reads the DSS option at the start of b into d, as [ParseDSS] does, and
// returns its length. b may hold anything after the option. It returns 0 and leaves d
// unchanged if there is no DSS option.
//
// The layout comes from a table and not from branches. The processor can hardly predict which
// form the next option has, and a wrong prediction costs more time than the rest of this function.
func LeadingDSS(b *[MaxDSS]byte, d *DSS) int {
	const reserved = 0x0fe0 // bits that a receiver ignores
	head := binary.BigEndian.Uint32(b[:])
	form := &dssForms[head&uint32(dssWire)|head>>12&uint32(dssWire+1)]
	if head&^reserved != form.head {
		return 0
	}
	layout := form.layout
	ack := binary.BigEndian.Uint64(b[dssBase:]) >> layout.ackShift()
	dsn := binary.BigEndian.Uint64(b[layout.dsnAt():]) >> layout.dsnShift()
	rest := bits.RotateLeft64(binary.BigEndian.Uint64(b[layout.ssnAt():])&form.rest, 32)
	d.DataAck, d.DSN = ack&form.ack, dsn&form.dsn
	d.SSN, d.Checksum, d.Length = uint32(rest), uint16(rest>>32), uint16(rest>>48) // in one store
	d.Flags = layout.flags()
	return int(layout.length())
}

// Append appends the option to b, reserved bits zero, and returns the extended slice. If the flag
// of a number says 4 bytes, it writes the lower half of the number.
func (d *DSS) Append(b []byte) []byte {
	sum := d.Has(DSSMap | DSSChecksum)
	form := newDSSForm(d.Flags&dssWire | DSSFlags(flag(sum, uint8(DSSChecksum))))
	b = binary.BigEndian.AppendUint32(b, form.head)
	if d.Has(DSSAck) {
		b = appendNumber(b, d.DataAck, d.Has(DSSAck8))
	}
	if !d.Has(DSSMap) {
		return b
	}
	b = appendNumber(b, d.DSN, d.Has(DSSDSN8))
	b = binary.BigEndian.AppendUint32(b, d.SSN)
	b = binary.BigEndian.AppendUint16(b, d.Length)
	if sum {
		b = binary.BigEndian.AppendUint16(b, d.Checksum)
	}
	return b
}

// appendNumber appends a data sequence number in 8 or 4 bytes.
func appendNumber(b []byte, n uint64, wide bool) []byte {
	if wide {
		return binary.BigEndian.AppendUint64(b, n)
	}
	return binary.BigEndian.AppendUint32(b, uint32(n))
}
