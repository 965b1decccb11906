package conn

import (
	"errors"
	"fmt"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// options takes all MPTCP options of a packet except the DSS.
func (t *Table) options(p *Packet) {
	capable, joined, bad := false, false, false
	mptcp.Walk(p.Seg.OtherMPTCP(), func(kind mptcp.Subtype, opt []byte) bool {
		if kind == mptcp.SubCapable {
			p.Conn.noteOffer(p, opt)
		}
		if err := mptcp.Check(opt); err != nil {
			bad = true
			t.malformed(p, err)
			return true
		}
		switch kind {
		case mptcp.SubCapable:
			capable = true
			t.capable(p, opt)
		case mptcp.SubJoin:
			joined = true
			t.join(p, opt)
		default:
			t.otherOption(p, kind, opt)
		}
		return true
	})
	if !bad && p.Seg.Have&packet.OptionsMalformed != 0 {
		t.malformedList(p)
	}
	if p.Conn.Kind == Multipath {
		p.Conn.learnVersion(p.Seg)
	}
	if p.Seg.Flags&(packet.SYN|packet.ACK) == packet.SYN|packet.ACK && p.Seg.Have&packet.OptionsCut == 0 {
		t.answered(p, capable, joined)
	}
}

// answered judges whether a SYN/ACK grants what the SYN asked for.
func (t *Table) answered(p *Packet, capable, joined bool) {
	c, j := p.Conn, &p.Sub.join
	switch {
	case p.Sub.Joined && !joined && !j.answered && !j.stripped:
		j.stripped = true
		p.emit(EventJoinRefused, "SYN/ACK without MP_JOIN: the peer refused the subflow, or the option was removed on the way")
	case c.Kind == Requested && !capable:
		t.forgetToken(c, A)
		t.forgetToken(c, B)
		c.Kind, c.Hosts, c.FallbackCode = Plain, [2]Host{}, FallbackSYNACK
	}
}

const malformedOption = "MPTCP options that have no legal form were ignored"

// malformed reports an option without a legal form.
func (t *Table) malformed(p *Packet, err error) {
	t.warn("malformed_option", malformedOption, p.Seg.Num)
	if p.Conn.Kind == Multipath {
		p.emit(EventMalformed, err.Error())
	}
}

// malformedList reports a list of options in which a length is impossible. If the packet has an
// MPTCP option, the bytes behind it are wrong. If it has none but belongs to a Multipath TCP
// connection, the MPTCP option itself may be wrong. Lists of plain TCP are not judged.
func (t *Table) malformedList(p *Packet) {
	switch {
	case p.Seg.OtherLen > 0 || p.Seg.Have&packet.HasDSS != 0:
		t.malformed(p, errBehindOption)
	case p.Conn.Kind == Multipath:
		t.malformed(p, errOptionList)
	}
}

var (
	errBehindOption = errors.New("what is behind the MPTCP option is no TCP option: its length does not fit, and it was ignored")
	errOptionList   = errors.New("a TCP option whose length does not fit: it and what is behind it were ignored")
)

// otherOption takes an option of an established connection.
func (t *Table) otherOption(p *Packet, kind mptcp.Subtype, opt []byte) {
	if !kind.Known() || kind == mptcp.SubExp {
		t.warn("unknown_option", "MPTCP options of unregistered subtypes were ignored", p.Seg.Num)
	}
	if p.Conn.Kind != Multipath {
		return
	}
	switch kind {
	case mptcp.SubTCPRST: // reported with the RST
	case mptcp.SubDSS:
		p.emit(EventUnknown, "second DSS option in one packet: ignored")
	case mptcp.SubAddAddr:
		t.addAddr(p, opt)
	case mptcp.SubRemoveAddr:
		t.removeAddr(p, opt)
	case mptcp.SubPrio:
		t.prio(p, opt)
	case mptcp.SubFail:
		var o mptcp.Fail
		_ = mptcp.ParseFail(opt, &o)
		p.Conn.failure = fmt.Sprintf(" after MP_FAIL of %v (packet %d)", p.From, p.Seg.Num)
		p.emit(EventFail, fmt.Sprintf("%v reports that the checksum of the data at DSN %d failed", p.From, o.DSN))
	case mptcp.SubFastclose:
		t.fastclose(p, opt)
	default:
		p.emit(EventUnknown, fmt.Sprintf("option of %v, %d bytes", kind, len(opt)))
	}
}

// removeAddr takes a REMOVE_ADDR: an event for each address.
func (t *Table) removeAddr(p *Packet, opt []byte) {
	var o mptcp.RemoveAddr
	_ = mptcp.ParseRemoveAddr(opt, &o) // checked by the caller, here and below
	for _, id := range o.AddressIDs() {
		p.Conn.withdraw(p.From, id, p.Seg.Time)
		p.emitWith(EventRemoveAddr, fmt.Sprintf("%v withdraws address ids [%d]", p.From, id), Facts{AddressID: optionalByte(id)})
	}
}

// prio takes an MP_PRIO. Only version 0 allows an address id in it (RFC 6824, Section
// 3.3.8); by RFC 8684, Section 3.3.8, its length is 3.
func (t *Table) prio(p *Packet, opt []byte) {
	var o mptcp.Prio
	_ = mptcp.ParsePrio(opt, &o)
	f := Facts{Backup: tristateOf(o.Backup)}
	what := "regular"
	if o.Backup {
		what = "a backup"
	}
	switch {
	case o.HasAddressID && p.Conn.Version >= 1:
		t.warn("malformed_option", malformedOption, p.Seg.Num)
		f.AddressID, f.Effective = optionalByte(o.AddressID), No
		p.emitWith(EventMalformed, fmt.Sprintf("MP_PRIO with address id %d, which version 1 does not have: it has no effect", o.AddressID), f)
	case o.HasAddressID:
		f.AddressID = optionalByte(o.AddressID)
		p.emitWith(EventPrio, fmt.Sprintf("%v makes the subflows of its address id %d %s", p.From, o.AddressID, what), f)
	default:
		p.emitWith(EventPrio, fmt.Sprintf("%v makes subflow %d %s", p.From, p.Sub.ID, what), f)
	}
}

// fastclose takes an MP_FASTCLOSE. It needs the peer's key (RFC 8684, Section 3.5), and
// a packet that the receiver discards has no effect.
func (t *Table) fastclose(p *Packet, opt []byte) {
	var o mptcp.Fastclose
	_ = mptcp.ParseFastclose(opt, &o)
	c, why := p.Conn, ""
	effect := p.Sub.Effect(p.Seg, p.From)
	switch peer := &c.Hosts[p.From.Other()]; {
	case peer.HasKey && peer.Key != o.ReceiverKey:
		effect, why = subflow.Ignored, ", but with a wrong key: ignored"
	case effect == subflow.Ignored:
		why = ", but with numbers that " + p.From.Other().String() + " does not accept: ignored"
	default:
		c.Fastclosed = true
	}
	p.emitWith(EventFastclose, fmt.Sprintf("%v aborts the connection%s", p.From, why), Facts{Effective: effective(effect)})
}

// addAddr takes an ADD_ADDR or its echo, and checks the HMAC of an announcement (RFC
// 8684, Section 3.4.1).
func (t *Table) addAddr(p *Packet, opt []byte) {
	var o mptcp.AddAddr
	_ = mptcp.ParseAddAddr(opt, &o)
	where := o.Addr.String()
	if o.HasPort {
		where = fmt.Sprintf("%s port %d", where, o.Port)
	}
	f := Facts{Address: o.Addr, Port: o.Port, AddressID: optionalByte(o.AddressID), Echo: tristateOf(o.Echo)}
	if o.Echo {
		p.emitWith(EventAddAddrEcho, fmt.Sprintf("%v confirms address id %d, %s", p.From, o.AddressID, where), f)
		return
	}
	detail := fmt.Sprintf("%v announces address id %d, %s", p.From, o.AddressID, where)
	switch f.Authentic = p.Conn.AddAddrHMAC(p.From, &o); f.Authentic {
	case HMACValid:
		detail += ", HMAC valid"
	case HMACInvalid:
		f.Effective = No
		detail += ", HMAC invalid"
		p.emitWith(EventHMAC, "ADD_ADDR whose HMAC does not hold", f)
	}
	p.emitWith(EventAddAddr, detail, f)
}

// AddAddrHMAC returns the verdict on the HMAC of an ADD_ADDR that side from sends;
// [HMACNone] where it carries none.
func (c *Conn) AddAddrHMAC(from Side, o *mptcp.AddAddr) HMAC {
	own, peer := &c.Hosts[from], &c.Hosts[from.Other()]
	switch {
	case !o.HasHMAC():
		return HMACNone
	case !own.HasKey || !peer.HasKey:
		return HMACUnchecked
	case mptcp.AddAddrHMAC(own.Key, peer.Key, o) == o.HMAC:
		return HMACValid
	}
	return HMACInvalid
}
