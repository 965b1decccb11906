package mptcp

import (
	"errors"
	"fmt"
	"slices"
)

// Kind is the TCP option kind of every MPTCP option (RFC 8684, Section 3).
const Kind = 30

// Subtype is the upper half of an MPTCP option's third byte
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

	// SubNone is not on the wire: it stands for the subtype of an option
	// too short to hold one.
	SubNone Subtype = 0xff
)

// Known reports whether the RFCs assign s.
func (s Subtype) Known() bool { return s <= SubTCPRST || s == SubExp }

// String returns the name that the RFCs give the subtype.
func (s Subtype) String() string {
	names := [...]string{"MP_CAPABLE", "MP_JOIN", "DSS", "ADD_ADDR", "REMOVE_ADDR", "MP_PRIO", "MP_FAIL", "MP_FASTCLOSE", "MP_TCPRST"}
	switch {
	case int(s) < len(names):
		return names[s]
	case s == SubExp:
		return "MP_EXPERIMENTAL"
	case s == SubNone:
		return "MPTCP without subtype"
	}
	return fmt.Sprintf("subtype %d", uint8(s))
}

// A LengthError says that no form of an option's subtype has the option's length.
type LengthError struct {
	Subtype Subtype
	Length  int // bytes, kind and length byte included
}

func (e *LengthError) Error() string {
	return fmt.Sprintf("%v option of %d bytes: no form of that length", e.Subtype, e.Length)
}

// A VersionError says that this package does not know the forms of an MP_CAPABLE option's
// version.
type VersionError struct{ Version uint8 }

func (e *VersionError) Error() string {
	return fmt.Sprintf("MP_CAPABLE option of version %d: only 0 (RFC 6824) and 1 (RFC 8684) are known", e.Version)
}

// ErrSubtype says that an option has another TCP option kind or another MPTCP subtype than the
// parser reads.
var ErrSubtype = errors.New("option of another kind or subtype than the parser's")

// SubtypeOf returns the subtype of opt, a whole option with its kind and
// length bytes; [SubNone] if opt is too short to have one.
func SubtypeOf(opt []byte) Subtype {
	if len(opt) < 3 {
		return SubNone
	}
	return Subtype(opt[2] >> 4)
}

// Walk calls f with each whole option in b, kind and length included, until f returns false. It
// stops at a length that is below 2 or goes past the end of b.
func Walk(b []byte, f func(sub Subtype, opt []byte) bool) {
	for len(b) >= 2 {
		n := int(b[1])
		if n < 2 || n > len(b) || !f(SubtypeOf(b[:n]), b[:n]) {
			return
		}
		b = b[n:]
	}
}

// Has reports whether a list has an option of one of these subtypes.
func Has(list []byte, of ...Subtype) (found bool) {
	Walk(list, func(sub Subtype, _ []byte) bool {
		found = slices.Contains(of, sub)
		return !found
	})
	return found
}

// Check returns nil if opt has a form that its subtype allows, otherwise the error of
// the subtype's parser. An option of an unassigned or experimental subtype may have any
// form; one without a subtype is a *[LengthError].
func Check(opt []byte) error {
	switch sub := SubtypeOf(opt); sub {
	case SubCapable:
		return ParseCapable(opt, new(Capable))
	case SubJoin:
		return ParseJoin(opt, new(Join))
	case SubDSS:
		return ParseDSS(opt, new(DSS))
	case SubAddAddr:
		return ParseAddAddr(opt, new(AddAddr))
	case SubRemoveAddr:
		return ParseRemoveAddr(opt, new(RemoveAddr))
	case SubPrio:
		return ParsePrio(opt, new(Prio))
	case SubFail:
		return ParseFail(opt, new(Fail))
	case SubFastclose:
		return ParseFastclose(opt, new(Fastclose))
	case SubTCPRST:
		return ParseTCPRST(opt, new(TCPRST))
	default:
		return begin(opt, sub)
	}
}

// begin checks what all options share: kind, length byte and subtype.
func begin(opt []byte, sub Subtype) error {
	switch {
	case len(opt) < 3 || int(opt[1]) != len(opt):
		return &LengthError{Subtype: sub, Length: len(opt)}
	case opt[0] != Kind || Subtype(opt[2]>>4) != sub:
		return ErrSubtype
	}
	return nil
}

// flag returns bit if on, else 0.
func flag(on bool, bit uint8) uint8 {
	if on {
		return bit
	}
	return 0
}
