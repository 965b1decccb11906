package differential

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"strconv"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// columns are tshark's names of the fields that are compared, in the order in
// which it is asked for them.
var columns = []string{
	"frame.time_epoch", "ip.src", "ip.dst", "ip.id", "ipv6.src", "ipv6.dst",
	"tcp.srcport", "tcp.dstport", "tcp.seq_raw", "tcp.ack_raw", "tcp.flags", "tcp.window_size_value", "tcp.len",
	"tcp.options.mss_val", "tcp.options.wscale.shift",
	"tcp.options.timestamp.tsval", "tcp.options.timestamp.tsecr", "tcp.options.sack_le", "tcp.options.sack_re",

	"tcp.options.mptcp.subtype", "tcp.options.mptcp.version", "tcp.options.mptcp.checksumreq.flags",
	"tcp.options.mptcp.sendkey", "tcp.options.mptcp.recvkey",
	"tcp.options.mptcp.backup.flag", "tcp.options.mptcp.addrid", "tcp.options.mptcp.recvtok", "tcp.options.mptcp.sendrand",
	"tcp.options.mptcp.sendtrunchmac", "tcp.options.mptcp.sendhmac",
	"tcp.options.mptcp.datafin.flag", "tcp.options.mptcp.dseqn8.flag", "tcp.options.mptcp.dseqnpresent.flag",
	"tcp.options.mptcp.dataack8.flag", "tcp.options.mptcp.dataackpresent.flag",
	"tcp.options.mptcp.rawdataack", "tcp.options.mptcp.rawdataseqno", "tcp.options.mptcp.subflowseqno",
	"tcp.options.mptcp.datalvllen", "tcp.options.mptcp.checksum",
	"tcp.options.mptcp.ipver", "tcp.options.mptcp.echo", "tcp.options.mptcp.ipv4", "tcp.options.mptcp.ipv6",
	"tcp.options.mptcp.port", "tcp.options.mptcp.addaddrtrunchmac",
	"tcp.options.mptcp.rst_reason", "tcp.options.mptcp.flag_T.flag",
}

// place gives the index of each column.
var place = func() map[string]int {
	m := map[string]int{}
	for i, c := range columns {
		m[c] = i
	}
	return m
}()

// row is what one packet should read like in tshark: for each column the
// values in the order of the wire, separated by commas.
type row [][]byte

func newRow() row { return make(row, len(columns)) }

func (r row) clear() {
	for i := range r {
		r[i] = r[i][:0]
	}
}

// next makes room for one more value of a column and returns its index.
func (r row) next(column string) int {
	i, ok := place[column]
	if !ok {
		panic("no column " + column)
	}
	if len(r[i]) > 0 {
		r[i] = append(r[i], ',')
	}
	return i
}

func (r row) text(column, value string) {
	i := r.next(column)
	r[i] = append(r[i], value...)
}

func (r row) number(column string, value uint64) {
	i := r.next(column)
	r[i] = strconv.AppendUint(r[i], value, 10)
}

// hex writes a number as tshark does in base 16: with all digits of its width.
func (r row) hex(column string, value uint64, digits int) {
	i := r.next(column)
	r[i] = fmt.Appendf(r[i], "0x%0*x", digits, value)
}

func (r row) flag(column string, on bool) {
	value := uint64(0)
	if on {
		value = 1
	}
	r.number(column, value)
}

// option puts the prefix that all of tshark's fields of MPTCP options share
// before a name.
func option(name string) string { return "tcp.options.mptcp." + name }

// segment fills the row with all but the MPTCP options.
func (r row) segment(s *packet.Segment) {
	i := r.next("frame.time_epoch")
	r[i] = fmt.Appendf(r[i], "%d.%09d", packet.Unix(s.Time)/1e9, packet.Unix(s.Time)%1e9)
	src, dst := netip.AddrFrom16(s.Src.Addr), netip.AddrFrom16(s.Dst.Addr)
	if s.IPv6 {
		r.text("ipv6.src", src.String())
		r.text("ipv6.dst", dst.String())
	} else {
		r.text("ip.src", src.Unmap().String())
		r.text("ip.dst", dst.Unmap().String())
		r.hex("ip.id", uint64(s.IPID), 4)
	}
	r.number("tcp.srcport", uint64(s.Src.Port))
	r.number("tcp.dstport", uint64(s.Dst.Port))
	r.number("tcp.seq_raw", uint64(s.Seq))
	r.number("tcp.ack_raw", uint64(s.Ack))
	r.hex("tcp.flags", uint64(s.Flags), 4)
	r.number("tcp.window_size_value", uint64(s.Window))
	r.number("tcp.len", uint64(s.PayloadLen))
	if s.Have&packet.HasMSS != 0 {
		r.number("tcp.options.mss_val", uint64(s.MSS))
	}
	if s.Have&packet.HasWScale != 0 {
		r.number("tcp.options.wscale.shift", uint64(s.WScale))
	}
	if s.Have&packet.HasTimestamps != 0 {
		r.number("tcp.options.timestamp.tsval", uint64(s.TSVal))
		r.number("tcp.options.timestamp.tsecr", uint64(s.TSEcr))
	}
	for _, b := range s.SACK[:s.NSACK] {
		r.number("tcp.options.sack_le", uint64(b.Left))
		r.number("tcp.options.sack_re", uint64(b.Right))
	}
}

// options fills the row with the MPTCP options. A segment keeps the first DSS
// apart from the others and does not know its place among them: dssAt is how
// many others tshark saw before it.
func (r row) options(s *packet.Segment, dssAt int) {
	n := 0
	here := func() {
		if n == dssAt && s.Have&packet.HasDSS != 0 {
			r.dss(&s.DSS)
		}
		n++
	}
	mptcp.Walk(s.OtherMPTCP(), func(sub mptcp.Subtype, opt []byte) bool {
		here()
		r.option(sub, opt)
		return true
	})
	here()
}

// option writes one option other than the first DSS; of one without a legal
// form only the subtype.
func (r row) option(sub mptcp.Subtype, opt []byte) {
	switch sub {
	case mptcp.SubCapable:
		r.capable(opt)
	case mptcp.SubJoin:
		r.join(opt)
	case mptcp.SubDSS:
		var d mptcp.DSS
		if mptcp.ParseDSS(opt, &d) == nil {
			r.dss(&d)
		}
	case mptcp.SubAddAddr:
		r.addAddr(opt)
	default:
		r.small(sub, opt)
	}
}

func (r row) subtype(sub mptcp.Subtype) { r.number(option("subtype"), uint64(sub)) }

func (r row) capable(opt []byte) {
	r.subtype(mptcp.SubCapable)
	var c mptcp.Capable
	if mptcp.ParseCapable(opt, &c) != nil {
		return
	}
	r.number(option("version"), uint64(c.Version))
	r.flag(option("checksumreq.flags"), c.ChecksumRequired())
	if c.Has(mptcp.CapableHasSenderKey) {
		r.number(option("sendkey"), c.SenderKey)
	}
	if c.Has(mptcp.CapableHasReceiverKey) {
		r.number(option("recvkey"), c.ReceiverKey)
	}
	if c.Has(mptcp.CapableHasDataLen) {
		r.number(option("datalvllen"), uint64(c.DataLen))
	}
	if c.Has(mptcp.CapableHasDataSum) {
		r.hex(option("checksum"), uint64(c.Checksum), 4)
	}
}

func (r row) join(opt []byte) {
	r.subtype(mptcp.SubJoin)
	var j mptcp.Join
	if mptcp.ParseJoin(opt, &j) != nil {
		return
	}
	if j.Form == mptcp.JoinACK {
		r.text(option("sendhmac"), hex.EncodeToString(j.HMAC[:]))
		return
	}
	r.flag(option("backup.flag"), j.Backup)
	r.number(option("addrid"), uint64(j.AddressID))
	r.number(option("sendrand"), uint64(j.Nonce))
	if j.Form == mptcp.JoinSYN {
		r.number(option("recvtok"), uint64(j.Token))
	} else {
		r.number(option("sendtrunchmac"), j.TruncHMAC)
	}
}

func (r row) dss(d *mptcp.DSS) {
	r.subtype(mptcp.SubDSS)
	r.flag(option("datafin.flag"), d.Has(mptcp.DSSFin))
	r.flag(option("dseqn8.flag"), d.Has(mptcp.DSSDSN8))
	r.flag(option("dseqnpresent.flag"), d.Has(mptcp.DSSMap))
	r.flag(option("dataack8.flag"), d.Has(mptcp.DSSAck8))
	r.flag(option("dataackpresent.flag"), d.Has(mptcp.DSSAck))
	if d.Has(mptcp.DSSAck) {
		r.number(option("rawdataack"), d.DataAck)
	}
	if !d.Has(mptcp.DSSMap) {
		return
	}
	r.number(option("rawdataseqno"), d.DSN)
	r.number(option("subflowseqno"), uint64(d.SSN))
	r.number(option("datalvllen"), uint64(d.Length))
	if d.Has(mptcp.DSSChecksum) {
		r.hex(option("checksum"), uint64(d.Checksum), 4)
	}
}

func (r row) addAddr(opt []byte) {
	r.subtype(mptcp.SubAddAddr)
	var a mptcp.AddAddr
	if mptcp.ParseAddAddr(opt, &a) != nil {
		return
	}
	family := "ipv4"
	if a.Addr.Is6() {
		family = "ipv6"
	}
	if a.Version == 1 {
		r.flag(option("echo"), a.Echo)
	} else {
		r.text(option("ipver"), family[3:])
	}
	r.number(option("addrid"), uint64(a.AddressID))
	r.text(option(family), a.Addr.String())
	if a.HasPort {
		r.number(option("port"), uint64(a.Port))
	}
	if a.HasHMAC() {
		r.number(option("addaddrtrunchmac"), a.HMAC)
	}
}

// small writes the options that are one or two fields.
func (r row) small(sub mptcp.Subtype, opt []byte) {
	var remove mptcp.RemoveAddr
	var prio mptcp.Prio
	var fail mptcp.Fail
	var fastclose mptcp.Fastclose
	var reset mptcp.TCPRST
	if sub != mptcp.SubNone {
		r.subtype(sub)
	}
	switch {
	case sub == mptcp.SubRemoveAddr && mptcp.ParseRemoveAddr(opt, &remove) == nil:
		for _, id := range remove.AddressIDs() {
			r.number(option("addrid"), uint64(id))
		}
	case sub == mptcp.SubPrio && mptcp.ParsePrio(opt, &prio) == nil:
		r.flag(option("backup.flag"), prio.Backup)
		if prio.HasAddressID {
			r.number(option("addrid"), uint64(prio.AddressID))
		}
	case sub == mptcp.SubFail && mptcp.ParseFail(opt, &fail) == nil:
		r.number(option("rawdataseqno"), fail.DSN)
	case sub == mptcp.SubFastclose && mptcp.ParseFastclose(opt, &fastclose) == nil:
		r.number(option("recvkey"), fastclose.ReceiverKey)
	case sub == mptcp.SubTCPRST && mptcp.ParseTCPRST(opt, &reset) == nil:
		r.hex(option("rst_reason"), uint64(reset.Reason), 2)
		r.flag(option("flag_T.flag"), reset.Transient())
	}
}
