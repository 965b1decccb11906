package conn

import (
	"strconv"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// joinState holds what the packets of a join carry (RFC 8684, Section 3.2).
type joinState struct {
	nonces   [2]uint32
	hasNonce [2]bool
	mac      uint64   // truncated HMAC of the SYN/ACK
	answered bool     // mac is set
	third    [20]byte // HMAC of the third packet
	signed   bool     // third is set
	stripped bool     // the SYN/ACK carried no MP_JOIN
}

// joinOf returns the first valid MP_JOIN option of a segment; ok is false if there is none.
func joinOf(s *packet.Segment) (o mptcp.Join, ok bool) {
	if s.OtherLen == 0 {
		return o, false
	}
	mptcp.Walk(s.OtherMPTCP(), func(sub mptcp.Subtype, opt []byte) bool {
		ok = sub == mptcp.SubJoin && mptcp.ParseJoin(opt, &o) == nil
		return !ok
	})
	return o, ok
}

// join takes an MP_JOIN option.
func (t *Table) join(p *Packet, opt []byte) {
	var o mptcp.Join
	sub, from := p.Sub, p.From
	if mptcp.ParseJoin(opt, &o) != nil || !sub.Joined {
		return
	}
	j := &sub.join
	if o.Form != mptcp.JoinSYN && sub.Senders[from].SndNxt() <= 1 && sub.Senders[from.Other()].SndUna() <= 1 { // no data came before
		sub.originShown = [2]bool{true, true}
	}
	switch flags := p.Seg.Flags & (packet.SYN | packet.ACK); {
	case o.Form == mptcp.JoinSYN && flags == packet.SYN:
	case o.Form == mptcp.JoinSYNACK && flags == packet.SYN|packet.ACK && !j.answered:
		j.mac, j.answered = o.TruncHMAC, true
	case o.Form == mptcp.JoinACK && flags == packet.ACK && from == sub.Initiator && !j.signed:
		j.third, j.signed = o.HMAC, true
		t.authenticate(p, sub)
		return
	default:
		return
	}
	j.nonces[from], j.hasNonce[from] = o.Nonce, true
	sub.AddressID[from] = int(o.AddressID)
	sub.Backup, sub.BackupBy[from] = sub.Backup || o.Backup, tristateOf(o.Backup)
	t.authenticate(p, sub)
}

// authenticate checks the HMACs of a join that are known, once both keys are. The
// responder signs both nonces in the SYN/ACK, its own first; the initiator does so in
// the third packet.
func (t *Table) authenticate(p *Packet, sub *Subflow) {
	c, j := sub.Conn, &sub.join
	if !sub.Joined || !c.Hosts[A].HasKey || !c.Hosts[B].HasKey || !j.hasNonce[A] || !j.hasNonce[B] {
		return
	}
	sign := func(own Side) mptcp.MAC {
		peer := own.Other()
		return mptcp.JoinHMAC(c.Version, c.Hosts[own].Key, c.Hosts[peer].Key, j.nonces[own], j.nonces[peer])
	}
	forged := func(own Side, what string) {
		sub.HMAC = HMACInvalid
		c.emit(Event{
			Time: p.Seg.Time, Sub: sub, From: own, Packet: p.Seg.Num, Kind: EventHMAC,
			Detail: "HMAC of the MP_JOIN " + what + " does not hold", Facts: Facts{Authentic: HMACInvalid},
		})
	}
	if j.answered && sub.HMAC == HMACUnchecked {
		sub.HMAC = HMACValid
		if mac := sign(sub.Initiator.Other()); mac.Left64() != j.mac {
			forged(sub.Initiator.Other(), "SYN/ACK")
		}
	}
	if j.signed && sub.HMAC != HMACInvalid {
		if mac := sign(sub.Initiator); mac.Left160() != j.third {
			forged(sub.Initiator, "third packet")
		}
	}
}

// thirdPacket takes the packet that ends a handshake.
func (t *Table) thirdPacket(p *Packet) {
	if s := p.Sub; s.Joined && !s.join.stripped && p.Seg.Flags&packet.RST == 0 {
		f := Facts{Authentic: s.HMAC, Backup: s.BackupBy[p.From]}
		if id := s.AddressID[p.From]; id >= 0 {
			f.AddressID = optionalByte(uint8(id))
		}
		p.emitWith(EventJoin, "subflow "+strconv.Itoa(s.ID)+" joined by "+p.From.String(), f)
	}
}
