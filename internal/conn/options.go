package conn

import (
	"fmt"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// findCapable finds an MP_CAPABLE option.
func findCapable(s *packet.Segment, o *mptcp.Capable) bool {
	found := false
	mptcp.Walk(s.RareOptions(), func(sub mptcp.Subtype, opt []byte) bool {
		found = sub == mptcp.SubCapable && mptcp.ParseCapable(opt, o) == nil
		return !found
	})
	return found
}

// findJoin finds an MP_JOIN option.
func findJoin(s *packet.Segment, o *mptcp.Join) bool {
	found := false
	mptcp.Walk(s.RareOptions(), func(sub mptcp.Subtype, opt []byte) bool {
		found = sub == mptcp.SubJoin && mptcp.ParseJoin(opt, o) == nil
		return !found
	})
	return found
}

// options takes every MPTCP option of a packet but the DSS.
func (t *Table) options(sub *Subflow, from Side, s *packet.Segment) {
	capable, joined := false, false
	mptcp.Walk(s.RareOptions(), func(kind mptcp.Subtype, opt []byte) bool {
		if err := mptcp.Check(opt); err != nil {
			t.malformed(sub, from, s, kind, err)
			return true
		}
		switch kind {
		case mptcp.SubCapable:
			capable = true
			t.capable(sub, from, s, opt)
		case mptcp.SubJoin:
			joined = true
			t.join(sub, from, s, opt)
		default:
			t.signal(sub, from, s, kind, opt)
		}
		return true
	})
	if s.Flags&(packet.SYN|packet.ACK) == packet.SYN|packet.ACK {
		t.answered(sub, from, s, capable, joined)
	}
}

// answered judges a SYN/ACK by whether it grants what the SYN asked for.
func (t *Table) answered(sub *Subflow, from Side, s *packet.Segment, capable, joined bool) {
	c := sub.Conn
	switch {
	case sub.Joined && !joined && !sub.answered && !sub.stripped:
		sub.stripped = true
		c.event(Event{Time: s.Time, Sub: sub, From: from, Packet: s.Num, Kind: EventJoinRefused,
			Detail: "SYN/ACK without MP_JOIN: the peer refused the subflow, or the option was removed on the way"})
	case c.Kind == Requested && !capable && len(c.Subflows) == 1:
		c.Kind = Plain
	}
}

// malformed reports an option that has no legal form.
func (t *Table) malformed(sub *Subflow, from Side, s *packet.Segment, kind mptcp.Subtype, err error) {
	t.Warnings.add("malformed_option", "MPTCP options that have no legal form were ignored", s.Num)
	if sub.Conn.Kind == Multipath {
		sub.Conn.event(Event{Time: s.Time, Sub: sub, From: from, Packet: s.Num, Kind: EventMalformed, Detail: err.Error()})
	}
}

// capable takes an MP_CAPABLE option (RFC 8684, Section 3.1; RFC 6824,
// Section 3.1).
func (t *Table) capable(sub *Subflow, from Side, s *packet.Segment, opt []byte) {
	var o mptcp.Capable
	if mptcp.ParseCapable(opt, &o) != nil || sub.Joined {
		return
	}
	c := sub.Conn
	switch {
	case s.Flags&(packet.SYN|packet.ACK) == packet.SYN:
		if from != A || c.Kind == Multipath {
			break
		}
		c.Version = o.Version
	case s.Flags&packet.SYN != 0:
		if c.Kind == Requested {
			t.confirm(c)
			c.Handshake = true
			c.Version = min(c.Version, o.Version)
		}
	case c.Kind != Multipath:
		return // the SYN/ACK did not grant it
	}
	host := &c.Hosts[from]
	host.Checksum = host.Checksum || o.ChecksumRequired()
	if o.Has(mptcp.CapableHasSenderKey) {
		t.learnKey(c, from, o.SenderKey)
	}
	if o.Has(mptcp.CapableHasReceiverKey) {
		t.learnKey(c, from.Other(), o.ReceiverKey)
	}
	if o.Has(mptcp.CapableHasDataLen) && c.Kind == Multipath {
		t.firstMapping(sub, from, s, &o)
	}
}

// firstMapping takes the mapping that MP_CAPABLE with data implies: the first
// octet of the subflow is the first of the data (RFC 8684, Section 3.1).
func (t *Table) firstMapping(sub *Subflow, from Side, s *packet.Segment, o *mptcp.Capable) {
	sp, lane := &sub.Conn.Spaces[from], sub.Lanes[from]
	m := dss.Mapping{SSN: seq.Range[seq.SSN]{Start: 1, End: 1 + seq.SSN(o.DataLen)}, DSN: 1, Packet: s.Num}
	var want *dss.Checksum
	if abs, wide := sp.Absolute(1); o.Has(mptcp.CapableHasDataSum) && wide {
		want = &dss.Checksum{DSN: abs, SSN: 1, Length: o.DataLen, Value: o.Checksum}
	}
	t.mapping = Mapping{SSN: 1, DSN: 1, Octets: 8, Length: int64(o.DataLen), Checksum: -1}
	t.mapping.Wire, _ = sp.Absolute(1)
	if o.Has(mptcp.CapableHasDataSum) {
		t.mapping.Checksum = int32(o.Checksum)
	}
	t.mapping.Verdict, t.mapping.Pending = sp.Map(lane, m, want)
	t.pkt.Mapping = &t.mapping
}

// learnKey notes the key of a host, and what follows from it. The version 1
// initiator sends its key only in the third packet, after data of the other
// side may have been DATA_ACKed; both ends' spaces start at their IDSNs.
func (t *Table) learnKey(c *Conn, side Side, k uint64) {
	h := &c.Hosts[side]
	if h.HasKey {
		return
	}
	h.Key, h.HasKey = k, true
	h.Token, h.HasToken = mptcp.Token(c.Version, k), true
	t.tokens[h.Token] = tokenOwner{c, side}
	c.Spaces[side].SetIDSN(mptcp.IDSN(c.Version, k))
}

// signal takes the options that concern an established connection.
func (t *Table) signal(sub *Subflow, from Side, s *packet.Segment, kind mptcp.Subtype, opt []byte) {
	e := Event{Time: s.Time, Sub: sub, From: from, Packet: s.Num}
	switch kind {
	case mptcp.SubAddAddr:
		t.addAddr(sub, from, opt, &e)
	case mptcp.SubRemoveAddr:
		var o mptcp.RemoveAddr
		_ = mptcp.ParseRemoveAddr(opt, &o) // checked by the caller
		e.Kind, e.Detail = EventRemoveAddr, fmt.Sprintf("%v withdraws address ids %v", from, o.AddressIDs())
	case mptcp.SubPrio:
		e.Kind, e.Detail = EventPrio, prioDetail(from, sub, opt)
	case mptcp.SubFail:
		var o mptcp.Fail
		_ = mptcp.ParseFail(opt, &o)
		e.Kind, e.Detail = EventFail, fmt.Sprintf("%v reports that the checksum of the data at DSN %d failed", from, o.DSN)
	case mptcp.SubFastclose:
		e.Kind, e.Detail = EventFastclose, fmt.Sprintf("%v aborts the connection", from)
		if !sub.Conn.Fastclosed {
			sub.Conn.Fastclosed, sub.Conn.FastclosedBy = true, from
		}
	case mptcp.SubTCPRST:
		var o mptcp.TCPRST
		_ = mptcp.ParseTCPRST(opt, &o)
		sub.resetReason = o.Reason.String()
		return // reported with the RST itself
	default:
		t.Warnings.add("unknown_option", "MPTCP options of unregistered subtypes were ignored", s.Num)
		e.Kind, e.Detail = EventUnknown, fmt.Sprintf("option of %v, %d octets", kind, len(opt))
	}
	if sub.Conn.Kind == Multipath {
		sub.Conn.event(e)
	}
}

func prioDetail(from Side, sub *Subflow, opt []byte) string {
	var o mptcp.Prio
	_ = mptcp.ParsePrio(opt, &o)
	what := "regular"
	if o.Backup {
		what = "a backup"
	}
	if o.HasAddressID {
		return fmt.Sprintf("%v makes the subflows of its address id %d %s", from, o.AddressID, what)
	}
	return fmt.Sprintf("%v makes subflow %d %s", from, sub.ID, what)
}

// addAddr takes an announced address or its echo, and checks the HMAC of an
// announcement (RFC 8684, Section 3.4.1).
func (t *Table) addAddr(sub *Subflow, from Side, opt []byte, e *Event) {
	var o mptcp.AddAddr
	_ = mptcp.ParseAddAddr(opt, &o)
	where := o.Addr.String()
	if o.HasPort {
		where = fmt.Sprintf("%s port %d", where, o.Port)
	}
	if o.Echo {
		e.Kind, e.Detail = EventAddAddrEcho, fmt.Sprintf("%v confirms address id %d, %s", from, o.AddressID, where)
		return
	}
	e.Kind, e.Detail = EventAddAddr, fmt.Sprintf("%v announces address id %d, %s", from, o.AddressID, where)
	own, peer := &sub.Conn.Hosts[from], &sub.Conn.Hosts[from.Other()]
	if !o.HasHMAC() || !own.HasKey || !peer.HasKey {
		return
	}
	if mptcp.AddAddrHMAC(own.Key, peer.Key, &o) == o.HMAC {
		e.Detail += ", HMAC valid"
		return
	}
	e.Detail += ", HMAC invalid"
	sub.Conn.event(Event{Time: e.Time, Sub: sub, From: from, Packet: e.Packet, Kind: EventHMAC, Detail: "ADD_ADDR whose HMAC does not hold"})
}
