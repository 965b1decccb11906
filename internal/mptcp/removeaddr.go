package mptcp

const (
	removeAddrFixed = 3 // kind, length, subtype and reserved bits

	// maxOptions is the most bytes of options that a TCP header holds.
	maxOptions = 40
)

// RemoveAddr is a REMOVE_ADDR option (RFC 6824 and RFC 8684, Section 3.4.2): a list of at least
// one address id. It is the same in both versions.
type RemoveAddr struct {
	List [maxOptions - removeAddrFixed]uint8 // address ids, the first N valid
	N    uint8
}

// AddressIDs returns the ids in the order of the option. The slice belongs to
// r.
func (r *RemoveAddr) AddressIDs() []uint8 { return r.List[:r.N] }

// ParseRemoveAddr reads a whole REMOVE_ADDR option, b, into r. If the option has no id, or is
// longer than the options of a TCP header, the error is a *[LengthError]. After an error r is
// unchanged.
func ParseRemoveAddr(b []byte, r *RemoveAddr) error {
	if err := begin(b, SubRemoveAddr); err != nil {
		return err
	}
	n := len(b) - removeAddrFixed
	if n < 1 || n > len(r.List) {
		return &LengthError{Subtype: SubRemoveAddr, Length: len(b)}
	}
	*r = RemoveAddr{N: uint8(n)}
	copy(r.List[:], b[removeAddrFixed:])
	return nil
}

// Append appends the option to b, reserved bits zero, and returns the extended
// slice. N must be from 1 to the capacity of List.
func (r *RemoveAddr) Append(b []byte) []byte {
	b = append(b, Kind, removeAddrFixed+r.N, uint8(SubRemoveAddr)<<4)
	return append(b, r.AddressIDs()...)
}
