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

// option returns one option. A DSS of legal form is written without it: see dssOf.
func (r *renderer) option(l *line, sub mptcp.Subtype, opt []byte) Option {
	out := Option{Subtype: sub.String()}
	if err := mptcp.Check(opt); err != nil {
		out.Error, out.Raw = err.Error(), hex.EncodeToString(opt)
		return out
	}
	switch sub { // Check has accepted the option, so the parsers cannot fail
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

// dssOf returns an option that is a DSS of legal form; nil for others.
func dssOf(sub mptcp.Subtype, opt []byte) *mptcp.DSS {
	var d mptcp.DSS
	if sub != mptcp.SubDSS || mptcp.ParseDSS(opt, &d) != nil {
		return nil
	}
	return &d
}

// optionForm is how options are written. Nearly every packet has a DSS, so no [Option] is made of one.
type optionForm struct {
	between string
	option  func(b []byte, o *Option) []byte
	// the texts before the letters and numbers of a DSS, behind letters, and at its end
	dss, ack, dsn, ssn, length, checksum, quote, end string
}

var (
	optionText = optionForm{
		"; ", func(b []byte, o *Option) []byte { return append(b, o.text()...) },
		"DSS flags=", " ack=", " dsn=", " ssn=", " len=", " checksum=", "", "",
	}
	optionJSON = optionForm{
		",", func(b []byte, o *Option) []byte { return appendJSON(b, o) },
		`{"subtype":"DSS","flags":"`, `,"data_ack":`, `,"dsn":`, `,"ssn":`, `,"data_length":`, `,"checksum":"`, `"`, "}",
	}
)

// options appends the MPTCP options in a form: the first valid DSS, then the others in the order of the header.
func (r *renderer) options(b []byte, l *line, in *optionForm) []byte {
	start := len(b)
	if l.hasDSS {
		b = r.appendDSS(b, &l.dss, in)
	}
	if len(l.other) == 0 {
		return b
	}
	mptcp.Walk(l.other, func(sub mptcp.Subtype, opt []byte) bool {
		if len(b) > start {
			b = append(b, in.between...)
		}
		if d := dssOf(sub, opt); d != nil {
			b = r.appendDSS(b, d, in)
		} else {
			b = in.option(b, new(r.option(l, sub, opt)))
		}
		return true
	})
	return b
}

// optionTexts appends options with semicolons between them: the subtype, then key=value pairs
// with blanks between them. The TLVs of the Convert Protocol follow.
func (r *renderer) optionTexts(b []byte, l *line) []byte {
	start := len(b)
	b = r.options(b, l, &optionText)
	for i := range l.convert {
		if len(b) > start {
			b = append(b, "; "...)
		}
		b = append(b, "Convert "+l.convert[i].Name()+" "+l.convert[i].Text()...)
	}
	return b
}

// appendDSS appends a DSS in a form.
func (r *renderer) appendDSS(b []byte, d *mptcp.DSS, in *optionForm) []byte {
	b = append(b, in.dss...)
	for _, f := range dssFlags {
		if d.Has(f.flag) {
			b = append(b, f.letter)
		}
	}
	b = append(b, in.quote...)
	if d.Has(mptcp.DSSAck) && !r.normalise {
		b = strconv.AppendUint(append(b, in.ack...), d.DataAck, 10)
	}
	if !d.Has(mptcp.DSSMap) {
		return append(b, in.end...)
	}
	if !r.normalise {
		b = strconv.AppendUint(append(b, in.dsn...), d.DSN, 10)
	}
	b = strconv.AppendUint(append(b, in.ssn...), uint64(d.SSN), 10)
	b = strconv.AppendUint(append(b, in.length...), uint64(d.Length), 10)
	if d.Has(mptcp.DSSChecksum) {
		if b = append(b, in.checksum...); r.normalise {
			b = append(b, "set"...)
		} else {
			b = hex.AppendEncode(b, []byte{byte(d.Checksum >> 8), byte(d.Checksum)})
		}
		b = append(b, in.quote...)
	}
	return append(b, in.end...)
}

// dssFlags are the flags of a DSS in the order of the header.
var dssFlags = [...]struct {
	flag   mptcp.DSSFlags
	letter byte
}{{mptcp.DSSFin, 'F'}, {mptcp.DSSDSN8, 'm'}, {mptcp.DSSMap, 'M'}, {mptcp.DSSAck8, 'a'}, {mptcp.DSSAck, 'A'}}

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
