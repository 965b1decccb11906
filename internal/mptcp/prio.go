package mptcp

// Prio is an MP_PRIO option: the sender changes the priority of a subflow.
// Version 0 may name the subflow by the id of the sender's address (RFC 6824,
// Section 3.3.8, Figure 11); version 1 means the subflow that carries the
// option (RFC 8684, Section 3.3.8, Figure 11).
type Prio struct {
	Backup       bool // B
	HasAddressID bool
	AddressID    uint8 // valid with HasAddressID
}

// ParsePrio reads a whole MP_PRIO option, b, into p. Its length is 3, or 4 with an address id.
// For any other length the error is a *[LengthError]. After an error p is unchanged.
func ParsePrio(b []byte, p *Prio) error {
	if err := begin(b, SubPrio); err != nil {
		return err
	}
	switch len(b) {
	case 3:
		*p = Prio{Backup: b[2]&1 != 0}
	case 4:
		*p = Prio{Backup: b[2]&1 != 0, HasAddressID: true, AddressID: b[3]}
	default:
		return &LengthError{Subtype: SubPrio, Length: len(b)}
	}
	return nil
}

// Append appends the option to b, reserved bits zero, and returns the extended
// slice.
func (p *Prio) Append(b []byte) []byte {
	b = append(b, Kind, 3+flag(p.HasAddressID, 1), uint8(SubPrio)<<4|flag(p.Backup, 1))
	if p.HasAddressID {
		b = append(b, p.AddressID)
	}
	return b
}
