package packets

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// option returns one option.
func (r *renderer) option(l *line, sub mptcp.Subtype, opt []byte) Option {
	out := Option{Subtype: sub.String()}
	if err := mptcp.Check(opt); err != nil {
		out.Error, out.Raw = err.Error(), hex.EncodeToString(opt)
		return out
	}
	switch sub { // Check has accepted the option, so the parsers cannot fail
	case mptcp.SubDSS:
		var d mptcp.DSS
		_ = mptcp.ParseDSS(opt, &d)
		return r.dss(&d)
	case mptcp.SubCapable:
		r.capable(l, opt, &out)
	case mptcp.SubJoin:
		r.join(l, opt, &out)
	case mptcp.SubAddAddr:
		r.addAddr(l, opt, &out)
	case mptcp.SubRemoveAddr:
		var o mptcp.RemoveAddr
		_ = mptcp.ParseRemoveAddr(opt, &o)
		for _, id := range o.AddressIDs() {
			out.AddressIDs = append(out.AddressIDs, int(id))
		}
	case mptcp.SubPrio:
		var o mptcp.Prio
		_ = mptcp.ParsePrio(opt, &o)
		out.Flags = new(letters("B", o.Backup))
		if o.HasAddressID {
			out.AddressID = new(int(o.AddressID))
		}
	case mptcp.SubFail:
		var o mptcp.Fail
		_ = mptcp.ParseFail(opt, &o)
		if !r.normalise {
			out.DSN = &o.DSN
		}
	case mptcp.SubFastclose:
		var o mptcp.Fastclose
		_ = mptcp.ParseFastclose(opt, &o)
		out.ReceiverKey = r.secret(hex64(o.ReceiverKey))
	case mptcp.SubTCPRST:
		var o mptcp.TCPRST
		_ = mptcp.ParseTCPRST(opt, &o)
		has := func(bit mptcp.ResetFlags) bool { return o.Flags&bit != 0 }
		out.Flags = new(letters("UVWT", has(mptcp.ResetU), has(mptcp.ResetV), has(mptcp.ResetW), has(mptcp.ResetTransient)))
		out.ReasonCode, out.Reason = new(int(o.Reason)), o.Reason.String()
	default:
		out.Raw = hex.EncodeToString(opt)
	}
	return out
}

// capable fills in an MP_CAPABLE.
func (r *renderer) capable(l *line, opt []byte, out *Option) {
	var o mptcp.Capable
	_ = mptcp.ParseCapable(opt, &o)
	var on [8]bool
	for i := range on {
		on[i] = o.Flags&(0x80>>i) != 0
	}
	out.Version, out.Flags = new(int(o.Version)), new(letters("ABCDEFGH", on[:]...))
	if o.Has(mptcp.CapableHasSenderKey) {
		version := o.Version
		if l.flags&packet.SYN == 0 && l.conn.Kind == conn.Multipath { // the version that SYN and SYN/ACK agreed on
			version = l.version
		}
		out.SenderKey = r.secret(hex64(o.SenderKey))
		out.SenderToken = r.secret(hex32(mptcp.Token(version, o.SenderKey)))
	}
	if o.Has(mptcp.CapableHasReceiverKey) {
		out.ReceiverKey = r.secret(hex64(o.ReceiverKey))
	}
	if o.Has(mptcp.CapableHasDataLen) {
		out.DataLength = new(int(o.DataLen))
	}
	if o.Has(mptcp.CapableHasDataSum) {
		out.Checksum = r.secret(fmt.Sprintf("%04x", o.Checksum)) // it depends on the keys
	}
}

// join fills in an MP_JOIN.
func (r *renderer) join(l *line, opt []byte, out *Option) {
	var o mptcp.Join
	_ = mptcp.ParseJoin(opt, &o)
	if o.Form != mptcp.JoinACK {
		out.Flags, out.AddressID = new(letters("B", o.Backup)), new(int(o.AddressID))
		out.Nonce = r.secret(hex32(o.Nonce))
	}
	switch o.Form {
	case mptcp.JoinSYN:
		out.Token = r.secret(hex32(o.Token))
		return
	case mptcp.JoinSYNACK:
		out.HMAC = r.secret(hex64(o.TruncHMAC))
	case mptcp.JoinACK:
		out.HMAC = r.secret(hex.EncodeToString(o.HMAC[:]))
	}
	out.HMACVerdict = verdicts[l.join]
}

// addAddr fills in an ADD_ADDR.
func (r *renderer) addAddr(l *line, opt []byte, out *Option) {
	var o mptcp.AddAddr
	_ = mptcp.ParseAddAddr(opt, &o)
	out.Version, out.Flags, out.AddressID = new(int(o.Version)), new(letters("E", o.Echo)), new(int(o.AddressID))
	out.Address = o.Addr.String()
	if o.HasPort {
		out.Port = r.secret(strconv.Itoa(int(o.Port)))
	}
	if o.HasHMAC() {
		out.HMAC, out.HMACVerdict = r.secret(hex64(o.HMAC)), verdicts[l.addAddr]
	}
}

// options returns the MPTCP options: the first valid DSS, then the others in the order of the header.
func (r *renderer) options(l *line) (list []Option) {
	if l.hasDSS {
		list = append(list, r.dss(&l.dss))
	}
	if len(l.other) > 0 {
		mptcp.Walk(l.other, func(sub mptcp.Subtype, opt []byte) bool {
			list = append(list, r.option(l, sub, opt))
			return true
		})
	}
	return list
}

// optionTexts appends options with semicolons between them: the subtype, then key=value pairs
// with blanks between them. The TLVs of the Convert Protocol follow.
func (r *renderer) optionTexts(b []byte, l *line) []byte {
	var texts []string
	for _, o := range r.options(l) {
		texts = append(texts, o.text())
	}
	for i := range l.convert {
		texts = append(texts, "Convert "+l.convert[i].Name()+" "+l.convert[i].Text())
	}
	return append(b, strings.Join(texts, "; ")...)
}

// dss returns a DSS.
func (r *renderer) dss(d *mptcp.DSS) Option {
	flags := letters("FmMaA", d.Has(mptcp.DSSFin), d.Has(mptcp.DSSDSN8), d.Has(mptcp.DSSMap), d.Has(mptcp.DSSAck8), d.Has(mptcp.DSSAck))
	out := Option{Subtype: mptcp.SubDSS.String(), Flags: &flags, DataAck: known(d.DataAck, d.Has(mptcp.DSSAck) && !r.normalise)}
	if d.Has(mptcp.DSSMap) {
		out.DSN, out.SSN, out.DataLength = known(d.DSN, !r.normalise), new(uint32(d.SSN)), new(int(d.Length))
		if d.Has(mptcp.DSSChecksum) {
			out.Checksum = r.secret(fmt.Sprintf("%04x", d.Checksum))
		}
	}
	return out
}

// secret returns a text that differs from run to run, or "set" with --normalise.
func (r *renderer) secret(text string) string {
	if r.normalise {
		return "set"
	}
	return text
}

// verdicts are the names of the verdicts on an HMAC.
var verdicts = [...]string{conn.HMACNone: "", conn.HMACUnchecked: "unchecked", conn.HMACValid: "valid", conn.HMACInvalid: "invalid"}

// letters returns the letters of all whose flag is set.
func letters(all string, on ...bool) string {
	var b strings.Builder
	for i, set := range on {
		if set {
			b.WriteByte(all[i])
		}
	}
	return b.String()
}

func hex32(v uint32) string { return fmt.Sprintf("%08x", v) }
func hex64(v uint64) string { return fmt.Sprintf("%016x", v) }
