package conn

import (
	"net/netip"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// Facts holds the values of the option or packet that an event is about. Fields that do
// not apply are zero.
type Facts struct {
	Address   netip.Addr   // the address in ADD_ADDR
	Port      uint16       // the port in ADD_ADDR, 0 = none
	AddressID OptionalByte // the address id in the option
	Reason    OptionalByte // of MP_TCPRST (RFC 8684, Section 3.6)
	Authentic HMAC         // of MP_JOIN or ADD_ADDR
	Echo      Tristate     // ADD_ADDR confirms an address
	Transient Tristate     // flag T of MP_TCPRST
	Backup    Tristate     // flag B of MP_JOIN's SYN, or of MP_PRIO
	Effective Tristate     // the receiver acts on the packet; No = it ignores it
}

// Tristate is a truth value that may be missing.
type Tristate uint8

// The truth values.
const (
	Unset Tristate = iota
	No
	Yes
)

// tristateOf returns yes as a Tristate.
func tristateOf(yes bool) Tristate {
	if yes {
		return Yes
	}
	return No
}

// OptionalByte is a number of one byte that may be missing.
type OptionalByte struct {
	N     uint8
	Known bool
}

// optionalByte returns n as an OptionalByte.
func optionalByte(n uint8) OptionalByte { return OptionalByte{n, true} }

// Value returns the number, and whether there is one.
func (b OptionalByte) Value() (n uint8, ok bool) { return b.N, b.Known }

// effective returns an effect as a Tristate.
func effective(e subflow.Effect) Tristate { return [...]Tristate{Unset, No, Yes}[e] }

// ResetCount counts the RSTs that gave the same reason.
type ResetCount struct {
	Reason    mptcp.ResetReason
	Transient bool
	Packets   int64
}

// maxResetCounts bounds the reasons of one direction; RFC 8684, Section 3.6, has seven,
// each transient or not.
const maxResetCounts = 16

// Resets returns the RSTs with MP_TCPRST that side from sent, by reason.
func (s *Subflow) Resets(from Side) []ResetCount {
	if s.resets == nil {
		return nil
	}
	return s.resets[from]
}

// countReset counts a RST with MP_TCPRST.
func (s *Subflow) countReset(from Side, f *Facts) {
	code, ok := f.Reason.Value()
	if !ok {
		return
	}
	k := ResetCount{mptcp.ResetReason(code), f.Transient == Yes, 1}
	if s.resets == nil {
		s.resets = new([2][]ResetCount)
	}
	for i := range s.resets[from] {
		if c := &s.resets[from][i]; c.Reason == k.Reason && c.Transient == k.Transient {
			c.Packets++
			return
		}
	}
	if len(s.resets[from]) < maxResetCounts {
		s.resets[from] = append(s.resets[from], k)
	}
}

// resetOptions sets the reason of a RST in f (RFC 8684, Section 3.6), and reports
// whether the RST carries MP_FASTCLOSE.
func resetOptions(s *packet.Segment, f *Facts) (fastclose bool) {
	if o, ok := mptcp.ResetOf(s.OtherMPTCP()); ok {
		f.Reason, f.Transient = optionalByte(uint8(o.Reason)), tristateOf(o.Transient())
	}
	return mptcp.Has(s.OtherMPTCP(), mptcp.SubFastclose)
}
