package conn

import (
	"fmt"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// options takes every MPTCP option of a packet but the DSS.
func (t *Table) options(p *Packet) {
	capable, joined := false, false
	mptcp.Walk(p.Seg.RareOptions(), func(kind mptcp.Subtype, opt []byte) bool {
		if err := mptcp.Check(opt); err != nil {
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
			t.signal(p, kind, opt)
		}
		return true
	})
	if p.Seg.Flags&(packet.SYN|packet.ACK) == packet.SYN|packet.ACK && p.Seg.Have&packet.OptionsCut == 0 {
		t.answered(p, capable, joined)
	}
}

// answered judges a SYN/ACK by whether it grants what the SYN asked for.
func (t *Table) answered(p *Packet, capable, joined bool) {
	c, j := p.Conn, &p.Sub.join
	switch {
	case p.Sub.Joined && !joined && !j.answered && !j.stripped:
		j.stripped = true
		p.event(EventJoinRefused, "SYN/ACK without MP_JOIN: the peer refused the subflow, or the option was removed on the way")
	case c.Kind == Requested && !capable:
		t.forgetToken(c, A)
		t.forgetToken(c, B)
		c.Kind, c.Hosts = Plain, [2]Host{}
	}
}

// malformed reports an option that has no legal form.
func (t *Table) malformed(p *Packet, err error) {
	t.warn("malformed_option", "MPTCP options that have no legal form were ignored", p.Seg.Num)
	if p.Conn.Kind == Multipath {
		p.event(EventMalformed, err.Error())
	}
}

// signal takes the options that concern an established connection.
func (t *Table) signal(p *Packet, kind mptcp.Subtype, opt []byte) {
	if !kind.Known() || kind == mptcp.SubExp {
		t.warn("unknown_option", "MPTCP options of unregistered subtypes were ignored", p.Seg.Num)
	}
	if p.Conn.Kind != Multipath {
		return
	}
	from := p.From
	switch kind {
	case mptcp.SubTCPRST: // reported with the RST
	case mptcp.SubDSS:
		p.event(EventUnknown, "second DSS option in one packet: ignored")
	case mptcp.SubAddAddr:
		t.addAddr(p, opt)
	case mptcp.SubRemoveAddr:
		var o mptcp.RemoveAddr
		_ = mptcp.ParseRemoveAddr(opt, &o) // checked by the caller, here and below
		p.event(EventRemoveAddr, fmt.Sprintf("%v withdraws address ids %v", from, o.AddressIDs()))
	case mptcp.SubPrio:
		p.event(EventPrio, prioDetail(p, opt))
	case mptcp.SubFail:
		var o mptcp.Fail
		_ = mptcp.ParseFail(opt, &o)
		p.Conn.failure = fmt.Sprintf(" after MP_FAIL of %v (packet %d)", from, p.Seg.Num)
		p.event(EventFail, fmt.Sprintf("%v reports that the checksum of the data at DSN %d failed", from, o.DSN))
	case mptcp.SubFastclose:
		t.fastclose(p, opt)
	default:
		p.event(EventUnknown, fmt.Sprintf("option of %v, %d octets", kind, len(opt)))
	}
}

func prioDetail(p *Packet, opt []byte) string {
	var o mptcp.Prio
	_ = mptcp.ParsePrio(opt, &o)
	what := "regular"
	if o.Backup {
		what = "a backup"
	}
	if o.HasAddressID {
		return fmt.Sprintf("%v makes the subflows of its address id %d %s", p.From, o.AddressID, what)
	}
	return fmt.Sprintf("%v makes subflow %d %s", p.From, p.Sub.ID, what)
}

// fastclose takes the abort of a connection. Only the peer's key makes it valid
// (RFC 8684, Section 3.5).
func (t *Table) fastclose(p *Packet, opt []byte) {
	var o mptcp.Fastclose
	_ = mptcp.ParseFastclose(opt, &o)
	c := p.Conn
	if peer := &c.Hosts[p.From.Other()]; peer.HasKey && peer.Key != o.ReceiverKey {
		p.event(EventFastclose, fmt.Sprintf("%v aborts the connection, but with a wrong key: ignored", p.From))
		return
	}
	c.Fastclosed = true
	p.event(EventFastclose, fmt.Sprintf("%v aborts the connection", p.From))
}

// addAddr takes an announced address or its echo, and checks the HMAC of an
// announcement (RFC 8684, Section 3.4.1).
func (t *Table) addAddr(p *Packet, opt []byte) {
	var o mptcp.AddAddr
	_ = mptcp.ParseAddAddr(opt, &o)
	where := o.Addr.String()
	if o.HasPort {
		where = fmt.Sprintf("%s port %d", where, o.Port)
	}
	if o.Echo {
		p.event(EventAddAddrEcho, fmt.Sprintf("%v confirms address id %d, %s", p.From, o.AddressID, where))
		return
	}
	detail := fmt.Sprintf("%v announces address id %d, %s", p.From, o.AddressID, where)
	own, peer := &p.Conn.Hosts[p.From], &p.Conn.Hosts[p.From.Other()]
	switch {
	case !o.HasHMAC() || !own.HasKey || !peer.HasKey:
	case mptcp.AddAddrHMAC(own.Key, peer.Key, &o) == o.HMAC:
		detail += ", HMAC valid"
	default:
		detail += ", HMAC invalid"
		p.event(EventHMAC, "ADD_ADDR whose HMAC does not hold")
	}
	p.event(EventAddAddr, detail)
}
