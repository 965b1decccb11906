package mptcp

import "encoding/binary"

// DSSFlags are the flag bits of a DSS option (RFC 8684, Section 3.3, Figure
// 9) at their place in its fourth octet.
type DSSFlags uint8

// The flag bits of the option and, above them, what its length tells.
const (
	DSSAck  DSSFlags = 1 << iota // A: Data ACK present
	DSSAck8                      // a: Data ACK is 8 octets
	DSSMap                       // M: DSN, SSN, length and perhaps checksum present
	DSSDSN8                      // m: DSN is 8 octets
	DSSFin                       // F: DATA_FIN; it has a place only with DSSMap

	// DSSChecksum is not on the wire: the option's length says that a
	// mapping carries a checksum.
	DSSChecksum DSSFlags = 1 << 7
)

// DSS is a Data Sequence Signal option. Numbers are as on the wire: 4-octet
// fields stand in the low half and are not widened.
type DSS struct {
	DataAck  uint64 // valid with DSSAck
	DSN      uint64 // valid with DSSMap
	SSN      uint32 // relative to the subflow's ISN; valid with DSSMap
	Length   uint16 // data-level length in octets, the DATA_FIN counted; 0 is an infinite mapping
	Checksum uint16 // valid with DSSChecksum
	Flags    DSSFlags
}

// Has reports whether all bits of f are set.
func (d *DSS) Has(f DSSFlags) bool { return d.Flags&f == f }

// MaxDSS is the length of the longest DSS option in octets: both numbers wide,
// mapping and checksum.
const MaxDSS = dssBase + 8 + 8 + 6 + dssChecksum

const (
	dssBase     = 4 // kind, length, subtype and flags
	dssWire     = DSSAck | DSSAck8 | DSSMap | DSSDSN8 | DSSFin
	dssChecksum = 2
)

// A dssForm is how a DSS option is laid out by the flag bits on the wire. Masks
// are all ones where a field is there, else zero.
type dssForm struct {
	ackThere, mapThere uint64
	ackShift, dsnShift uint64 // bits by which 8 octets of the option exceed the number
	dsnAt, dsnExtra    uint64 // where the DSN begins; its octets beyond 4
	length             uint64 // of the option without checksum, in octets
}

var dssForms = func() (table [dssWire + 1]dssForm) {
	for f := range table {
		flags := DSSFlags(f)
		ack, dsn := uint64(width(flags&DSSAck8 != 0)), uint64(width(flags&DSSDSN8 != 0))
		form := dssForm{ackShift: 64 - 8*ack, dsnShift: 64 - 8*dsn, dsnExtra: dsn - 4, length: dssBase}
		if flags&DSSAck != 0 {
			form.ackThere = ^uint64(0)
			form.length += ack
		}
		form.dsnAt = form.length
		if flags&DSSMap != 0 {
			form.mapThere = ^uint64(0)
			form.length += dsn + 6 // SSN and data-level length
		}
		table[f] = form
	}
	return table
}()

// width is the size in octets of a data sequence number.
func width(wide bool) uint8 { return 4 + flag(wide, 4) }

// ParseDSS reads a whole DSS option, b, into d (RFC 6824 and RFC 8684,
// Section 3.3, Figure 9). Every combination of flags has one legal length, and
// one more, two octets longer, where a mapping may carry a checksum; any other
// length is a *[LengthError], after which d is unchanged.
//
// The RFCs make Data ACK and mapping optional each and do not ask for at least
// one, so an option of four octets is legal and says nothing: F marks the last
// data of a mapping, and without one it has no place in the data sequence
// space. The bits a and m mean nothing without A and M and are to be ignored
// then; they are kept as they stand.
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

// LeadingDSS reads the DSS option that b begins with into d, as [ParseDSS]
// does, and returns its length. What follows the option in b, be it the rest
// of the header or of the packet or what else is in memory, has no part in it.
// It returns 0 and leaves d unchanged if b begins with something else.
//
// What the flags say of the fields comes out of a table and not of branches: in
// which form the next option of a capture comes is hardly ever to be foreseen,
// and a wrong guess of the processor costs more than all the rest.
func LeadingDSS(b *[MaxDSS]byte, d *DSS) int {
	const kindAndSubtype, dss = 0xff00f000, Kind<<24 | uint32(SubDSS)<<12
	head := binary.BigEndian.Uint32(b[:])
	if head&kindAndSubtype != dss {
		return 0
	}
	flags, length := DSSFlags(head)&dssWire, uint64(head>>16&0xff)
	form, sum := &dssForms[flags], uint64(0)
	if length != form.length {
		if length != form.length+dssChecksum || flags&DSSMap == 0 {
			return 0
		}
		flags |= DSSChecksum
		sum = 0xffff
	}
	dsnAt := form.dsnAt & 0xc // masks that change nothing but what the compiler knows
	ssnAt := dsnAt + 4 + form.dsnExtra&4
	ack := binary.BigEndian.Uint64(b[dssBase:]) >> (form.ackShift & 63)
	dsn := binary.BigEndian.Uint64(b[dsnAt:]) >> (form.dsnShift & 63)
	rest := binary.BigEndian.Uint64(b[ssnAt:]) & form.mapThere
	d.DataAck, d.DSN = ack&form.ackThere, dsn&form.mapThere
	d.SSN, d.Length, d.Checksum = uint32(rest>>32), uint16(rest>>16), uint16(rest&sum)
	d.Flags = flags
	return int(length)
}

// Append appends the option to b, reserved bits zero, and returns the extended
// slice. Of a number that is 4 octets wide by its flag the low half is written.
func (d *DSS) Append(b []byte) []byte {
	wire := d.Flags & dssWire
	sum := d.Has(DSSMap | DSSChecksum)
	b = append(b, Kind, uint8(dssForms[wire].length)+flag(sum, dssChecksum), uint8(SubDSS)<<4, uint8(wire))
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

// appendNumber appends a data sequence number in 8 or 4 octets.
func appendNumber(b []byte, n uint64, wide bool) []byte {
	if wide {
		return binary.BigEndian.AppendUint64(b, n)
	}
	return binary.BigEndian.AppendUint32(b, uint32(n))
}
