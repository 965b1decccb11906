package conn

import (
	"slices"
	"strconv"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// joinState holds what the packets of a join carry (RFC 8684, Section 3.2).
type joinState struct {
	nonces   [2]uint32
	hasNonce [2]bool
	earlier  []uint32 // nonces of the responder in SYN/ACKs before; bounded by maxNonces
	mac      uint64   // truncated HMAC of the SYN/ACK
	answered bool     // mac is set
	third    [20]byte // HMAC of the third packet
	signed   bool     // third is set
	stripped bool     // the SYN/ACK carried no MP_JOIN
}

// maxNonces bounds the nonces of one end of a join. A host repeats a SYN/ACK 5 times (Linux).
const maxNonces = 8

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
	case o.Form == mptcp.JoinSYNACK && flags == packet.SYN|packet.ACK && o.Nonce != j.nonces[from] && !j.signed && len(j.earlier) < maxNonces:
		j.earlier, j.mac, sub.HMAC = append(j.earlier, j.nonces[from]), o.TruncHMAC, HMACUnchecked
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
// the third packet, and a responder with SYN cookies draws a nonce for each SYN/ACK.
func (t *Table) authenticate(p *Packet, sub *Subflow) {
	c, j := sub.Conn, &sub.join
	if !sub.Joined || !c.Hosts[A].HasKey || !c.Hosts[B].HasKey || !j.hasNonce[A] || !j.hasNonce[B] {
		return
	}
	sign := func(own Side, nonce, peers uint32) mptcp.MAC {
		return mptcp.JoinHMAC(c.Version, c.Hosts[own].Key, c.Hosts[own.Other()].Key, nonce, peers)
	}
	from, to := sub.Initiator, sub.Initiator.Other()
	forged := func(own Side, what string) {
		sub.HMAC = HMACInvalid
		c.emit(Event{
			Time: p.Seg.Time, Sub: sub, From: own, Packet: p.Seg.Num, Kind: EventHMAC,
			Detail: "HMAC of the MP_JOIN " + what + " does not hold", Facts: Facts{Authentic: HMACInvalid},
		})
	}
	if j.answered && sub.HMAC == HMACUnchecked {
		sub.HMAC = HMACValid
		if mac := sign(to, j.nonces[to], j.nonces[from]); mac.Left64() != j.mac {
			forged(to, "SYN/ACK")
		}
	}
	if j.signed && sub.HMAC != HMACInvalid {
		fits := func(nonce uint32) bool {
			mac := sign(from, j.nonces[from], nonce)
			return mac.Left160() == j.third
		}
		if !fits(j.nonces[to]) && !slices.ContainsFunc(j.earlier, fits) {
			forged(from, "third packet")
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
