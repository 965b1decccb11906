package mptcp

import "fmt"

// Kind is the TCP option kind of every MPTCP option (RFC 8684, Section 3).
const Kind = 30

// Subtype is the upper half of an MPTCP option's third octet
// (RFC 8684, Section 3, Figure 3; registry in Section 7.2).
type Subtype uint8

// The subtypes of RFC 6824 and RFC 8684.
const (
	SubCapable    Subtype = 0x0
	SubJoin       Subtype = 0x1
	SubDSS        Subtype = 0x2
	SubAddAddr    Subtype = 0x3
	SubRemoveAddr Subtype = 0x4
	SubPrio       Subtype = 0x5
	SubFail       Subtype = 0x6
	SubFastclose  Subtype = 0x7
	SubTCPRST     Subtype = 0x8 // RFC 8684 only
	SubExp        Subtype = 0xf // private use
)

// String returns the name that the RFCs give the subtype.
func (s Subtype) String() string {
	names := [...]string{"MP_CAPABLE", "MP_JOIN", "DSS", "ADD_ADDR", "REMOVE_ADDR", "MP_PRIO", "MP_FAIL", "MP_FASTCLOSE", "MP_TCPRST"}
	switch {
	case int(s) < len(names):
		return names[s]
	case s == SubExp:
		return "MP_EXPERIMENTAL"
	}
	return fmt.Sprintf("subtype %d", uint8(s))
}

// A LengthError says that an option's length octet fits no form of its
// subtype.
type LengthError struct {
	Subtype Subtype
	Length  int // octets, kind and length octet included
}

func (e *LengthError) Error() string {
	return fmt.Sprintf("%v option of %d octets: no form of that length", e.Subtype, e.Length)
}
