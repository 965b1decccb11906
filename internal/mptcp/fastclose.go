package mptcp

// Fastclose is an MP_FASTCLOSE option (RFC 6824 and RFC 8684, Section 3.5):
// the sender aborts the whole connection.
type Fastclose struct {
	ReceiverKey uint64 // key of the host that the option is sent to
}

// ParseFastclose reads a whole MP_FASTCLOSE option, b, into f. A length other
// than 12 is a *[LengthError]. After an error f is unchanged.
func ParseFastclose(b []byte, f *Fastclose) (err error) {
	f.ReceiverKey, err = parseLong(b, SubFastclose, f.ReceiverKey)
	return err
}

// Append appends the option to b, reserved bits zero, and returns the extended
// slice.
func (f *Fastclose) Append(b []byte) []byte { return appendLong(b, SubFastclose, f.ReceiverKey) }
