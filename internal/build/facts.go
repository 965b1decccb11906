package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
)

// hmacs are the verdicts on an HMAC, by [conn.HMAC].
var hmacs = [...]report.JoinHMAC{report.HMACNone, report.HMACUnchecked, report.HMACValid, report.HMACInvalid}

// Facts returns the values that an event has.
func Facts(m *fill.Memory, f *conn.Facts) (out report.EventFacts) {
	if f.Address.IsValid() {
		out.Address = m.Texts.Of(f.Address.String())
	}
	if f.Port != 0 {
		out.Port = m.Small.Of(int(f.Port))
	}
	if id, ok := f.AddressID.Value(); ok {
		out.AddressID = m.Small.Of(int(id))
	}
	if code, ok := f.Reason.Value(); ok {
		out.ReasonCode, out.Reason = m.Small.Of(int(code)), m.Texts.Of(mptcp.ResetReason(code).String())
	}
	if f.Authentic != conn.HMACNone {
		out.HMAC = new(hmacs[f.Authentic])
	}
	out.Echo, out.Transient, out.Backup, out.Effective = truth(m, f.Echo), truth(m, f.Transient), truth(m, f.Backup), truth(m, f.Effective)
	return out
}

// truth returns a truth value, nil where it is absent.
func truth(m *fill.Memory, t conn.Tristate) *bool {
	if t == conn.Unset {
		return nil
	}
	return m.Bools.Of(t == conn.Yes)
}

// capable returns versions and flags in the MP_CAPABLE options of a connection's
// handshake.
func capable(m *fill.Memory, c *conn.Conn) (out report.Capable) {
	out.RequestedVersion, out.RequestedFlags = offer(m, c.Offers[conn.OfferSYN])
	out.AnsweredVersion, out.AnsweredFlags = offer(m, c.Offers[conn.OfferSYNACK])
	out.ThirdACKVersion, out.ThirdACKFlags = offer(m, c.Offers[conn.OfferThird])
	return out
}

func offer(m *fill.Memory, o conn.Offer) (version *int, flags *report.CapableFlags) {
	if !o.Seen {
		return nil, nil
	}
	has := func(letter byte) bool { return o.Flags&(0x80>>(letter-'A')) != 0 }
	return m.Small.Of(int(o.Version)), m.Flags.Of(report.CapableFlags{
		A: has('A'), B: has('B'), C: has('C'), D: has('D'), E: has('E'), F: has('F'), G: has('G'), H: has('H'),
	})
}

// fallbackCode returns the cause of a fallback, nil where there is none.
func fallbackCode(m *fill.Memory, c *conn.Conn) *report.FallbackCode {
	if c.FallbackCode == "" {
		return nil
	}
	return m.Codes.Of(report.FallbackCode(c.FallbackCode))
}
