package mptcp

// DSSFlags are the flag bits of a DSS option (RFC 8684, Section 3.3, Figure
// 9) at their place in its fourth octet.
type DSSFlags uint8

// The flag bits of the option and, above them, what its length tells.
const (
	DSSAck  DSSFlags = 1 << iota // A: Data ACK present
	DSSAck8                      // a: Data ACK is 8 octets
	DSSMap                       // M: DSN, SSN, length and perhaps checksum present
	DSSDSN8                      // m: DSN is 8 octets
	DSSFin                       // F: DATA_FIN

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
