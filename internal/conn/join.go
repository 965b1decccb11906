package conn

import (
	"fmt"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// join takes an MP_JOIN option (RFC 8684, Section 3.2).
func (t *Table) join(sub *Subflow, from Side, s *packet.Segment, opt []byte) {
	var o mptcp.Join
	if mptcp.ParseJoin(opt, &o) != nil || !sub.Joined {
		return
	}
	switch o.Form {
	case mptcp.JoinSYN:
		if s.Flags&packet.ACK != 0 {
			return
		}
		sub.nonces[from], sub.hasNonce[from] = o.Nonce, true
	case mptcp.JoinSYNACK:
		if sub.answered {
			return
		}
		sub.answered = true
		sub.nonces[from], sub.hasNonce[from] = o.Nonce, true
		sub.AddressID[from] = int(o.AddressID)
		sub.Backup = sub.Backup || o.Backup
		sub.synackMAC = o.TruncHMAC
		t.checkJoin(sub, from, s)
	case mptcp.JoinACK:
		t.checkThird(sub, from, s, &o)
	}
}

// checkJoin verifies the HMAC of a SYN/ACK: the responder signs both nonces,
// its own first.
func (t *Table) checkJoin(sub *Subflow, from Side, s *packet.Segment) {
	c, peer := sub.Conn, from.Other()
	if !c.Hosts[A].HasKey || !c.Hosts[B].HasKey || !sub.hasNonce[peer] {
		return
	}
	mac := mptcp.JoinHMAC(c.Version, c.Hosts[from].Key, c.Hosts[peer].Key, sub.nonces[from], sub.nonces[peer])
	if mac.Left64() == sub.synackMAC {
		sub.HMAC = HMACValid
		return
	}
	sub.HMAC = HMACInvalid
	c.event(Event{Time: s.Time, Sub: sub, From: from, Packet: s.Num, Kind: EventHMAC, Detail: "HMAC of the MP_JOIN SYN/ACK does not hold"})
}

// checkThird verifies the HMAC of the third packet: the initiator signs.
func (t *Table) checkThird(sub *Subflow, from Side, s *packet.Segment, o *mptcp.Join) {
	c, peer := sub.Conn, from.Other()
	if !c.Hosts[A].HasKey || !c.Hosts[B].HasKey || !sub.hasNonce[A] || !sub.hasNonce[B] {
		return
	}
	mac := mptcp.JoinHMAC(c.Version, c.Hosts[from].Key, c.Hosts[peer].Key, sub.nonces[from], sub.nonces[peer])
	if mac.Left160() != o.HMAC && sub.HMAC != HMACInvalid {
		sub.HMAC = HMACInvalid
		c.event(Event{Time: s.Time, Sub: sub, From: from, Packet: s.Num, Kind: EventHMAC, Detail: "HMAC of the MP_JOIN's third packet does not hold"})
	}
}

// thirdPacket takes note of the packet that ends a handshake.
func (t *Table) thirdPacket(sub *Subflow, from Side, s *packet.Segment) {
	if sub.Joined && !sub.stripped && s.Flags&packet.RST == 0 {
		sub.Conn.event(Event{Time: s.Time, Sub: sub, From: from, Packet: s.Num, Kind: EventJoin,
			Detail: fmt.Sprintf("subflow %d joined by %v", sub.ID, from)})
	}
}
