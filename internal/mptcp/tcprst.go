package mptcp

import "fmt"

// ResetReason is the reason code of an MP_TCPRST option (RFC 8684, Section
// 3.6; registry in Section 7.3).
type ResetReason uint8

// The reason codes of RFC 8684.
const (
	ResetUnspecified     ResetReason = 0x00
	ResetMPTCP           ResetReason = 0x01
	ResetResources       ResetReason = 0x02
	ResetProhibited      ResetReason = 0x03
	ResetOutstandingData ResetReason = 0x04
	ResetPerformance     ResetReason = 0x05
	ResetMiddlebox       ResetReason = 0x06
)

// String returns the name that RFC 8684 gives the reason.
func (r ResetReason) String() string {
	names := [...]string{
		"unspecified error", "MPTCP-specific error", "lack of resources", "administratively prohibited",
		"too much outstanding data", "unacceptable performance", "middlebox interference",
	}
	if int(r) < len(names) {
		return names[r]
	}
	return fmt.Sprintf("reason %d", uint8(r))
}

// ResetFlags are the flag bits of an MP_TCPRST option at their place in its
// third byte.
type ResetFlags uint8

// The flag bits; only T has a meaning yet.
const (
	ResetTransient ResetFlags = 1 << iota // T: the error is transient
	ResetW
	ResetV
	ResetU
)

// TCPRST is an MP_TCPRST option (RFC 8684, Section 3.6, Figure 15): why a
// subflow is reset. Version 0 does not have it.
type TCPRST struct {
	Flags  ResetFlags
	Reason ResetReason
}

// Transient reports the flag T: a new subflow over the same path may succeed
// later.
func (r *TCPRST) Transient() bool { return r.Flags&ResetTransient != 0 }

const tcprstLen = 4

// ParseTCPRST reads a whole MP_TCPRST option, b, into r. A length other than 4
// is a *[LengthError]. After an error r is unchanged.
func ParseTCPRST(b []byte, r *TCPRST) error {
	if err := begin(b, SubTCPRST); err != nil {
		return err
	}
	if len(b) != tcprstLen {
		return &LengthError{Subtype: SubTCPRST, Length: len(b)}
	}
	*r = TCPRST{Flags: ResetFlags(b[2] & 0x0f), Reason: ResetReason(b[3])}
	return nil
}

// ResetOf returns the first MP_TCPRST with a legal form in a list; ok is false if there is none.
func ResetOf(list []byte) (r TCPRST, ok bool) {
	Walk(list, func(sub Subtype, opt []byte) bool {
		ok = sub == SubTCPRST && ParseTCPRST(opt, &r) == nil
		return !ok
	})
	return r, ok
}

// Append appends the option to b and returns the extended slice.
func (r *TCPRST) Append(b []byte) []byte {
	return append(b, Kind, tcprstLen, uint8(SubTCPRST)<<4|uint8(r.Flags)&0x0f, uint8(r.Reason))
}
