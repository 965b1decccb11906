package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
)

// hmacs are the verdicts on an HMAC, by [conn.HMAC].
var hmacs = [...]report.JoinHMAC{report.HMACNone, report.HMACUnchecked, report.HMACValid, report.HMACInvalid}

// facts returns the particulars of an event.
func (m *memory) facts(f *conn.Facts) (out report.EventFacts) {
	if f.Address.IsValid() {
		out.Address = m.texts.of(f.Address.String())
	}
	if f.Port != 0 {
		out.Port = m.small.of(int(f.Port))
	}
	if id, ok := f.AddressID.Value(); ok {
		out.AddressID = m.small.of(int(id))
	}
	if code, ok := f.Reason.Value(); ok {
		out.ReasonCode, out.Reason = m.small.of(int(code)), m.texts.of(mptcp.ResetReason(code).String())
	}
	if f.Authentic != conn.HMACNone {
		out.HMAC = new(hmacs[f.Authentic])
	}
	out.Echo, out.Transient, out.Backup, out.Effective = m.truth(f.Echo), m.truth(f.Transient), m.truth(f.Backup), m.truth(f.Effective)
	return out
}

// truth returns a truth value, nil where it is absent.
func (m *memory) truth(t conn.Tristate) *bool {
	if t == conn.Unset {
		return nil
	}
	return m.bools.of(t == conn.Yes)
}

// capable returns what the MP_CAPABLE options of a connection's handshake say.
func (m *memory) capable(c *conn.Conn) (out report.Capable) {
	out.RequestedVersion, out.RequestedFlags = m.offer(c.Offers[conn.OfferSYN])
	out.AnsweredVersion, out.AnsweredFlags = m.offer(c.Offers[conn.OfferSYNACK])
	out.ThirdACKVersion, out.ThirdACKFlags = m.offer(c.Offers[conn.OfferThird])
	return out
}

func (m *memory) offer(o conn.Offer) (version *int, flags *report.CapableFlags) {
	if !o.Seen {
		return nil, nil
	}
	has := func(letter byte) bool { return o.Flags&(0x80>>(letter-'A')) != 0 }
	return m.small.of(int(o.Version)), m.flags.of(report.CapableFlags{
		A: has('A'), B: has('B'), C: has('C'), D: has('D'), E: has('E'), F: has('F'), G: has('G'), H: has('H'),
	})
}

// fallbackCode returns the cause of a fallback, nil where there is none.
func (m *memory) fallbackCode(c *conn.Conn) *report.FallbackCode {
	if c.FallbackCode == "" {
		return nil
	}
	return m.codes.of(report.FallbackCode(c.FallbackCode))
}

// resetReasons counts the RSTs with MP_TCPRST.
func (b *dirBuilder) resetReasons(out *report.SubDir) {
	var packets int64
	for _, k := range b.s.Sub.Resets(b.from) {
		out.ResetReasons = append(out.ResetReasons, report.ResetReason{Code: int(k.Reason), Reason: k.Reason.String(), Transient: k.Transient, Packets: k.Packets})
		packets += k.Packets
	}
	if why := b.s.OptionsCut(b.from); why != "" && out.Resets > packets {
		b.why.Set("mp_tcprst", why)
		return
	}
	out.TCPRSTs = b.mem.ints.of(packets)
}
