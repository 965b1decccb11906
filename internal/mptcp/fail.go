package mptcp

import "encoding/binary"

// longLen is the length in bytes of MP_FAIL and of MP_FASTCLOSE: a fixed part
// of 4 and a 64-bit value.
const longLen = 12

// Fail is an MP_FAIL option (RFC 6824, Section 3.6; RFC 8684, Section 3.7):
// the sender found a DSS checksum wrong and falls back.
type Fail struct {
	DSN uint64 // start of the data whose checksum failed
}

// ParseFail reads a whole MP_FAIL option, b, into f. A length other than 12 is
// a *[LengthError]. After an error f is unchanged.
func ParseFail(b []byte, f *Fail) (err error) {
	f.DSN, err = parseLong(b, SubFail, f.DSN)
	return err
}

// Append appends the option to b, reserved bits zero, and returns the extended
// slice.
func (f *Fail) Append(b []byte) []byte { return appendLong(b, SubFail, f.DSN) }

// parseLong returns the 64-bit value of an option of [longLen] bytes, or old
// and the error.
func parseLong(b []byte, sub Subtype, old uint64) (uint64, error) {
	if err := begin(b, sub); err != nil {
		return old, err
	}
	if len(b) != longLen {
		return old, &LengthError{Subtype: sub, Length: len(b)}
	}
	return binary.BigEndian.Uint64(b[4:]), nil
}

// appendLong appends an option of [longLen] bytes.
func appendLong(b []byte, sub Subtype, v uint64) []byte {
	return binary.BigEndian.AppendUint64(append(b, Kind, longLen, uint8(sub)<<4, 0), v)
}
