package mptcp

import "encoding/binary"

// JoinForm says to which packet of the handshake of an additional subflow an MP_JOIN option
// belongs. The length of the option tells it.
type JoinForm uint8

// The forms of MP_JOIN (RFC 8684, Section 3.2, Figures 5 to 7); the value is
// the option's length in bytes.
const (
	JoinSYN    JoinForm = 12
	JoinSYNACK JoinForm = 16
	JoinACK    JoinForm = 24
)

// Join is an MP_JOIN option (RFC 6824 and RFC 8684, Section 3.2). It is the same in both
// versions.
type Join struct {
	Form      JoinForm
	Backup    bool     // B: use this path only when no other is left; not in JoinACK
	AddressID uint8    // of the sender's address; not in JoinACK
	Token     uint32   // of the connection, made from the receiver's key; JoinSYN
	Nonce     uint32   // of the sender; not in JoinACK
	TruncHMAC uint64   // leftmost 64 bits of the sender's HMAC; JoinSYNACK
	HMAC      [20]byte // leftmost 160 bits of the sender's HMAC; JoinACK
}

// ParseJoin reads a whole MP_JOIN option, b, into j. If none of the three forms has this length,
// the error is a *[LengthError]. After an error j is unchanged.
func ParseJoin(b []byte, j *Join) error {
	if err := begin(b, SubJoin); err != nil {
		return err
	}
	form := JoinForm(b[1])
	switch form {
	case JoinSYN, JoinSYNACK:
		*j = Join{Form: form, Backup: b[2]&1 != 0, AddressID: b[3]}
	case JoinACK:
		*j = Join{Form: form, HMAC: [20]byte(b[4:])}
		return nil
	default:
		return &LengthError{Subtype: SubJoin, Length: len(b)}
	}
	if form == JoinSYN {
		j.Token = binary.BigEndian.Uint32(b[4:])
		j.Nonce = binary.BigEndian.Uint32(b[8:])
	} else {
		j.TruncHMAC = binary.BigEndian.Uint64(b[4:])
		j.Nonce = binary.BigEndian.Uint32(b[12:])
	}
	return nil
}

// Append appends the option to b, reserved bits zero, and returns the extended
// slice. Form must be one of the three.
func (j *Join) Append(b []byte) []byte {
	b = append(b, Kind, uint8(j.Form), uint8(SubJoin)<<4)
	if j.Form == JoinACK {
		return append(append(b, 0), j.HMAC[:]...)
	}
	b[len(b)-1] |= flag(j.Backup, 1)
	b = append(b, j.AddressID)
	if j.Form == JoinSYN {
		b = binary.BigEndian.AppendUint32(b, j.Token)
	} else {
		b = binary.BigEndian.AppendUint64(b, j.TruncHMAC)
	}
	return binary.BigEndian.AppendUint32(b, j.Nonce)
}
