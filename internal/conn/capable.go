package conn

import (
	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// findCapable parses the first valid MP_CAPABLE option of s into o.
func findCapable(s *packet.Segment, o *mptcp.Capable) bool {
	found := false
	mptcp.Walk(s.OtherMPTCP(), func(sub mptcp.Subtype, opt []byte) bool {
		found = sub == mptcp.SubCapable && mptcp.ParseCapable(opt, o) == nil
		return !found
	})
	return found
}

// capable takes an MP_CAPABLE option (RFC 6824 and RFC 8684, Section 3.1).
func (t *Table) capable(p *Packet, opt []byte) {
	var o mptcp.Capable
	c, from := p.Conn, p.From
	if mptcp.ParseCapable(opt, &o) != nil || p.Sub.Joined {
		return
	}
	switch p.Seg.Flags & (packet.SYN | packet.ACK) {
	case packet.SYN:
		if c.Kind != Requested || from != A {
			return
		}
	case packet.SYN | packet.ACK:
		if c.Kind == Requested && from == B {
			t.confirmMultipath(c)
			c.Handshake = true
			c.Version = min(c.Version, o.Version)
		}
	default:
		t.confirmUnseen(p)
		if from == A && p.Sub.SYN != 0 && p.Seg.PayloadLen == 0 && p.Sub.Senders[B].SndUna() <= 1 {
			p.Sub.originShown[B] = true
		}
		if !c.Handshake && !c.Hosts[A].HasKey && !c.Hosts[B].HasKey {
			c.Version = o.Version
		}
	}
	if c.Kind == Plain {
		return // the SYN/ACK has no MP_CAPABLE
	}
	host := &c.Hosts[from]
	host.Checksum = host.Checksum || o.ChecksumRequired()
	if o.Has(mptcp.CapableHasSenderKey) {
		t.learnKey(p, from, o.SenderKey, false)
	}
	if o.Has(mptcp.CapableHasReceiverKey) {
		t.learnKey(p, from.Other(), o.ReceiverKey, true)
	}
	if o.Has(mptcp.CapableHasDataLen) && c.Kind == Multipath {
		t.capableMapping(p, &o)
	}
}

// confirmUnseen makes a connection Multipath TCP if an option after the handshake shows
// it: the SYN/ACK that granted it was not captured, or the capture begins in the
// middle.
func (t *Table) confirmUnseen(p *Packet) {
	if c := p.Conn; c.Kind == Requested || c.Kind == Plain && p.Sub.NoSYN {
		if c.Kind == Plain {
			c.Version, _ = versionOf(p.Seg)
		}
		t.confirmMultipath(c)
	}
}

// capableMapping takes the mapping of an MP_CAPABLE with data: the first byte of the
// subflow after data in the SYN is the first byte of the data (RFC 8684, Section 3.1
// and Appendix B.2).
func (t *Table) capableMapping(p *Packet, o *mptcp.Capable) {
	sp, subSpace := &p.Conn.Spaces[p.From], p.Sub.Spaces[p.From]
	at, ok := sp.Position(mptcp.IDSN(p.Conn.Version, p.Conn.Hosts[p.From].Key)+1, true)
	if !ok || o.DataLen == 0 {
		return
	}
	first := p.Sub.wireSSN(p.From, 1)
	m := dss.Mapping{SSN: seq.Range[seq.SSN]{Start: first, End: first + seq.SSN(o.DataLen)}, DSN: at, Packet: p.Seg.Num}
	wire, _ := sp.Absolute(at)
	var want *dss.Checksum
	p.ownMapping = Mapping{DSS: mptcp.DSS{Flags: mptcp.DSSMap | mptcp.DSSDSN8, DSN: wire, SSN: 1, Length: o.DataLen}, SSN: first, DSN: at}
	if o.Has(mptcp.CapableHasDataSum) {
		want = &dss.Checksum{DSN: wire, SSN: 1, Length: o.DataLen, Value: o.Checksum}
		p.ownMapping.DSS.Flags |= mptcp.DSSChecksum
		p.ownMapping.DSS.Checksum = o.Checksum
	}
	p.ownMapping.Verdict, p.ownMapping.ChecksumPending = sp.AddMapping(subSpace, &m, want, &p.Result)
	p.Mapping = &p.ownMapping
	p.reportConflict()
}

// learnKey notes the key of a host and what follows from it. The version 1 initiator
// sends its key only in the third packet; joins seen before can be authenticated then.
// A server with SYN cookies draws a key for each SYN/ACK: the one counts that its peer echoes
// first (RFC 8684, Section 3.1).
func (t *Table) learnKey(p *Packet, side Side, k uint64, echo bool) {
	c := p.Conn
	h := &c.Hosts[side]
	counts := !h.HasKey || echo && !h.Echoed && h.Key != k
	if h.Echoed = h.Echoed || echo; !counts {
		return
	}
	h.Key, h.HasKey = k, true
	token, idsn := mptcp.TokenAndIDSN(c.Version, k)
	t.learnToken(c, side, token)
	c.Spaces[side].SetIDSN(idsn)
	t.dsnIndex.enter(c)
	for _, sub := range c.Subflows {
		t.authenticate(p, sub)
	}
}
